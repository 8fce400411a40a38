#define _GNU_SOURCE
#include "Internal.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/*
 * A thread that finds modules which keep the main thread busy. It looks from time to time whether the main
 * thread is still in the same turn of its queue and in the same step; it waits without a timer while the main
 * thread has nothing to do.
 */

static pthread_t main_thread;
static unsigned limit; /* milliseconds; 0: nothing is watched */
static bool is_watching;
static char *const *command_line;
static const char *journal_path;
static bool ends_steps;
static _Atomic(const char *) phase;

/* Odd while the main thread is in a turn. */
static atomic_ullong turns;
static atomic_int is_parked;
static atomic_ullong named_turn;

/* MARK: - Turns */

static void futex(int operation, int value) {
    syscall(SYS_futex, &is_parked, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

void ccrash_turn_begin(void) {
    atomic_fetch_add(&turns, 1);
    if (atomic_load(&is_parked) && atomic_exchange(&is_parked, 0)) futex(FUTEX_WAKE, 1);
}

void ccrash_turn_end(void) {
    if (ccrash_is_copy) ccrash_end_copy();
    atomic_fetch_add(&turns, 1);
}

static bool is_busy(void) { return atomic_load(&turns) & 1; }

static void park(void) {
    atomic_store(&is_parked, 1);
    if (is_busy()) atomic_store(&is_parked, 0);
    else futex(FUTEX_WAIT, 1);
}

bool ccrash_has_named(void) { return atomic_load(&named_turn) == atomic_load(&turns) && is_busy(); }

/* MARK: - Executing anew */

enum { execution_limit = 8 };
static const char variable[] = "ATRIUM_EXECUTED_ANEW";

unsigned ccrash_times_executed(void) {
    static int times = -1;
    if (times < 0) {
        const char *text = getenv(variable);
        times = text ? atoi(text) : 0;
        if (text) unsetenv(variable); /* not for the programs that the host starts */
    }
    return (unsigned)times;
}

bool ccrash_will_execute_anew(void) {
    return command_line && ccrash_cause.in_start && !ccrash_state->is_supervised &&
           atomic_load(&ccrash_state->has_record) && ccrash_times_executed() < execution_limit;
}

void ccrash_execute_anew(void) {
    static char *environment[4096], count[64];
    size_t length = 0;
    if (!ccrash_will_execute_anew()) return;
    while (environ && environ[length] && length < sizeof environment / sizeof *environment - 2) {
        environment[length] = environ[length];
        length++;
    }
    /* Not snprintf: a signal handler may be here. */
    strcpy(count, variable);
    strcat(count, "=0");
    count[sizeof variable] = (char)('0' + ccrash_times_executed() + 1);
    environment[length] = count;
    ccrash_restore_outputs();
    execve("/proc/self/exe", command_line, environment);
}

/* MARK: - Naming */

static bool is_debugged(void) {
    char text[2048];
    int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length < 0 ? 0 : length] = 0;
    const char *tracer = strstr(text, "TracerPid:");
    return tracer && atoi(tracer + strlen("TracerPid:")) != 0;
}

/* Writes an event of the journal: its own writer, on the main thread, can't. */
static void add_event(const char *module, const char *subject, const char *detail) {
    char line[1024], moment[32], member[128] = "";
    time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(moment, sizeof moment, "%Y-%m-%dT%H:%M:%SZ", &parts);
    if (module) snprintf(member, sizeof member, "\"module\":\"%.100s\",", module);
    int length = snprintf(line, sizeof line,
                          "{\"time\":\"%s\",\"process\":%d,\"kind\":\"unresponsive\",%s\"detail\":\"%s %s.\"}\n",
                          moment, getpid(), member, subject, detail);
    int file = open(journal_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (file < 0) return;
    (void)!write(file, line, (size_t)length);
    close(file);
}

/* Names what keeps the main thread busy: a module, or else code that was typed after `command`. */
static void name(const char *module, const char *command, const struct ccrash_step *step) {
    char subject[128], detail[256], hint[160], line[1024];
    if (module) snprintf(subject, sizeof subject, "Module '%.100s'", module);
    else snprintf(subject, sizeof subject, "Code typed after '%.20s'", command);
    snprintf(detail, sizeof detail, "has kept the host busy for %u s%s%s", (limit + 999) / 1000,
             step ? " while " : "", step ? step->phrase : "");
    if (!ends_steps)
        snprintf(hint, sizeof hint, "Press Ctrl-C, and again after a second, to %s the host.",
                 ccrash_state->is_supervised ? "restart" : "end");
    else if (module) snprintf(hint, sizeof hint, "'atrium --without %.100s' runs without it.", module);
    else snprintf(hint, sizeof hint, "kill %d", getpid());
    int length = snprintf(line, sizeof line, "warning: %s %s.\n  hint: %s\n", subject, detail, hint);
    (void)!write(ccrash_output(STDERR_FILENO), line, (size_t)length);
    if (journal_path) add_event(module, module ? "It" : subject, detail);
}

/* Lets signals end the host even if a module ignores them, or blocks them on the main thread. */
static void take_end_signals(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        if (!ccrash_has_wanted_action(signals[i])) ccrash_restore_action(signals[i]);
        sigaddset(&set, signals[i]);
    }
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* Lets Ctrl-C be a signal while a line is edited: the main thread, which would read it as a key, is busy. */
static void let_terminal_signal(void) {
    struct termios mode;
    /* In the background it would stop the process. */
    if (tcgetpgrp(STDIN_FILENO) != getpgrp() || tcgetattr(STDIN_FILENO, &mode) != 0) return;
    if (mode.c_lflag & ISIG) return;
    mode.c_lflag |= ISIG;
    tcsetattr(STDIN_FILENO, TCSANOW, &mode);
}

/* The module of the command that began last; NULL if it has none. */
static const char *running_module(void) {
    static ccrash_activity running[ccrash_activity_limit];
    size_t count = ccrash_running(ccrash_state, running);
    return count > 0 && *running[count - 1].module ? running[count - 1].module : NULL;
}

/* The main thread has been in a turn for too long. */
static void act(void) {
    const struct ccrash_step *step = ccrash_newest_step();
    take_end_signals();
    int number = ccrash_probe(main_thread);
    const struct ccrash_image *image = number >= 0 ? ccrash_image_at(number) : NULL;
    if (image && image->is_typed && !ccrash_is_starting()) {
        let_terminal_signal();
        return name(NULL, image->name, NULL);
    }
    const char *running = number == ccrash_no_answer && !step ? running_module() : NULL;
    /* A step that awaits may be suspended, and the host itself be busy. */
    if (!image && !running && (!step || (step->is_waiting && number != ccrash_no_answer))) return;
    const char *module = image ? image->name : running ? running : step->module->name;
    if (step && strcmp(step->module->name, module) != 0) step = NULL;
    const char *present = atomic_load(&phase);
    if (!present && atomic_load(&ccrash_state->is_ending)) present = "the host shut down";
    bool ends = ends_steps && (step || present);
    if (!ccrash_is_starting() && !ends) {
        let_terminal_signal();
        return name(module, NULL, step);
    }
    ccrash_cause = (struct ccrash_cause){
        .step = step, .phase = step ? NULL : present, .seconds = (limit + 999) / 1000,
        .in_start = ccrash_is_starting()};
    ccrash_report_hang(main_thread, ccrash_is_starting() ? 0 : ccrash_exit_status);
}

void ccrash_watch_steps(void) { ends_steps = true; }

void ccrash_set_phase(const char *phrase) {
    atomic_store(&phase, phrase);
    if (phrase) ccrash_begin_watching();
}

static void *watch(void *unused) {
    unsigned long long turn = 0;
    unsigned step = 0, period = limit / 8 < 5 ? 5 : limit / 8 > 1000 ? 1000 : limit / 8, busy = 0;
    bool is_told = false;
    (void)unused;
    for (;;) {
        if (!is_busy()) {
            park();
            continue;
        }
        /* Counts looks, not time: a process that was stopped was not busy. */
        nanosleep(&(struct timespec){period / 1000, period % 1000 * 1000000L}, NULL);
        const struct ccrash_step *newest = ccrash_newest_step();
        unsigned began = newest ? atomic_load(&newest->began) : 0;
        unsigned long long now = atomic_load(&turns);
        if (now != turn || began != step) {
            turn = now;
            step = began;
            busy = 0;
            is_told = false;
            continue;
        }
        busy += period;
        if (busy < limit || is_told || !is_busy() || is_debugged()) continue;
        is_told = true;
        atomic_store(&named_turn, now);
        act();
    }
    return NULL;
}

/* MARK: - Beginning */

static void become_copy(void) {
    ccrash_is_copy = true;
}

void ccrash_watch(unsigned milliseconds, const char *journal, char *const *arguments) {
    main_thread = pthread_self();
    limit = milliseconds;
    journal_path = strdup(journal);
    command_line = arguments;
    ccrash_times_executed();
    pthread_atfork(NULL, NULL, become_copy);
}

void ccrash_begin_watching(void) {
    if (is_watching || limit == 0) return;
    is_watching = true;
    sigset_t all, mask;
    pthread_attr_t attributes;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask);
    pthread_attr_init(&attributes);
    static char stack[64 * 1024] __attribute__((aligned(64))); /* to map one would take as long as the rest */
    pthread_attr_setstack(&attributes, stack, sizeof stack);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_create(&thread, &attributes, watch, NULL);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
}
