#define _GNU_SOURCE
#include "Internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static struct ccrash_state own_state;
struct ccrash_state *ccrash_state = &own_state;

static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGSYS};

static pid_t owner;           /* a forked child writes no record */
static atomic_int recording;  /* the thread that writes the record */
static atomic_bool is_hanging;
static int hang_status;
struct ccrash_cause ccrash_cause;

/* MARK: - What is running */

static void set_text(char *out, const char *text) {
    size_t length = strnlen(text, ccrash_text_size - 1);
    memcpy(out, text, length);
    out[length] = 0;
}

int ccrash_begin(bool is_command, const char *text, const char *scene, const char *module) {
    for (int number = 0; number < ccrash_activity_limit; number++) {
        struct ccrash_slot *slot = &ccrash_state->slots[number];
        if (atomic_load(&slot->is_taken) || atomic_exchange(&slot->is_taken, true)) continue;
        slot->is_command = is_command;
        slot->since = ccrash_now();
        set_text(slot->text, text);
        set_text(slot->scene, scene);
        size_t length = strnlen(module, sizeof slot->module - 1);
        memcpy(slot->module, module, length);
        slot->module[length] = 0;
        atomic_store(&slot->began, atomic_fetch_add(&ccrash_state->begun, 1) + 1);
        ccrash_note_slot(number);
        return number;
    }
    return -1;
}

void ccrash_end(int number) {
    if (number < 0 || number >= ccrash_activity_limit) return;
    struct ccrash_slot *slot = &ccrash_state->slots[number];
    atomic_store(&slot->began, 0);
    ccrash_note_end_of_slot(number);
    atomic_store(&slot->is_taken, false);
}

size_t ccrash_running(struct ccrash_state *state, ccrash_activity activities[ccrash_activity_limit]) {
    unsigned last = 0;
    size_t count = 0;
    while (count < ccrash_activity_limit) {
        struct ccrash_slot *next = NULL;
        unsigned earliest = UINT_MAX;
        for (int number = 0; number < ccrash_activity_limit; number++) {
            unsigned began = atomic_load(&state->slots[number].began);
            if (began <= last || began >= earliest) continue;
            earliest = began;
            next = &state->slots[number];
        }
        if (!next) break;
        last = earliest;
        activities[count++] =
            (ccrash_activity){next->is_command, next->since, next->text, next->scene, next->module};
    }
    return count;
}

void ccrash_will_exit(void) {
    atomic_store(&ccrash_state->is_leaving, true);
    ccrash_start_end();
    ccrash_note_end();
}
void ccrash_set_leaving(void) { atomic_store(&ccrash_state->is_ending, true); }
void ccrash_set_ready(void) { atomic_store(&ccrash_state->is_ready, true); }

/* MARK: - Writing the record: one `key value` a line */

static struct {
    int descriptor;
    size_t length;
    char bytes[4096];
} output;

static void flush(void) {
    for (size_t written = 0; written < output.length;) {
        ssize_t count = write(output.descriptor, output.bytes + written, output.length - written);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        written += (size_t)count;
    }
    output.length = 0;
}

static void put_byte(char byte) {
    if (output.length == sizeof output.bytes) flush();
    output.bytes[output.length++] = byte;
}

static void put(const char *text) {
    while (*text) put_byte(*text++);
}

/* Foreign text, on one line. */
static void put_text(const char *text, size_t limit) {
    for (size_t i = 0; i < limit && text[i]; i++)
        put_byte((unsigned char)text[i] < ' ' || text[i] == 0x7F ? ' ' : text[i]);
}

static void put_number(uint64_t number, unsigned base) {
    char digits[24];
    size_t length = 0;
    do digits[length++] = "0123456789abcdef"[number % base];
    while ((number /= base) > 0);
    while (length > 0) put_byte(digits[--length]);
}

static void put_address(uint64_t address) {
    put("0x");
    put_number(address, 16);
}

static void put_integer(const char *key, int64_t number) {
    put(key);
    put(number < 0 ? " -" : " ");
    put_number(number < 0 ? -(uint64_t)number : (uint64_t)number, 10);
    put("\n");
}

static void put_line(const char *key, const char *text) {
    if (!*text) return;
    put(key);
    put(" ");
    put_text(text, ccrash_path_size);
    put("\n");
}

static void put_frame(const struct ccrash_frame *frame) {
    const struct ccrash_image *image = ccrash_image_at(frame->image);
    put(frame->kind);
    put(" ");
    put_address(frame->address);
    if (image) {
        put(" ");
        put_address(frame->address - image->bias);
        put(" ");
        put_number((uint64_t)frame->image, 10);
        put(" ");
        put(image->name);
    }
    put("\n");
}

/* `image NUMBER GENERATION DIGEST NAME PATH`; generation and digest are `-` if it is no module's. */
static void put_image(int number) {
    const struct ccrash_image *image = ccrash_image_at(number);
    put("image ");
    put_number((uint64_t)number, 10);
    put(" ");
    if (image->is_module) put_number(image->generation, 10);
    else put("-");
    put(" ");
    put(*image->digest ? image->digest : "-");
    put(" ");
    put(image->name);
    put(" ");
    put_text(image->path, ccrash_path_size);
    put("\n");
}

static void put_images(const struct ccrash_frame *frames, size_t count) {
    for (size_t i = 0; i < count; i++) {
        bool is_new = frames[i].image >= 0;
        for (size_t j = 0; j < i; j++) is_new = is_new && frames[j].image != frames[i].image;
        if (is_new) put_image(frames[i].image);
    }
}

static void put_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    put_integer("time", (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000);
}

/* ", while 'A' and 'B' in scene 'demo' ran"; what the host does by itself only if no command ran. */
static void put_activities(void) {
    ccrash_activity running[ccrash_activity_limit];
    size_t count = ccrash_running(ccrash_state, running), commands = 0;
    for (size_t i = 0; i < count; i++) {
        if (!running[i].is_command) continue;
        put(commands++ == 0 ? ", while '" : " and '");
        put_text(running[i].text, ccrash_text_size);
        put("'");
        if (!*running[i].scene) continue;
        put(" in scene '");
        put_text(running[i].scene, ccrash_text_size);
        put("'");
    }
    if (commands > 0) put(" ran");
    else if (count > 0) {
        put(", during ");
        put_text(running[0].text, ccrash_text_size);
    }
}

/* "within 10 s while it registered" */
static void put_cause(void) {
    if (ccrash_cause.seconds > 0) {
        put(" within ");
        put_number(ccrash_cause.seconds, 10);
        put(" s");
    }
    const char *phrase = ccrash_cause.step ? ccrash_cause.step->phrase : ccrash_cause.phase;
    if (phrase) {
        put(" while ");
        put(phrase);
    }
}

/* Tells the person in a line, unless a supervisor starts another host, which does. */
static void report(const char *kind, int signal, const struct ccrash_frame *frames, size_t count) {
    if (ccrash_state->is_supervised && *kind != 'f') return;
    output.descriptor = ccrash_output(STDERR_FILENO);
    put("error: ");
    const struct ccrash_image *module = NULL;
    for (size_t i = 0; i < count && !(module && module->is_module); i++)
        module = ccrash_image_at(frames[i].image);
    if (module && module->is_module) {
        put("Module '");
        put(module->name);
        put("' (generation ");
        put_number(module->generation, 10);
        put(")");
    } else if (ccrash_cause.step) {
        put("Module '");
        put(ccrash_cause.step->module->name);
        put("'");
    } else {
        put("The host");
    }
    if (*kind == 'e') put(" ended the process by calling exit");
    else if (*kind == 'f') {
        put(" copied the host's process with fork()");
        put_cause();
        put("; the copy was ended.\n");
        flush();
        return;
    } else if (*kind == 'h' && ccrash_cause.seconds > 0) {
        put(" did not finish");
        put_cause();
        if (ccrash_will_execute_anew()) {
            put("; the host starts again without it.\n");
            flush();
            return;
        }
    } else if (*kind == 'h') put(" did not respond and was stopped");
    else {
        put(" crashed by SIG");
        put(sigabbrev_np(signal));
    }
    put_activities();
    put(".\n  hint: 'events' shows the function after the next start.\n");
    flush();
}

static void write_record(const char *kind, const siginfo_t *info, int status, struct ccrash_registers *at) {
    static struct ccrash_frame frames[ccrash_frame_limit];
    int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    output.descriptor = open(ccrash_state->record_path, flags, 0600);
    size_t count = 0;
    if (output.descriptor < 0) return;
    const struct ccrash_step *step = ccrash_newest_step();
    ccrash_cause.in_start = ccrash_is_starting();
    if (!ccrash_cause.step && step && !step->is_waiting) ccrash_cause.step = step;
    put("crash 1\n");
    put_line("kind", kind);
    if (info) {
        put_integer("signal", info->si_signo);
        if (info->si_code > 0) {
            put("address ");
            put_address((uintptr_t)info->si_addr);
            put("\n");
        }
    } else {
        put_integer("status", status);
    }
    put_integer("pid", getpid());
    put_time();
    if (ccrash_cause.in_start) put("start\n");
    if (ccrash_cause.seconds > 0) put_integer("seconds", ccrash_cause.seconds);
    if (ccrash_cause.step) {
        put_line("step", ccrash_cause.step->phrase);
        put_line("module", ccrash_cause.step->module->name);
        put_line("digest", ccrash_cause.step->module->digest);
    } else if (ccrash_cause.phase) {
        put_line("phase", ccrash_cause.phase);
    }
    ccrash_activity running[ccrash_activity_limit];
    size_t running_count = ccrash_running(ccrash_state, running);
    for (size_t i = 0; i < running_count; i++) {
        put_line(running[i].is_command ? "command" : "activity", running[i].text);
        if (*running[i].scene) put_line("scene", running[i].scene);
    }
    flush(); /* walking the stack may fail */
    if (at) {
        if (at->sp) {
            put("stack ");
            put_address(at->sp);
            put("\n");
        }
        count = ccrash_walk(*at, frames);
        for (size_t i = 0; i < count; i++) put_frame(&frames[i]);
        put_images(frames, count);
    }
    put("end\n");
    flush();
    close(output.descriptor);
    if (*kind != 'f') atomic_store(&ccrash_state->has_record, true);
    report(kind, info ? info->si_signo : 0, frames, count);
}

void ccrash_write_copy_record(void) {
    struct ccrash_registers registers = {.fp = (uintptr_t)__builtin_frame_address(0)};
    output.length = 0;
    write_record("fork", NULL, 0, &registers);
}

/* MARK: - Signals */

static void end_by(int signal) __attribute__((noreturn));
static void end_by(int signal) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t set;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, NULL);
    sigemptyset(&set);
    sigaddset(&set, signal);
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    _exit(128 + signal); /* reached only by the first process of a container */
}

/* Whether this thread writes the record. Other threads wait for the end of the process. */
static bool claim(void) {
    int none = 0, thread = (int)syscall(SYS_gettid);
    if (atomic_compare_exchange_strong(&recording, &none, thread)) return true;
    if (none == thread) return false; /* crashed while it wrote the record */
    for (;;) pause();
}

static struct ccrash_registers registers_of(const ucontext_t *context) {
#if defined(__x86_64__)
    const greg_t *registers = context->uc_mcontext.gregs;
    return (struct ccrash_registers){
        .pc = (uintptr_t)registers[REG_RIP], .sp = (uintptr_t)registers[REG_RSP],
        .fp = (uintptr_t)registers[REG_RBP]};
#elif defined(__aarch64__)
    const mcontext_t *machine = &context->uc_mcontext;
    return (struct ccrash_registers){
        .pc = machine->pc, .sp = machine->sp, .fp = machine->regs[29], .lr = machine->regs[30]};
#endif
}

/* After a record of a hang was written. */
static void end_hang(void) __attribute__((noreturn));
static void end_hang(void) {
    if (hang_status > 128) end_by(hang_status - 128);
    if (hang_status != 0) _exit(hang_status);
    ccrash_execute_anew();
    end_by(SIGABRT);
}

static void handle(int signal, siginfo_t *info, void *context) {
    bool hangs = atomic_load(&is_hanging);
    if (signal == SIGBUS && getpid() == owner && ccrash_note_lost(info->si_addr)) return;
    if (getpid() == owner && claim()) {
        struct ccrash_registers registers = registers_of(context);
        /* A jump to address 0 has a program counter too. */
        if (registers.pc == 0) registers.pc = 1;
        ccrash_show_last_prints();
        write_record(hangs ? "hang" : "signal", info, 0, &registers);
        if (hangs) end_hang();
    }
    end_by(signal);
}

void ccrash_report_hang(pthread_t thread, int status) {
    struct timespec pause = {.tv_sec = 2};
    hang_status = status;
    atomic_store(&is_hanging, true);
    if (pthread_kill(thread, SIGABRT) == 0)
        while (nanosleep(&pause, &pause) != 0) continue;
    if (claim()) {
        siginfo_t info = {.si_signo = SIGABRT};
        write_record("hang", &info, 0, NULL);
    }
    end_hang();
}

/* The innermost module, or typed code, that the interrupted main thread runs code of. */
static atomic_int probed;

static void answer_probe(int signal, siginfo_t *info, void *context) {
    static struct ccrash_frame frames[ccrash_frame_limit];
    int error = errno, found = ccrash_no_module;
    (void)signal;
    (void)info;
    size_t count = ccrash_walk(registers_of(context), frames);
    for (size_t i = 0; i < count && found < 0; i++) {
        const struct ccrash_image *image = ccrash_image_at(frames[i].image);
        if (image && (image->is_module || image->is_typed)) found = frames[i].image;
    }
    atomic_store(&probed, found);
    errno = error;
}

int ccrash_probe(pthread_t thread) {
    /* A signal that is ignored by default: nothing happens if a module takes the handler away. */
    struct sigaction action = {.sa_sigaction = answer_probe, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    sigemptyset(&action.sa_mask);
    atomic_store(&probed, ccrash_no_answer);
    if (ccrash_set_action(SIGURG, &action, NULL) != 0 || pthread_kill(thread, SIGURG) != 0) return ccrash_no_answer;
    for (int i = 0; i < 100 && atomic_load(&probed) == ccrash_no_answer; i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    return atomic_load(&probed);
}

/* MARK: - exit() */

/* Runs on the thread that called exit(), outside of signal handlers. */
static void leave(int status, void *unused) {
    (void)unused;
    if (getpid() != owner || atomic_load(&ccrash_state->is_leaving) || !claim()) return;
    struct ccrash_registers registers = {.fp = (uintptr_t)__builtin_frame_address(0)};
    fflush(stdout);
    fflush(stderr);
    ccrash_show_last_prints();
    write_record("exit", NULL, status, &registers);
    _exit(ccrash_exit_status);
}

/* Runs on the thread that called quick_exit(). */
static void leave_quickly(void) {
    if (getpid() != owner || atomic_load(&ccrash_state->is_leaving)) return;
    ccrash_record_end(0, 0, __builtin_frame_address(0));
    _exit(ccrash_exit_status);
}

bool ccrash_is_installed(void) { return owner != 0 && owner == getpid(); }

void ccrash_record_end(int signal, int status, const void *frame) {
    if (getpid() != owner || !claim()) return;
    struct ccrash_registers registers = {.fp = (uintptr_t)frame};
    siginfo_t info = {.si_signo = signal};
    ccrash_show_last_prints();
    write_record(signal ? "signal" : "exit", signal ? &info : NULL, status, &registers);
}

/* MARK: - Installing */

/* A thread begins with the mask of the one that started it, which may block everything; so may this process. */
bool ccrash_unblock_crash_signals(void) {
    sigset_t handled;
    sigemptyset(&handled);
    for (size_t i = 0; i < sizeof crash_signals / sizeof *crash_signals; i++) sigaddset(&handled, crash_signals[i]);
    return pthread_sigmask(SIG_UNBLOCK, &handled, NULL) == 0;
}

static bool install_handlers(void) {
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < sizeof crash_signals / sizeof *crash_signals; i++)
        if (ccrash_set_action(crash_signals[i], &action, NULL) != 0) return false;
    return ccrash_unblock_crash_signals();
}

bool ccrash_install(const char *record_path) {
    if (strlen(record_path) >= ccrash_path_size) {
        errno = ENAMETOOLONG;
        return false;
    }
    strcpy(ccrash_state->record_path, record_path);
    if (owner == getpid()) return true;
    /* So that running out of stack on this thread, the main one, is recorded too. */
    static char memory[64 * 1024];
    stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
    if (sigaltstack(&stack, NULL) != 0) return false;
    ccrash_add_images();
    owner = getpid();
    atomic_store(&ccrash_state->is_installed, true);
    return install_handlers() && on_exit(leave, NULL) == 0 && at_quick_exit(leave_quickly) == 0;
}
