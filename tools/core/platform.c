/* What the core's library needs from systems and processors, and what code that Numba compiled refers to.
 *
 * The first part is called by compiled code of the engine (engine_core/runtime/portable_code.py) and by Python
 * (engine_core/runtime/core_library.py). The second stands in for Numba's own run time: memory for arrays, counted references, and
 * the ways to raise an error, which compiled code of the engine never takes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#if defined(_WIN32)
#include <windows.h>
#define EXPORT __declspec(dllexport)
#define INSIDE
#else
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>
#define EXPORT __attribute__((visibility("default")))
#define INSIDE __attribute__((visibility("hidden")))
#endif
#if defined(__linux__)
#include <limits.h>
#include <sys/syscall.h>
#elif defined(__APPLE__)
#include <mach/mach_time.h>
extern int __ulock_wait(uint32_t operation, void *address, uint64_t value, uint32_t microseconds);
extern int __ulock_wake(uint32_t operation, void *address, uint64_t value);
#endif
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

/* --- processors ---------------------------------------------------------------------------------------------------------------- */

/* Whether this processor, and the system that runs it, can execute the library: AVX2, FMA, BMI and wide registers on x86-64. */
EXPORT int scree_core_can_run(void) {
#if defined(__x86_64__)
  unsigned a, b, c, d, wide, unused;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return 0;
  const unsigned fma = 1u << 12, movbe = 1u << 22, osxsave = 1u << 27, avx = 1u << 28, f16c = 1u << 29;
  const unsigned needed = fma | movbe | osxsave | avx | f16c;
  if ((c & needed) != needed) return 0;
  __asm__ volatile("xgetbv" : "=a"(wide), "=d"(unused) : "c"(0));
  if ((wide & 6) != 6) return 0; /* the system does not save the wide registers */
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return 0;
  const unsigned bmi1 = 1u << 3, avx2 = 1u << 5, bmi2 = 1u << 8;
  if ((b & (bmi1 | avx2 | bmi2)) != (bmi1 | avx2 | bmi2)) return 0;
  if (!__get_cpuid(0x80000001u, &a, &b, &c, &d)) return 0;
  return (c & (1u << 5)) != 0; /* LZCNT */
#else
  return 1;
#endif
}

/* Tells the processor that this is a spin loop. */
INSIDE void scree_pause(void) {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* A counter that runs at a constant rate and is the same on all cores. */
INSIDE int64_t scree_cycles(void) {
#if defined(__x86_64__)
  return (int64_t)__builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  int64_t count;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
#else
  return (int64_t)clock();
#endif
}

#if defined(_WIN32)
typedef BOOL(WINAPI *WaitFunction)(volatile void *address, void *value, SIZE_T size, DWORD milliseconds);
typedef void(WINAPI *WakeFunction)(void *address);

/* A function of Windows 8 and later, by name: not every compiler brings the library to link with. */
static void *synchronising(const char *name) {
  HMODULE library = LoadLibraryA("api-ms-win-core-synch-l1-2-0.dll");
  return library ? (void *)(uintptr_t)GetProcAddress(library, name) : NULL;
}
#endif

/* --- threads ------------------------------------------------------------------------------------------------------------------- */

INSIDE void scree_give_way(void) {
#if defined(_WIN32)
  SwitchToThread();
#else
  sched_yield();
#endif
}

/* Sleeps while the word at `word` holds `value`; may return early. */
INSIDE void scree_wait_while(int64_t word, int32_t value) {
#if defined(_WIN32)
  static WaitFunction wait; /* found twice at worst: the same */
  if (!wait) wait = (WaitFunction)(uintptr_t)synchronising("WaitOnAddress");
  if (wait) wait((volatile void *)(uintptr_t)word, &value, 4, INFINITE);
  else SwitchToThread();
#elif defined(__linux__)
  syscall(SYS_futex, (uintptr_t)word, 128 /* wait, private */, (long)value, NULL, NULL, 0);
#elif defined(__APPLE__)
  __ulock_wait(1 /* compare and wait */, (void *)(uintptr_t)word, (uint32_t)value, 0);
#else
  (void)word, (void)value;
  sched_yield();
#endif
}

/* Wakes all threads that sleep on the word. */
INSIDE void scree_wake_all(int64_t word) {
#if defined(_WIN32)
  static WakeFunction wake;
  if (!wake) wake = (WakeFunction)(uintptr_t)synchronising("WakeByAddressAll");
  if (wake) wake((void *)(uintptr_t)word);
#elif defined(__linux__)
  syscall(SYS_futex, (uintptr_t)word, 129 /* wake, private */, INT_MAX, NULL, NULL, 0);
#elif defined(__APPLE__)
  __ulock_wake(0x101 /* wake all */, (void *)(uintptr_t)word, 0);
#else
  (void)word;
#endif
}

/* --- memory -------------------------------------------------------------------------------------------------------------------- */

#if defined(_WIN32)
#define COMMITTED_AT_ONCE (256 * 1024) /* [byte]: commits are rare, and a small pool takes little */

/* Reserved address space. Regions are used again and never freed: a thread may read the list while another one changes it. */
typedef struct Region {
  struct Region *next;
  volatile uintptr_t begin, end; /* begin is 0 while it is unused */
} Region;

static Region *volatile regions;
static volatile LONG is_handling, is_changing;

/* The region that an address lies in, or NULL. */
static Region *region_of(uintptr_t address) {
  for (Region *region = regions; region; region = region->next)
    if (region->begin && address >= region->begin && address < region->end) return region;
  return NULL;
}

/* Commits memory where a thread touched reserved address space, and lets it go on. The system's own functions do not come here:
 * one that is to write into memory that was never touched, such as ReadFile, fails. */
static LONG WINAPI commit_on_touch(EXCEPTION_POINTERS *exception) {
  EXCEPTION_RECORD *record = exception->ExceptionRecord;
  if (record->ExceptionCode != EXCEPTION_ACCESS_VIOLATION || record->NumberParameters < 2 || record->ExceptionInformation[0] > 1)
    return EXCEPTION_CONTINUE_SEARCH;
  uintptr_t touched = record->ExceptionInformation[1];
  Region *region = region_of(touched);
  if (!region) return EXCEPTION_CONTINUE_SEARCH;
  uintptr_t from = touched - (touched - region->begin) % COMMITTED_AT_ONCE, to = from + COMMITTED_AT_ONCE;
  if (to > region->end) to = region->end;
  if (VirtualAlloc((void *)from, to - from, MEM_COMMIT, PAGE_READWRITE)) return EXCEPTION_CONTINUE_EXECUTION;
  fprintf(stderr, "scree: the system has no memory left\n");
  return EXCEPTION_CONTINUE_SEARCH;
}

/* Adds a region to the list; returns 0 if there is no memory for that. */
static int add_region(uintptr_t begin, uintptr_t end) {
  while (InterlockedCompareExchange(&is_changing, 1, 0)) SwitchToThread();
  Region *region = regions;
  while (region && region->begin) region = region->next;
  if (!region && (region = calloc(1, sizeof *region))) region->next = regions, regions = region;
  if (region) region->end = end, region->begin = begin;
  InterlockedExchange(&is_changing, 0);
  return region != NULL;
}

/* Zeroed address space, in which memory is taken where it is touched; NULL if there is none. */
EXPORT void *scree_reserve(int64_t size) {
  void *memory = VirtualAlloc(NULL, (size_t)size, MEM_RESERVE, PAGE_READWRITE);
  if (!memory) return NULL;
  if (!InterlockedExchange(&is_handling, 1)) AddVectoredExceptionHandler(1, commit_on_touch);
  if (add_region((uintptr_t)memory, (uintptr_t)memory + (size_t)size)) return memory;
  VirtualFree(memory, 0, MEM_RELEASE);
  return NULL;
}

EXPORT void scree_release(void *memory) {
  Region *region = region_of((uintptr_t)memory);
  if (region) region->begin = 0;
  VirtualFree(memory, 0, MEM_RELEASE);
}
#else
/* Zeroed address space, in which memory is taken where it is touched; NULL if there is none. The first page holds the size. */
EXPORT void *scree_reserve(int64_t size) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (size_t)size + page;
  char *memory = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return NULL;
  *(size_t *)memory = whole;
  return memory + page;
}

EXPORT void scree_release(void *memory) {
  char *begin = (char *)memory - sysconf(_SC_PAGESIZE);
  munmap(begin, *(size_t *)begin);
}
#endif

/* Empties whole pages of reserved memory: they are zero when they are touched again. */
EXPORT void scree_give_back(int64_t address, int64_t size, int64_t unused) {
  (void)unused;
#if defined(_WIN32)
  VirtualFree((void *)(uintptr_t)address, (size_t)size, MEM_DECOMMIT);
#else
  const int flags = MAP_PRIVATE | MAP_ANON | MAP_NORESERVE | MAP_FIXED;
  mmap((void *)(uintptr_t)address, (size_t)size, PROT_READ | PROT_WRITE, flags, -1, 0);
#endif
}

/* --- Numba's run time ------------------------------------------------------------------------------------------------------------ */

/* The head of a block of memory, as Numba's code reads it. */
typedef struct {
  size_t references;
  void (*destructor)(void *, size_t, void *);
  void *destructor_data;
  void *data;
  size_t size;
  void *external_allocator;
} Block;

INSIDE void *NRT_MemInfo_alloc_aligned(size_t size, uint32_t alignment) {
  size_t padding = alignment ? alignment : 1;
  char *memory = malloc(sizeof(Block) + padding + size);
  if (!memory) return NULL;
  uintptr_t data = ((uintptr_t)(memory + sizeof(Block)) + padding - 1) / padding * padding;
  *(Block *)memory = (Block){1, NULL, NULL, (void *)data, size, NULL};
  return memory;
}

INSIDE void NRT_MemInfo_call_dtor(void *block) { free(block); }

INSIDE void NRT_incref(void *block) {
  if (block) __atomic_add_fetch(&((Block *)block)->references, 1, __ATOMIC_RELAXED);
}

INSIDE void NRT_decref(void *block) {
  if (block && __atomic_sub_fetch(&((Block *)block)->references, 1, __ATOMIC_ACQ_REL) == 0) free(block);
}

INSIDE void NRT_Free(void *memory) { free(memory); }

static void say(const char *what) { fprintf(stderr, "scree: compiled code raised an error (%s)\n", what); }

INSIDE void *PyExc_RuntimeError, *PyExc_StopIteration, *PyExc_SystemError;
INSIDE void numba_gil_ensure(int *state) { *state = 0; }
INSIDE void numba_gil_release(int *state) { (void)state; }
INSIDE void numba_do_raise(void *error) { (void)error, say("raise"); }
INSIDE void *numba_unpickle(const char *data, int size, const char *hash) { return (void)data, (void)size, (void)hash, NULL; }
INSIDE void *numba_runtime_build_excinfo_struct(void *a, void *b) { return (void)a, (void)b, NULL; }
INSIDE void *PyUnicode_FromString(const char *text) { return (void)text, NULL; }
INSIDE void *PyBytes_FromStringAndSize(const char *data, int64_t size) { return (void)data, (void)size, NULL; }
INSIDE void PyErr_WriteUnraisable(void *object) { (void)object; }
INSIDE void Py_DecRef(void *object) { (void)object; }
INSIDE void PyErr_Clear(void) {}
INSIDE void PyErr_SetString(void *kind, const char *text) { (void)kind, say(text); }
INSIDE void PyErr_SetNone(void *kind) { (void)kind, say("exception"); }
