/* The native part of Scree: it starts CPython inside Godot and hands over to scree.godot.start. No physics here.
 *
 * It reads `scree_paths.cfg` beside its own file, or in the folder `scree` there (`key=value` lines: libpython, site_packages,
 * engine, python_version; a path that is not absolute is meant from that folder). A released addon brings a Python of its
 * own: the line `archive` names the zip with its standard library, NumPy and the engine; `site_packages` is then the folder
 * of the extension modules, lines `preload` name libraries that these need, and `parts` lines `part=SIZE NAME` all files: one
 * that is cut off would end the process as it is mapped, or as Python starts. So would an archive that is damaged inside:
 * the line `archive_sum` tells the sum of its words (tools/archive_sum.py).
 * Python is not started for a project that has chosen another engine, but in the editor, where this one can be chosen.
 * Whatever is missing or of the wrong version gives one clear error, and Godot goes on with its own physics engine.
 */
#ifdef _WIN32
#include <windows.h>
#else
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#endif
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#define SEPARATORS "/\\"
#define PATH_LIST ';'
#define STANDARD_LIBRARY "%s/Lib/os.py%.0s" /* the version is no part of it */
#else
#define EXPORT __attribute__((visibility("default")))
#define SEPARATORS "/"
#define PATH_LIST ':'
#define STANDARD_LIBRARY "%s/lib/python%s/os.py"
#endif
#define PATH_BYTES 4096
#define MOST_PRELOADED 8
#define STRING 4 /* of GDExtensionVariantType */
#define STRING_NAME 21
#define TAKES_STRING_GIVES_BOOL 3927539163LL /* the hash of OS.has_feature and ProjectSettings.has_setting since Godot 4.0 */
#define IS_EDITOR_HINT 36873697LL
#define GET_SETTING_WITH_OVERRIDE 2760726917LL
#define ENGINE_NAME "Scree Physics"

typedef void (*AnyFunction)(void);
typedef AnyFunction (*GetProcAddress_)(const char *name);
/* Functions of Godot's interface. A StringName and a String are one pointer each. */
typedef void (*MakeText)(void *text, const char *characters);
typedef void (*Destroy)(void *value);
typedef Destroy (*GetDestructor)(int type);
typedef int64_t (*ToUtf8)(const void *string, char *characters, int64_t size);
typedef struct {
  int minimum_level;
  void *userdata;
  void (*initialize)(void *userdata, int level);
  void (*deinitialize)(void *userdata, int level);
} Initialization;
typedef struct {
  char libpython[PATH_BYTES], site_packages[PATH_BYTES], engine[PATH_BYTES], archive[PATH_BYTES], archive_sum[32], python_version[32];
  char preload[MOST_PRELOADED][PATH_BYTES];
  int preloaded;
} Paths;

static GetProcAddress_ godot_function;
static char module_path[PATH_BYTES];
static int is_released; /* the addon brings its own Python */

EXPORT uint8_t scree_init(GetProcAddress_ get_proc_address, void *library, Initialization *initialization);

static void do_nothing(void *userdata, int level) {
  (void)userdata;
  (void)level;
}

static void destroy(int type, void *value) { ((GetDestructor)godot_function("variant_get_ptr_destructor"))(type)(value); }

/* Calls a method of a singleton of Godot, with one argument or none; 0 where that cannot be done. */
static int call_singleton(const char *class, const char *method, int64_t hash, const void *argument, void *result) {
  typedef void *(*GetMethod)(const void *, const void *, int64_t);
  typedef void *(*GetSingleton)(const void *);
  typedef void (*Call)(const void *, void *, const void *const *, void *);
  MakeText make_name = (MakeText)godot_function("string_name_new_with_utf8_chars");
  GetMethod get_method = (GetMethod)godot_function("classdb_get_method_bind");
  GetSingleton get_singleton = (GetSingleton)godot_function("global_get_singleton");
  Call call = (Call)godot_function("object_method_bind_ptrcall");
  if (!make_name || !get_method || !get_singleton || !call || !godot_function("variant_get_ptr_destructor")) return 0;
  void *class_name, *method_name;
  make_name(&class_name, class);
  make_name(&method_name, method);
  void *bind = get_method(&class_name, &method_name, hash), *object = get_singleton(&class_name);
  const void *arguments[] = {argument};
  if (bind && object) call(bind, object, arguments, result);
  destroy(STRING_NAME, &class_name);
  destroy(STRING_NAME, &method_name);
  return bind && object;
}

/* What a method of a singleton that takes one text says: 0 or 1, `unknown` where it cannot be asked. */
static int ask_about(const char *class, const char *method, const char *text, int unknown) {
  MakeText make_string = godot_function ? (MakeText)godot_function("string_new_with_utf8_chars") : NULL;
  if (!make_string || !godot_function("variant_get_ptr_destructor")) return unknown;
  void *string;
  uint8_t answer = 0;
  make_string(&string, text);
  int is_known = call_singleton(class, method, TAKES_STRING_GIVES_BOOL, &string, &answer);
  destroy(STRING, &string);
  return is_known ? answer : unknown;
}

/* Whether the running Godot has no editor inside, as in an exported game: such a build cannot describe its own API.
 * 0 also where that cannot be asked. */
static int is_exported_game(void) { return !ask_about("OS", "has_feature", "editor", 1); }

/* The physics engine that the project has chosen; empty where none is or it cannot be asked. */
static void read_chosen_engine(char *chosen, int64_t size) {
  typedef void (*Stringify)(const void *, void *);
  const char *setting = "physics/3d/physics_engine";
  uint64_t value[8] = {0}; /* a Variant, empty so far */
  void *name, *string = NULL;
  chosen[0] = 0;
  if (!ask_about("ProjectSettings", "has_setting", setting, 0)) return;
  Stringify stringify = (Stringify)godot_function("variant_stringify");
  ToUtf8 to_utf8 = (ToUtf8)godot_function("string_to_utf8_chars");
  Destroy destroy_variant = (Destroy)godot_function("variant_destroy");
  if (!stringify || !to_utf8 || !destroy_variant) return;
  ((MakeText)godot_function("string_name_new_with_utf8_chars"))(&name, setting);
  if (call_singleton("ProjectSettings", "get_setting_with_override", GET_SETTING_WITH_OVERRIDE, &name, value)) {
    stringify(value, &string);
    int64_t length = to_utf8(&string, chosen, size - 1);
    chosen[length > 0 && length < size ? length : 0] = 0;
    destroy(STRING, &string);
    destroy_variant(value);
  }
  destroy(STRING_NAME, &name);
}

/* Whether the project has chosen another physics engine and this is not the editor. 0 also where that cannot be asked. */
static int is_not_chosen(void) {
  char chosen[64];
  uint8_t is_editor = 1;
  if (!godot_function || !call_singleton("Engine", "is_editor_hint", IS_EDITOR_HINT, NULL, &is_editor) || is_editor) return 0;
  read_chosen_engine(chosen, sizeof chosen);
  return chosen[0] && strcmp(chosen, ENGINE_NAME);
}

/* How to mend what `fail` is about to say, where that is not the addon: a sentence. */
static const char *mend;

/* One error that says what is wrong and how to mend it; always gives 0. */
static int fail(const char *format, ...) {
  char what[PATH_BYTES * 2], line[PATH_BYTES * 3];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  const char *remedy = mend ? mend : is_exported_game() ? "Its developers export it anew with all parts of the addon."
    : is_released ? "To mend it, put the folder addons/scree of the release into the project again."
    : "To mend it, run `python3 tools/scree.py install PROJECT` in the checkout of Scree.";
  snprintf(line, sizeof line, is_exported_game() ? "scree: this game runs on Godot's default physics engine, not on Scree: %s. %s"
           : "scree: %s. %s Until then this project runs on Godot's default physics engine.", what, remedy);
  typedef void (*PrintError)(const char *, const char *, const char *, int32_t, uint8_t);
  PrintError print_error = godot_function ? (PrintError)godot_function("print_error") : NULL;
  if (print_error) print_error(line, "scree_init", "loader.c", 0, 1);
  else fprintf(stderr, "%s\n", line);
  return 0;
}

/* --- what differs between systems ------------------------------------------------------------------------------ */

static int find_own_path(void) {
#ifdef _WIN32
  HMODULE module;
  wchar_t wide[PATH_BYTES];
  if (!GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                          (LPCWSTR)(uintptr_t)&scree_init, &module)) return 0;
  if (!GetModuleFileNameW(module, wide, PATH_BYTES)) return 0;
  return WideCharToMultiByte(CP_UTF8, 0, wide, -1, module_path, PATH_BYTES, NULL, NULL) > 0;
#else
  Dl_info information;
  if (!dladdr((void *)(uintptr_t)&scree_init, &information) || !information.dli_fname) return 0;
  return realpath(information.dli_fname, module_path) != NULL;
#endif
}

static FILE *open_file(const char *path) {
#ifdef _WIN32
  wchar_t wide[PATH_BYTES];
  MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, PATH_BYTES);
  return _wfopen(wide, L"rb");
#else
  return fopen(path, "rb");
#endif
}

/* A Python that another add-on has started in this process, or NULL. */
static void *find_running_python(const char *libpython) {
#ifdef _WIN32
  const char *name = libpython;
  for (const char *c = libpython; *c; c++) if (strchr(SEPARATORS, *c)) name = c + 1;
  return (void *)GetModuleHandleA(name);
#else
  (void)libpython;
  void *process = dlopen(NULL, RTLD_NOW); /* all that is loaded globally */
  return process && dlsym(process, "Py_IsInitialized") ? process : NULL;
#endif
}

static void *open_library(const char *path) {
#ifdef _WIN32
  wchar_t wide[PATH_BYTES];
  MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, PATH_BYTES);
  return (void *)LoadLibraryExW(wide, NULL, LOAD_WITH_ALTERED_SEARCH_PATH);
#else
  return dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* global: NumPy's extension modules look for its symbols there */
#endif
}

static AnyFunction python_function(void *python, const char *name) {
#ifdef _WIN32
  return (AnyFunction)GetProcAddress((HMODULE)python, name);
#else
  return (AnyFunction)(uintptr_t)dlsym(python, name);
#endif
}

/* --- the paths -------------------------------------------------------------------------------------------------- */

/* The path of the library as Godot tells it, for systems that do not tell. */
static int ask_godot_for_own_path(void *library) {
  typedef void (*GetLibraryPath)(void *, void *);
  GetLibraryPath get_path = (GetLibraryPath)godot_function("get_library_path");
  ToUtf8 to_utf8 = (ToUtf8)godot_function("string_to_utf8_chars");
  if (!get_path || !to_utf8) return 0;
  void *string = NULL; /* a Godot String is one pointer; this one is never freed */
  get_path(library, &string);
  int64_t length = to_utf8(&string, module_path, PATH_BYTES - 1);
  if (length <= 0 || length >= PATH_BYTES) return 0;
  module_path[length] = 0;
  return 1;
}

static void read_value(const char *line, const char *key, char *value, size_t size) {
  size_t length = strlen(key);
  if (strncmp(line, key, length) || line[length] != '=') return;
  snprintf(value, size, "%s", line + length + 1);
  value[strcspn(value, "\r\n")] = 0;
}

/* Puts a folder before a path that is not absolute. */
static void complete(char *path, const char *folder) {
  char whole[PATH_BYTES * 2];
  if (!path[0] || strchr(SEPARATORS, path[0]) || path[1] == ':') return;
  snprintf(whole, sizeof whole, "%s%s", folder, path);
  snprintf(path, PATH_BYTES, "%.*s", PATH_BYTES - 1, whole);
}

/* Checks a part of a released addon, told as `SIZE NAME`. */
static int is_whole(const char *part, const char *folder) {
  static char path[PATH_BYTES * 2];
  char *name;
  long least = strtol(part, &name, 10), size = -1;
  snprintf(path, sizeof path, "%s%s", folder, name + strspn(name, " "));
  FILE *file = open_file(path);
  if (!file) return fail("%s is missing", path);
  if (!fseek(file, 0, SEEK_END)) size = ftell(file);
  fclose(file);
  return size >= least ? 1 : fail("%s is damaged: %ld of its %ld bytes are there", path, size, least);
}

/* Checks all parts that an open scree_paths.cfg names, and that it names as many as it says. */
static int has_all_parts(FILE *paths_file, const char *folder) {
  static char line[PATH_BYTES + 64], part[PATH_BYTES], count[16];
  int found = 0;
  rewind(paths_file);
  while (fgets(line, sizeof line, paths_file)) {
    part[0] = 0;
    read_value(line, "parts", count, sizeof count);
    read_value(line, "part", part, PATH_BYTES);
    if (part[0] && !is_whole(part, folder)) return 0;
    found += part[0] != 0;
  }
  return found >= atoi(count) ? 1 : fail("%sscree_paths.cfg is damaged", folder);
}

/* Checks that the archive has the sum that it was written with. */
static int is_unharmed(const char *archive, const char *told) {
  static uint64_t words[8192];
  uint64_t sum = 0xCBF29CE484222325;
  size_t count;
  FILE *file = open_file(archive);
  if (!file) return fail("%s is missing", archive);
  while ((count = fread(words, 1, sizeof words, file)) > 0) {
    memset((char *)words + count, 0, (8 - count % 8) % 8);
    for (size_t i = 0; i < (count + 7) / 8; i++) {
      sum = (sum ^ words[i]) * 0x9E3779B97F4A7C15;
      sum = sum << 31 | sum >> 33;
    }
  }
  fclose(file);
  return sum == strtoull(told, NULL, 16) ? 1 : fail("%s is damaged", archive);
}

static int read_paths(Paths *paths) {
  static char folder[PATH_BYTES + 16], name[PATH_BYTES + 48], beside[PATH_BYTES + 48], line[PATH_BYTES + 64];
  size_t length = 0;
  for (size_t i = 0; module_path[i]; i++) if (strchr(SEPARATORS, module_path[i])) length = i + 1;
  snprintf(folder, sizeof folder, "%.*s", (int)length, module_path);
  snprintf(beside, sizeof beside, "%sscree_paths.cfg", folder);
  FILE *file = open_file(beside);
  if (!file) {
    snprintf(folder, sizeof folder, "%.*sscree/", (int)length, module_path);
    snprintf(name, sizeof name, "%sscree_paths.cfg", folder);
    file = open_file(name);
  }
  if (!file) {
    /* A released addon has a folder for each system, as `linux.x86_64`, with its parts in `scree`; an installed one only `bin`. */
    for (size_t i = length > 1 ? length - 2 : 0; i > 0 && !strchr(SEPARATORS, module_path[i]); i--)
      if (module_path[i] == '.') is_released = 1;
    return fail("%s is missing, which says where Python is", is_exported_game() || is_released ? name : beside);
  }
  memset(paths, 0, sizeof *paths);
  while (fgets(line, sizeof line, file)) {
    read_value(line, "libpython", paths->libpython, PATH_BYTES);
    read_value(line, "site_packages", paths->site_packages, PATH_BYTES);
    read_value(line, "engine", paths->engine, PATH_BYTES);
    read_value(line, "archive", paths->archive, PATH_BYTES);
    read_value(line, "archive_sum", paths->archive_sum, sizeof paths->archive_sum);
    if (paths->preloaded < MOST_PRELOADED) {
      read_value(line, "preload", paths->preload[paths->preloaded], PATH_BYTES);
      if (paths->preload[paths->preloaded][0]) complete(paths->preload[paths->preloaded++], folder);
    }
    read_value(line, "python_version", paths->python_version, sizeof paths->python_version);
  }
  is_released = paths->archive[0] != 0;
  int is_all_there = has_all_parts(file, folder);
  fclose(file);
  if (!is_all_there) return 0;
  complete(paths->libpython, folder);
  complete(paths->site_packages, folder);
  complete(paths->engine, folder);
  complete(paths->archive, folder);
  if (paths->archive_sum[0] && !is_unharmed(paths->archive, paths->archive_sum)) return 0;
  const char *missing = !paths->libpython[0] ? "libpython" : !paths->site_packages[0] ? "site_packages"
                        : !paths->engine[0] ? "engine" : !paths->python_version[0] ? "python_version" : NULL;
  return missing ? fail("%sscree_paths.cfg has no line `%s=...`", folder, missing) : 1;
}

/* The folder above libpython that holds its standard library: without it, starting Python would end the process. */
static int find_home(const Paths *paths, char *home) {
  char candidate[PATH_BYTES * 2 + 64];
  snprintf(home, PATH_BYTES, "%s", paths->libpython);
  for (;;) {
    size_t end = 0;
    for (size_t i = 0; home[i]; i++) if (strchr(SEPARATORS, home[i])) end = i;
    home[end] = 0;
    if (!end) return fail("no standard library of Python %s above %s", paths->python_version, paths->libpython);
    snprintf(candidate, sizeof candidate, STANDARD_LIBRARY, home, paths->python_version);
    FILE *file = open_file(candidate);
    if (file) { fclose(file); return 1; }
  }
}

/* --- Python ------------------------------------------------------------------------------------------------------ */

static int has_version(void *python, const Paths *paths, const char *whose) {
  const char *(*get_version)(void) = (const char *(*)(void))python_function(python, "Py_GetVersion");
  const char *version = get_version ? get_version() : "unknown";
  size_t length = strlen(paths->python_version);
  if (!strncmp(version, paths->python_version, length) && (version[length] == '.' || version[length] == ' ')) return 1;
  return fail("%s is Python %.*s, but Scree was installed for Python %s", whose, (int)strcspn(version, " "), version,
              paths->python_version);
}

static int start_python(void *python, const Paths *paths) {
  static wchar_t home[PATH_BYTES * 2]; /* Python keeps the pointer */
  char narrow[PATH_BYTES * 2];
  void (*initialize)(int) = (void (*)(int))python_function(python, "Py_InitializeEx");
  wchar_t *(*decode)(const char *, size_t *) = (wchar_t *(*)(const char *, size_t *))python_function(python, "Py_DecodeLocale");
  /* A released addon names all places itself: no home is looked for. */
  const char *set_name = paths->archive[0] ? "Py_SetPath" : "Py_SetPythonHome";
  void (*set_home)(const wchar_t *) = (void (*)(const wchar_t *))python_function(python, set_name);
  if (!initialize || !decode || !set_home) return fail("%s is no usable libpython", paths->libpython);
  if (paths->archive[0]) {
    FILE *file = open_file(paths->archive);
    if (!file) return fail("%s is missing", paths->archive);
    fclose(file);
    if (strchr(paths->archive + 2, PATH_LIST)) {
      mend = PATH_LIST == ':' ? "Move it to a folder without `:`." : "Move it to a folder without `;`.";
      return fail("Python cannot be started from a folder with `%c` in its name: %s", PATH_LIST, paths->archive);
    }
    snprintf(narrow, sizeof narrow, "%s%c%s", paths->archive, PATH_LIST, paths->site_packages);
  } else if (!find_home(paths, narrow)) return 0;
#ifdef _WIN32
  MultiByteToWideChar(CP_UTF8, 0, narrow, -1, home, PATH_BYTES * 2);
#else
  wchar_t *wide = decode(narrow, NULL);
  if (!wide) return fail("%s cannot be read as text in this locale", narrow);
  wcsncpy(home, wide, PATH_BYTES * 2 - 1);
#endif
  /* The last three of a released addon alone: its Python needs no `site`, and writes nothing into the game's folder. */
  const char *flags[] = {"Py_IgnoreEnvironmentFlag", "Py_NoUserSiteDirectory", "Py_NoSiteFlag", "Py_DontWriteBytecodeFlag",
                         "Py_UTF8Mode"};
  for (size_t i = 0; i < (paths->archive[0] ? sizeof flags / sizeof *flags : 2); i++) {
    int *flag = (int *)(uintptr_t)python_function(python, flags[i]);
    if (flag) *flag = 1;
  }
  set_home(home);
  initialize(0); /* 0: Python handles no signals, but for what importing `signal` does, see `run_engine` */
  return 1;
}

/* A Python expression for a path: bytes as hexadecimal digits need no quoting. */
static const char *quoted(const char *path, char *text) {
  char *end = text + sprintf(text, "bytes.fromhex('");
  for (; *path; path++) end += sprintf(end, "%02x", (unsigned char)*path);
  sprintf(end, "').decode()");
  return text;
}

static int run_engine(void *python, int is_guest, const Paths *paths, void *library, Initialization *initialization) {
  static char code[PATH_BYTES * 8], site_packages[PATH_BYTES * 2 + 64], engine[PATH_BYTES * 2 + 64];
  int (*run)(const char *) = (int (*)(const char *))python_function(python, "PyRun_SimpleString");
  void *(*add_module)(const char *) = (void *(*)(const char *))python_function(python, "PyImport_AddModule");
  void *(*get)(void *, const char *) = (void *(*)(void *, const char *))python_function(python, "PyObject_GetAttrString");
  const char *(*text)(void *) = (const char *(*)(void *))python_function(python, "PyUnicode_AsUTF8");
  if (!run || !add_module || !get || !text) return fail("%s is no usable libpython", paths->libpython);
  snprintf(code, sizeof code,
           "scree_failure = ''\n"
           "try:\n"
           "    import _signal, gc, io, os, sys\n"
           "    if not %d: gc.disable()\n" /* until scree.godot.start has finished: it would look at all that is imported, often */
           "    if not %d and _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:\n"
           "        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)\n" /* Control-C ends Godot, as without Python */
           "    for name in ('stdout', 'stderr'):\n"
           "        if getattr(sys, name) is None: setattr(sys, name, open(os.devnull, 'w'))\n"
           "    engine, packages = %s, %s\n"
           "    if packages not in sys.path: sys.path[:0] = [packages]\n"
           "    if %d:\n"
           "        if engine not in sys.path: sys.path[:0] = [engine]\n"
           "        import scree_modules\n"
           "        scree_modules.find_in(engine, packages, %d)\n"
           "    else:\n"
           "        import importlib.util\n"
           "        spec = importlib.util.spec_from_file_location('scree', os.path.join(engine, '__init__.py'),\n"
           "                                                      submodule_search_locations=[engine])\n"
           "        if not os.path.isfile(spec.origin): raise RuntimeError('no engine lies in ' + engine)\n"
           "        sys.modules['scree'] = importlib.util.module_from_spec(spec)\n"
           "        spec.loader.exec_module(sys.modules['scree'])\n"
           "    import scree.godot.start\n"
           "    scree.godot.start.initialize(%llu, %llu, %llu, %s)\n"
           "except BaseException as error:\n"
           "    scree_failure = (str(error) or type(error).__name__).replace('\\n', ' ')\n"
           "    if not isinstance(error, RuntimeError): scree_failure = type(error).__name__ + ': ' + scree_failure\n",
           is_guest, is_guest, quoted(paths->engine, engine), quoted(paths->site_packages, site_packages), is_released,
           is_guest, (unsigned long long)(uintptr_t)godot_function, (unsigned long long)(uintptr_t)library,
           (unsigned long long)(uintptr_t)initialization, is_exported_game() ? "True" : "False");
  if (run(code)) return fail("the Python in %s does not run", paths->libpython);
  void *failure = get(add_module("__main__"), "scree_failure");
  const char *message = failure ? text(failure) : "its start left no word";
  return message && message[0] ? fail("%s", message) : 1;
}

static int start(void *library, Initialization *initialization) {
  static Paths paths; /* too large for the stack of a thread */
  if (is_not_chosen()) return 0;
  if (!find_own_path() && !ask_godot_for_own_path(library)) return fail("the loader cannot tell where it lies");
  if (!read_paths(&paths)) return 0;
  void *python = find_running_python(paths.libpython);
  int (*is_initialized)(void) = python ? (int (*)(void))python_function(python, "Py_IsInitialized") : NULL;
  int is_guest = is_initialized && is_initialized();
  for (int i = 0; i < paths.preloaded; i++)
    if (!open_library(paths.preload[i])) return fail("%s cannot be loaded", paths.preload[i]);
  if (!is_guest && !(python = open_library(paths.libpython))) return fail("%s cannot be loaded", paths.libpython);
  if (!has_version(python, &paths, is_guest ? "the Python that already runs in this process" : paths.libpython)) return 0;

  int (*ensure)(void) = (int (*)(void))python_function(python, "PyGILState_Ensure");
  void (*release)(int) = (void (*)(int))python_function(python, "PyGILState_Release");
  void *(*save_thread)(void) = (void *(*)(void))python_function(python, "PyEval_SaveThread");
  if (!ensure || !release || !save_thread) return fail("%s is no usable libpython", paths.libpython);
  int state = 0;
  if (is_guest) state = ensure();
  else if (!start_python(python, &paths)) return 0;
  int is_running = run_engine(python, is_guest, &paths, library, initialization);
  if (is_guest) release(state);
  else save_thread(); /* the interpreter lock is free from here on; callbacks take it for themselves */
  return is_running;
}

/* The entry symbol. Always 1: after a failure Godot goes on with an extension that does nothing. */
EXPORT uint8_t scree_init(GetProcAddress_ get_proc_address, void *library, Initialization *initialization) {
  godot_function = get_proc_address;
  Initialization nothing = {1, NULL, do_nothing, do_nothing};
  *initialization = nothing;
  if (!start(library, initialization)) *initialization = nothing;
  return 1;
}
