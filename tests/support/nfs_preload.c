// Makes the directory NFS_PRELOAD_ROOT, and all files in it, behave like NFS in two ways:
// - A file that is removed while a process has it open is renamed to .nfsNNNN. It cannot be removed
//   under that name (EBUSY), and keeps its directory from being removed. Here every file counts as
//   open.
// - A new file is not visible at once. With NFS_PRELOAD_LATE_MS, run.json is missing for that time
//   after a process first tried to open it, and until the parent of the run directory is read
//   again.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int is_below_root(const char* path) {
  const char* root = getenv("NFS_PRELOAD_ROOT");
  return root != NULL && strncmp(path, root, strlen(root)) == 0;
}

static long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

EXPORT int unlinkat(int directory, const char* name, int flags) {
  char folder[PATH_MAX] = "", path[2 * PATH_MAX], to[2 * PATH_MAX + 64];
  if (name[0] != '/') {
    char link[64];
    snprintf(link, sizeof link, directory == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d",
             directory);
    if (readlink(link, folder, sizeof folder - 2) < 0) folder[0] = '\0';
    strcat(folder, "/");
  }
  snprintf(path, sizeof path, "%s%s", folder, name);
  if ((flags & AT_REMOVEDIR) || !is_below_root(path)) return NEXT(unlinkat)(directory, name, flags);
  struct stat status;
  if (lstat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    return -1;
  }
  char* last = strrchr(path, '/') + 1;
  if (strncmp(last, ".nfs", 4) == 0) {
    errno = EBUSY;
    return -1;
  }
  static unsigned count;
  snprintf(to, sizeof to, "%.*s.nfs%08x%08x", (int)(last - path), path, (unsigned)getpid(),
           ++count);
  return rename(path, to);
}

EXPORT int unlink(const char* path) { return unlinkat(AT_FDCWD, path, 0); }

EXPORT int remove(const char* path) {
  return unlink(path) == 0 ? 0 : errno == EISDIR ? rmdir(path) : -1;
}

static long first_check, last_read;

EXPORT DIR* opendir(const char* path) {
  if (is_below_root(path) && strstr(path, ".run") == NULL) last_read = now_ms();
  return NEXT(opendir)(path);
}

EXPORT int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
  va_end(more);
  if ((flags & O_DIRECTORY) != 0 && is_below_root(path) && strstr(path, ".run") == NULL)
    last_read = now_ms();
  const char* late = getenv("NFS_PRELOAD_LATE_MS");
  const size_t length = strlen(path);
  if (late != NULL && (flags & O_ACCMODE) == O_RDONLY && is_below_root(path) && length > 9 &&
      strcmp(path + length - 9, "/run.json") == 0) {
    if (first_check == 0) first_check = now_ms();
    if (now_ms() - first_check < atol(late) || last_read - first_check < atol(late)) {
      errno = ENOENT;
      return -1;
    }
  }
  return NEXT(open)(path, flags, mode);
}

EXPORT int statfs(const char* path, struct statfs* system) {
  const int code = NEXT(statfs)(path, system);
  if (code == 0 && is_below_root(path)) system->f_type = NFS_SUPER_MAGIC;
  return code;
}
