#include <dlfcn.h>

#include "tree.h"

Tree tree;

int open_tree(const char *path) {
    struct {
        const char *name;
        void *place;
    } wanted[] = {
        {"lxb_html_document_create", &tree.create},
        {"lxb_html_document_parse", &tree.parse},
        {"lxb_html_document_clean", &tree.clean},
        {"lxb_html_document_destroy", &tree.destroy},
        {"lxb_dom_document_root", &tree.root},
        {"lxb_dom_node_next_noi", &tree.next},
        {"lxb_dom_node_first_child_noi", &tree.first_child},
        {"lxb_dom_node_type_noi", &tree.type},
        {"lxb_dom_node_tag_id_noi", &tree.tag},
        {"lxb_dom_element_qualified_name", &tree.name},
        {"lxb_dom_node_text_content", &tree.text},
        {"lxb_dom_element_first_attribute_noi", &tree.first_attribute},
        {"lxb_dom_element_next_attribute_noi", &tree.next_attribute},
        {"lxb_dom_attr_qualified_name", &tree.attribute_name},
        {"lxb_dom_attr_value_noi", &tree.attribute_value},
    };
    void *library = dlopen(path, RTLD_NOW);
    for (size_t n = 0; library && n < sizeof wanted / sizeof *wanted; n++) {
        void *found = dlsym(library, wanted[n].name);
        if (!found) library = NULL;
        memcpy(wanted[n].place, &found, sizeof found);
    }
    void *options = library ? dlsym(library, "lxb_html_document_dom_opt_set_noi") : NULL; /* old ones have no events */
    memcpy(&tree.options, &options, sizeof options);
    if (!library) PyErr_Format(PyExc_ImportError, "%s is not the parser that this was made for", path);
    return library != NULL;
}
