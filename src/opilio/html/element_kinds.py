"""What the tags of HTML mean to whoever reads a page."""

from __future__ import annotations

from .blocks import names

# Not read as words. <noscript> is: we run no scripts, so we are the one it is for, and forums put whole pages there.
UNSEEN = names("title script style template iframe noembed noframes select datalist textarea svg")
BLOCKS = names(
    "address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset figcaption "
    "figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html li main menu nav ol p pre section summary "
    "table tbody td tfoot th thead tr ul"
)
LINKS = {"a": "href", "area": "href", "frame": "src", "iframe": "src"}
PICTURES = names("img svg")
MEDIA = names("video embed object")
ABOUT = names("title meta link base")
COUNTED = PICTURES | MEDIA | {"time"}  # elements that tell what kind of page this is
PARTING = PICTURES | {"br"}  # a word ends there

PLAIN, BLOCK, SPECIAL, HIDDEN = 0, 1, 2, 3  # what the walk does about a tag: nothing inside a hidden one is read
KINDS = {
    **dict.fromkeys(BLOCKS, BLOCK),
    **dict.fromkeys(LINKS.keys() | COUNTED | ABOUT | {"br"}, SPECIAL),
    **dict.fromkeys(UNSEEN, HIDDEN),
}
