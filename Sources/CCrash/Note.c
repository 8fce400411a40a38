#define _GNU_SOURCE
#include "Internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/*
 * What the host does, in a file that is mapped: to note something is a few stores, and what is noted survives the
 * process however it ends. At a clean end, and when the process is asked to end from outside, the file says so and is
 * removed.
 */

static const char magic[16] = "atrium running 3";

struct note {
    char magic[sizeof magic];
    int32_t process;
    atomic_bool is_in_step;
    struct ccrash_note_step step;
    struct ccrash_state state;
};

static struct note *note;
static struct note former;
static char note_path[ccrash_path_size];
static struct stat note_identity;

/* MARK: - Noting */

int64_t ccrash_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME_COARSE, &time);
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static void set_text(char *out, const char *text, size_t size) {
    size_t length = strnlen(text, size - 1);
    memcpy(out, text, length);
    out[length] = 0;
}

void ccrash_note_slot(int number) {
    if (!note) return;
    struct ccrash_slot *from = &ccrash_state->slots[number], *to = &note->state.slots[number];
    to->is_command = from->is_command;
    to->since = from->since;
    set_text(to->text, from->text, sizeof to->text);
    set_text(to->scene, from->scene, sizeof to->scene);
    set_text(to->module, from->module, sizeof to->module);
    atomic_store_explicit(&to->began, atomic_load(&from->began), memory_order_release);
}

void ccrash_note_end_of_slot(int number) {
    if (note) atomic_store_explicit(&note->state.slots[number].began, 0, memory_order_release);
}

void ccrash_note_newest_step(void) {
    if (!note) return;
    const struct ccrash_step *step = ccrash_newest_step();
    atomic_store_explicit(&note->is_in_step, false, memory_order_release);
    if (!step) return;
    note->step.since = step->since;
    set_text(note->step.module, step->module->name, sizeof note->step.module);
    set_text(note->step.digest, step->module->digest, sizeof note->step.digest);
    set_text(note->step.phrase, step->phrase, sizeof note->step.phrase);
    atomic_store_explicit(&note->is_in_step, true, memory_order_release);
}

/* MARK: - The file */

static const int end_signals[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT};

bool ccrash_record_own_signal(int number, const void *information) {
    const siginfo_t *info = information;
    bool is_own = (info->si_code == SI_USER || info->si_code == SI_TKILL) && info->si_pid == getpid();
    if (is_own && !atomic_load(&ccrash_state->has_record))
        ccrash_record_end(number, 0, __builtin_frame_address(0));
    return is_own;
}

/* From outside it is a clean end; from this process itself an unexpected one. */
static void end_by_signal(int number, siginfo_t *info, void *context) {
    (void)context;
    if (!ccrash_record_own_signal(number, info)) ccrash_note_end();
    raise(number); /* it arrives, and ends the process, once this handler has returned */
}

bool ccrash_ends_process(int number) {
    struct sigaction action;
    if (number == SIGKILL) return true;
    if (sigaction(number, NULL, &action) != 0 || action.sa_handler == SIG_IGN) return false;
    /* A host that serves handles these, to end in order; SIGINT interrupts a command. */
    if (number == SIGTERM || number == SIGHUP) return true;
    bool is_handled = action.sa_handler != SIG_DFL && action.sa_sigaction != end_by_signal;
    return (number == SIGINT || number == SIGQUIT) && !is_handled;
}

static void watch_end_signals(void) {
    struct sigaction action = {.sa_sigaction = end_by_signal, .sa_flags = SA_SIGINFO | SA_RESETHAND | SA_ONSTACK};
    struct sigaction former_action;
    for (size_t i = 0; i < sizeof end_signals / sizeof *end_signals; i++)
        if (sigaction(end_signals[i], NULL, &former_action) == 0 && former_action.sa_handler == SIG_DFL)
            ccrash_set_action(end_signals[i], &action, NULL);
}

static void read_former(int file, ccrash_former *out) {
    static ccrash_activity activities[ccrash_activity_limit];
    if (pread(file, &former, sizeof former, 0) != sizeof former || memcmp(former.magic, magic, sizeof magic) != 0)
        return;
    for (int number = 0; number < ccrash_activity_limit; number++) {
        struct ccrash_slot *slot = &former.state.slots[number];
        slot->text[ccrash_text_size - 1] = slot->scene[ccrash_text_size - 1] = 0;
        slot->module[sizeof slot->module - 1] = 0;
    }
    struct ccrash_note_step *step = &former.step;
    step->module[sizeof step->module - 1] = step->digest[sizeof step->digest - 1] = 0;
    step->phrase[sizeof step->phrase - 1] = 0;
    out->process = former.process;
    out->step = former.is_in_step ? step : NULL;
    out->activities = activities;
    out->activity_count = (uint32_t)ccrash_running(&former.state, activities);
}

ccrash_former ccrash_note_begin(const char *path) {
    ccrash_former out = {0};
    struct stat status;
    if (strlen(path) >= sizeof note_path) return out;
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (file < 0) return out;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
        if (status.st_size == sizeof(struct note)) read_former(file, &out);
        /* The space is taken before: a store where there is none would be SIGBUS. */
        void *memory = MAP_FAILED;
        if (ftruncate(file, 0) == 0 && posix_fallocate(file, 0, sizeof(struct note)) == 0)
            memory = mmap(NULL, sizeof(struct note), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (memory == MAP_FAILED) {
            unlink(path);
        } else {
            strcpy(note_path, path);
            note_identity = status;
            note = memory;
            note->process = getpid();
            memcpy(note->magic, magic, sizeof magic);
            watch_end_signals();
        }
    }
    close(file);
    return out;
}

void ccrash_note_end(void) {
    struct stat status;
    if (!note || note->process != getpid()) return;
    note->process = 0; /* if the file can't be removed, the next host finds no end to report */
    /* Another host may have the folder by now, if this one's lock was taken from it. */
    if (lstat(note_path, &status) == 0 && status.st_ino == note_identity.st_ino &&
        status.st_dev == note_identity.st_dev)
        unlink(note_path);
    note = NULL;
}

bool ccrash_note_lost(const void *address) {
    if (!note || (const char *)address < (const char *)note || (const char *)address >= (const char *)(note + 1))
        return false;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    return mmap(note, sizeof(struct note), PROT_READ | PROT_WRITE, flags, -1, 0) != MAP_FAILED;
}
