/* Stands in for Godot in tests of the loader: opens the library, starts it, goes through the levels, ends. */
#ifdef _WIN32
#include <windows.h>
#define dlopen(path, flags) ((void *)LoadLibraryA(path))
#define dlsym(library, name) ((void *)GetProcAddress((HMODULE)library, name))
#define dlerror() "LoadLibrary refused"
#else
#include <dlfcn.h>
#endif
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef void (*Function)(void);
typedef struct {
  int minimum_level;
  void *userdata;
  void (*initialize)(void *, int);
  void (*deinitialize)(void *, int);
} Initialization;

static void print_error(const char *text, const char *function, const char *file, int32_t line, uint8_t notify) {
  (void)function, (void)file, (void)line, (void)notify;
  printf("ERROR: %s\n", text);
}

static Function find(const char *name) { return strcmp(name, "print_error") ? NULL : (Function)print_error; }

int main(int count, char **words) {
  void *library = count > 1 ? dlopen(words[1], RTLD_NOW) : NULL;
  if (!library) return printf("no library: %s\n", dlerror()), 2;
  uint8_t (*start)(Function (*)(const char *), void *, Initialization *);
  *(void **)&start = dlsym(library, "scree_init");
  Initialization initialization = {-1, NULL, NULL, NULL};
  if (!start(find, (void *)0x10, &initialization)) return printf("it gave 0\n"), 3;
  if (!initialization.initialize || !initialization.deinitialize) return printf("no callbacks\n"), 4;
  for (int level = 0; level < 4; level++) initialization.initialize(initialization.userdata, level);
  for (int level = 3; level >= 0; level--) initialization.deinitialize(initialization.userdata, level);
  printf("whole, from level %d\n", initialization.minimum_level);
  return 0;
}
