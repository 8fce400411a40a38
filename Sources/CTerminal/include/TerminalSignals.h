/* What has to happen inside signal handlers, where Swift code may not run. */
#ifndef TERMINAL_SIGNALS_H
#define TERMINAL_SIGNALS_H

#include <stdbool.h>

struct termios;

/*
 * Counts a signal instead of letting it act: returns a descriptor that is readable (8 bytes, an eventfd)
 * once the signal has arrived, or -1. The descriptor belongs to the signal and stays open. One watcher at a
 * time; terminal_signals_unwatch gives the signal its former disposition back.
 *
 * libdispatch's own signal sources keep the signal for good: once one is cancelled, Ctrl-C has no effect at
 * all any more.
 */
int terminal_signals_watch(int signal);
void terminal_signals_unwatch(int signal);

/*
 * Keeps `mode` as what descriptor `fd` is to be set to when the process ends or stops, and from the first
 * call on does so at exit; on SIGTERM, SIGHUP and SIGTSTP where their disposition is the default; and on
 * SIGQUIT and a crash, which then go to the handler there was before. A handler of SIGTERM calls
 * terminal_signals_restore().
 */
void terminal_signals_arm(int fd, const struct termios *mode);
/*
 * Stops the process group, so that a script around this process stops too. Where SIGTSTP is ignored, only
 * counts a SIGCONT, as if the process had continued.
 */
void terminal_signals_stop(void);
/* The terminal is in its normal mode again: nothing is left to restore. */
void terminal_signals_disarm(void);
/* Restores the terminal if it is armed. Async-signal-safe. */
void terminal_signals_restore(void);

#endif
