/* Ranks that wait sleep a little instead of spinning: preloaded in tests, which start more ranks than
   there are cores. Waiting is sched_yield in Open MPI (with mpi_yield_when_idle) and the progress of
   UCX in MPICH. And ranks that die: rank FARO_DIE_RANK kills itself before its FARO_DIE_AT-th write to
   a place of a file, or sync of one. With FARO_PEAK=FILE rank r leaves the most memory that it held,
   in KiB, in FILE.r. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void sleep_a_little(void) {
  const struct timespec time = {0, 20000};
  nanosleep(&time, NULL);
}

int sched_yield(void);
int sched_yield(void) {
  sleep_a_little();
  return 0;
}

typedef unsigned progress(void*);

unsigned ucp_worker_progress(void* worker);
unsigned ucp_worker_progress(void* worker) {
  static progress* next = NULL;
  static int idle = 0;
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "ucp_worker_progress");
  const unsigned done = next(worker);
  idle = done == 0 ? idle + 1 : 0;
  if (idle >= 100) {
    idle = 0;
    sleep_a_little();
  }
  return done;
}

static int number_from(const char* name) {
  const char* text = getenv(name);
  return text == NULL ? -1 : atoi(text);
}

static int rank_here(void) {
  const int openmpi = number_from("OMPI_COMM_WORLD_RANK");
  return openmpi >= 0 ? openmpi : number_from("PMI_RANK");
}

static void tell_peak(void) __attribute__((destructor));
static void tell_peak(void) {
  char name[4096], line[256];
  const char* peak = getenv("FARO_PEAK");
  FILE *status, *out;
  if (peak == NULL || rank_here() < 0) return;
  snprintf(name, sizeof name, "%s.%d", peak, rank_here());
  status = fopen("/proc/self/status", "r");
  out = fopen(name, "w");
  while (status != NULL && out != NULL && fgets(line, sizeof line, status) != NULL) {
    if (strncmp(line, "VmHWM:", 6) == 0) fprintf(out, "%d\n", atoi(line + 6));
  }
  if (status != NULL) fclose(status);
  if (out != NULL) fclose(out);
}

static void die_if_it_is_time(void) {
  static int calls = 0;
  const int rank = rank_here();
  if (rank >= 0 && rank == number_from("FARO_DIE_RANK") &&
      __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST) == number_from("FARO_DIE_AT"))
    raise(SIGKILL);
}

ssize_t pwrite(int file, const void* data, size_t count, off_t at) {
  static ssize_t (*next)(int, const void*, size_t, off_t) = NULL;
  die_if_it_is_time();
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "pwrite");
  return next(file, data, count, at);
}

int fdatasync(int file) {
  static int (*next)(int) = NULL;
  die_if_it_is_time();
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "fdatasync");
  return next(file);
}

int fsync(int file) {
  static int (*next)(int) = NULL;
  die_if_it_is_time();
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "fsync");
  return next(file);
}
