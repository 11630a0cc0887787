/* Notes every change to the files under a folder, in the order in which they happen, in all processes of a program.
 *
 * Preloaded (LD_PRELOAD) with POWER_CUT_ROOT, the folder, and POWER_CUT_LOG, the file to note them in. A record is a head
 * and two byte strings. Syncs are noted when they have returned: only then is anything safe. The shared memory of SQLite
 * (-shm) is left out, for it does not survive a power cut in any case.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define MOST 4096 /* descriptors */

struct head {
    uint64_t file; /* its inode */
    int64_t where; /* offset, or length */
    uint32_t first, second;
    uint32_t kind;
    uint32_t pad;
};

static const char *root;
static int note_file = -1;
static char *paths[MOST];
static char folders[MOST], appending[MOST];

#define REAL(type, name, ...) static type (*real)(__VA_ARGS__); if (!real) real = dlsym(RTLD_NEXT, name)

__attribute__((constructor)) static void begin(void) {
    const char *log = getenv("POWER_CUT_LOG");
    root = getenv("POWER_CUT_ROOT");
    REAL(int, "open64", const char *, int, ...);
    if (log && root) {
        int fd = real(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
        note_file = fcntl(fd, F_DUPFD_CLOEXEC, 1000);
        close(fd);
    }
}

static int inside(const char *path) {
    size_t size = root ? strlen(root) : 0, length = strlen(path);
    if (note_file < 0 || strncmp(path, root, size) || (path[size] && path[size] != '/')) return 0;
    return length < 4 || strcmp(path + length - 4, "-shm");
}

static void note(char kind, uint64_t file, int64_t where, const void *first, size_t n, const void *second, size_t m) {
    struct head head = {file, where, (uint32_t)n, (uint32_t)m, (uint32_t)kind, 0};
    struct iovec parts[] = {{&head, sizeof head}, {(void *)first, n}, {(void *)second, m}};
    if (writev(note_file, parts, 3) < 0) abort();
}

static uint64_t inode(int fd, int64_t *size) {
    struct stat found;
    if (fstat(fd, &found)) abort();
    if (size) *size = found.st_size;
    return found.st_ino;
}

static int known(int fd) { return fd >= 0 && fd < MOST && paths[fd]; }

static int opened(int fd, const char *path, int flags, int is_new) {
    if (fd < 0 || fd >= MOST || !inside(path)) return fd;
    struct stat found;
    fstat(fd, &found);
    paths[fd] = strdup(path);
    folders[fd] = S_ISDIR(found.st_mode);
    appending[fd] = !!(flags & O_APPEND);
    if (is_new) note('C', found.st_ino, 0, path, strlen(path), "", 0);
    else if (flags & O_TRUNC) note('T', found.st_ino, 0, "", 0, "", 0);
    return fd;
}

#define OPEN(name)                                                          \
    int name(const char *path, int flags, ...) {                            \
        REAL(int, #name, const char *, int, ...);                           \
        va_list rest;                                                       \
        va_start(rest, flags);                                              \
        int mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, int) : 0; \
        va_end(rest);                                                       \
        int is_new = flags & O_CREAT && access(path, F_OK);                 \
        return opened(real(path, flags, mode), path, flags, is_new);        \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                        \
    int name(int at, const char *path, int flags, ...) {                    \
        REAL(int, #name, int, const char *, int, ...);                      \
        va_list rest;                                                       \
        va_start(rest, flags);                                              \
        int mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, int) : 0; \
        va_end(rest);                                                       \
        int is_new = flags & O_CREAT && path[0] == '/' && access(path, F_OK); \
        return opened(real(at, path, flags, mode), path, flags, is_new);    \
    }
OPENAT(openat)
OPENAT(openat64)

int close(int fd) {
    REAL(int, "close", int);
    if (known(fd)) {
        free(paths[fd]);
        paths[fd] = NULL;
    }
    return real(fd);
}

ssize_t write(int fd, const void *data, size_t size) {
    REAL(ssize_t, "write", int, const void *, size_t);
    if (!known(fd)) return real(fd, data, size);
    int64_t end;
    uint64_t file = inode(fd, &end);
    int64_t where = appending[fd] ? end : lseek(fd, 0, SEEK_CUR);
    ssize_t done = real(fd, data, size);
    if (done > 0) note('W', file, where, data, (size_t)done, "", 0);
    return done;
}

#define PWRITE(name, kind)                                                       \
    ssize_t name(int fd, const void *data, size_t size, kind where) {            \
        REAL(ssize_t, #name, int, const void *, size_t, kind);                   \
        ssize_t done = real(fd, data, size, where);                              \
        if (known(fd) && done > 0) note('W', inode(fd, NULL), where, data, (size_t)done, "", 0); \
        return done;                                                             \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define TRUNCATE(name, kind)                                               \
    int name(int fd, kind size) {                                          \
        REAL(int, #name, int, kind);                                       \
        int failed = real(fd, size);                                       \
        if (known(fd) && !failed) note('T', inode(fd, NULL), size, "", 0, "", 0); \
        return failed;                                                     \
    }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

#define SYNC(name)                                                        \
    int name(int fd) {                                                    \
        REAL(int, #name, int);                                            \
        int failed = real(fd);                                            \
        if (known(fd) && !failed) {                                       \
            if (folders[fd]) note('D', 0, 0, paths[fd], strlen(paths[fd]), "", 0); \
            else note('S', inode(fd, NULL), 0, "", 0, "", 0);             \
        }                                                                 \
        return failed;                                                    \
    }
SYNC(fsync)
SYNC(fdatasync)

int rename(const char *from, const char *to) {
    REAL(int, "rename", const char *, const char *);
    int failed = real(from, to);
    if (!failed && inside(from)) note('R', 0, 0, from, strlen(from), to, strlen(to));
    return failed;
}

int unlink(const char *path) {
    REAL(int, "unlink", const char *);
    int failed = real(path);
    if (!failed && inside(path)) note('U', 0, 0, path, strlen(path), "", 0);
    return failed;
}

int mkdir(const char *path, mode_t mode) {
    REAL(int, "mkdir", const char *, mode_t);
    int failed = real(path, mode);
    if (!failed && inside(path)) note('M', 0, 0, path, strlen(path), "", 0);
    return failed;
}
