/*
 * What the system gives a process. In C, because Glibc's module has no malloc.h.
 */
#ifndef PROCESSLIMITS_H
#define PROCESSLIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A limit of the process as it counts now; below 0 if there is none. */
intptr_t process_limits_files(void);
intptr_t process_limits_threads(void);
intptr_t process_limits_addresses(void);

/* Raises the limit of open files to `wanted`, as far as the system lets the process do so itself. */
void process_limits_raise_files(intptr_t wanted);

/* The number of free descriptors, counted up to `count` (64 at most). Standard input must be open. */
int process_limits_free_files(int count);

/* Lowers the soft limit of open files below the hard one, as a reserve that the process can use for a moment. */
void process_limits_keep_reserve(void);

/* Whether so many threads more can be started at a time, or so many bytes more be mapped. */
bool process_limits_has_threads(int count);
bool process_limits_has_addresses(size_t bytes);

/* Has threads and their memory take few addresses; before there is a second thread. */
void process_limits_spare_addresses(void);

#ifdef __cplusplus
}
#endif

#endif
