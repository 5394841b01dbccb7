// An addon of the executable, which is loaded before anything else. Loading it does what the shell of bin/binnacle does, in a process that has begun already. It exports one function, which gives back the memory of an
// asset (an ArrayBuffer): its pages are read from the file again where they are needed. It needs no headers of Node.
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#ifdef __linux__
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif

#define TEXT_OF(text) #text
#define TEXT(text) TEXT_OF(text)
// Names of C++ as linkers know them: v8::Isolate::GetCurrent() and v8::Isolate::SetStackLimit(uintptr_t), which Node exports to addons.
#define SYMBOL(name) __asm__(TEXT(__USER_LABEL_PREFIX__) name)
extern void *current_isolate(void) SYMBOL("_ZN2v87Isolate10GetCurrentEv");
extern void set_stack_limit(void *isolate, uintptr_t lowest) SYMBOL("_ZN2v87Isolate13SetStackLimitEm");

// Of Node-API, whose functions return 0 where they succeed.
typedef void *(*callback)(void *env, void *info);
extern int napi_create_function(void *env, const char *name, size_t length, callback function, void *data, void **result);
extern int napi_get_cb_info(void *env, void *info, size_t *count, void **arguments, void **self, void **data);
extern int napi_get_arraybuffer_info(void *env, void *buffer, void **data, size_t *length);

#define NEEDED_STACK (8192UL * 1024)
#define V8_STACK (6500UL * 1024)

#ifdef __linux__
struct range {
  uintptr_t begin, end;
};

// Whether the range is a part of the program's file that nobody can have written to.
static int is_of_file(struct dl_phdr_info *program, size_t size, void *data) {
  (void)size;
  const struct range *range = data;
  for (int i = 0; i < program->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &program->dlpi_phdr[i];
    uintptr_t begin = program->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_LOAD && !(part->p_flags & PF_W) && begin <= range->begin && range->end <= begin + part->p_filesz) return 1;
  }
  return 0;
}
#endif

static void *release(void *env, void *info) {
#ifdef __linux__
  size_t count = 1, length;
  void *buffer, *data;
  if (napi_get_cb_info(env, info, &count, &buffer, NULL, NULL) != 0 || count == 0) return NULL;
  if (napi_get_arraybuffer_info(env, buffer, &data, &length) != 0) return NULL;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)data, end = begin + length;
  struct range range = {(begin + page - 1) & ~(page - 1), end & ~(page - 1)};
  if (range.begin < range.end && dl_iterate_phdr(is_of_file, &range)) madvise((void *)range.begin, range.end - range.begin, MADV_DONTNEED);
#else
  (void)env, (void)info;
#endif
  return NULL;
}

__attribute__((visibility("default"))) void *napi_register_module_v1(void *env, void *exports) {
  struct rlimit stack;
  if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur >= NEEDED_STACK)
    set_stack_limit(current_isolate(), (uintptr_t)__builtin_frame_address(0) - V8_STACK);
#ifdef __GLIBC__
  // glibc has read these variables where they are set.
  if (getenv("MALLOC_MMAP_THRESHOLD_") == NULL) mallopt(M_MMAP_THRESHOLD, 131072);
  if (getenv("MALLOC_ARENA_MAX") == NULL) mallopt(M_ARENA_MAX, 2);
#endif
  void *function;
  return napi_create_function(env, "release", SIZE_MAX, release, NULL, &function) == 0 ? function : exports;
}
