#define _GNU_SOURCE
#include "CEditline.h"

#include <dlfcn.h>
#include <errno.h>
#include <histedit.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

/*
 * The library is opened when the first editor is created, not linked. Linked, libedit with libtinfo, libbsd
 * and libmd costs every start of a Swift program 1.0 ms (an empty one 2.9 -> 3.9 ms, perf stat -r 300),
 * which a script would pay for nothing; opened here it costs 0.4 ms, once.
 */
#define EACH_FUNCTION(F)                                                                 \
    F(el_init_fd) F(el_end) F(el_set) F(el_wgets) F(el_line) F(el_wline) F(el_insertstr) \
    F(el_deletestr) F(el_cursor) F(el_resize) F(el_beep) F(history_init) F(history)

static struct {
    bool is_loaded;
#define DECLARE(name) __typeof__(&name) name;
    EACH_FUNCTION(DECLARE)
#undef DECLARE
} lib;

/* Longest key in characters: an escape sequence or a prefix with what follows it. */
enum { queue_capacity = 64 };

static EditLine *editor;
static FILE *screen; /* never closed: its descriptor is the host's */
static History *lines;
static char *prompt;
static wchar_t queue[queue_capacity];
static size_t queue_start, queue_end;

/* MARK: - Loading */

static const char *load_library(void) {
    static const char *const names[] = {"libedit.so.2", "libedit.so.0", "libedit.so"};
    void *handle = NULL;

    if (lib.is_loaded) return NULL;
    for (size_t i = 0; !handle && i < sizeof names / sizeof *names; i++)
        handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!handle) return "cannot open libedit.so.2";
#define RESOLVE(name)                                           \
    lib.name = (__typeof__(&name))(void *)dlsym(handle, #name); \
    if (!lib.name) return "libedit has no function: " #name;
    EACH_FUNCTION(RESOLVE)
#undef RESOLVE
    lib.is_loaded = true;
    return NULL;
}

/* MARK: - Callbacks of libedit */

static char *current_prompt(EditLine *editline) {
    (void)editline;
    return prompt ? prompt : (char *)"";
}

/* Takes from the queue only: an empty queue ends el_wgets, which would otherwise block the main thread. */
static int next_character(EditLine *editline, wchar_t *character) {
    (void)editline;
    if (queue_start == queue_end) {
        errno = EAGAIN;
        return -1;
    }
    *character = queue[queue_start++];
    return 1;
}

static unsigned char request_refresh(EditLine *editline, int character) {
    (void)editline, (void)character;
    return CC_REFRESH;
}

/* MARK: - Life */

/* mbrtowc and wcwidth, on which libedit rests, know UTF-8 only in such a locale; in "C" it crashes. */
static const char *const locales[] = {"C.UTF-8", "C.utf8", "en_US.UTF-8"};
enum { locale_count = sizeof locales / sizeof *locales };

static const char *set_locale(void) {
    for (size_t i = 0; i < locale_count; i++)
        if (setlocale(LC_CTYPE, locales[i])) return NULL;
    return "there is no UTF-8 locale";
}

/* ^_ is how ceditline_refresh reaches the drawing code; typed, it does no more than that. */
static const char refresh_key = 0x1f;

/* The sequences are those that LineEditor lets through, besides the arrow keys. */
static void bind_keys(void) {
    static const char *const bindings[][2] = {
        {"^_", "atrium-refresh"},        {"^D", "ed-delete-next-char"},
        {"^W", "ed-delete-prev-word"},   {"^U", "vi-kill-line-prev"},
        {"\\e[1~", "ed-move-to-beg"},    {"\\e[4~", "ed-move-to-end"},
        {"\\e[7~", "ed-move-to-beg"},    {"\\e[8~", "ed-move-to-end"},
        {"\\e[H", "ed-move-to-beg"},     {"\\e[F", "ed-move-to-end"},
        {"\\eOH", "ed-move-to-beg"},     {"\\eOF", "ed-move-to-end"},
        {"\\e[3~", "ed-delete-next-char"}, {"\\e[2~", "em-toggle-overwrite"},
        {"\\e[1;5C", "em-next-word"},    {"\\e[1;5D", "ed-prev-word"},
        {"\\e[1;3C", "em-next-word"},    {"\\e[1;3D", "ed-prev-word"},
        {"\\e[5C", "em-next-word"},      {"\\e[5D", "ed-prev-word"},
        {"\\e\\e[C", "em-next-word"},    {"\\e\\e[D", "ed-prev-word"},
        /* By default they read more keys by themselves, which next_character refuses. */
        {"\\ex", "ed-unassigned"},       {"\\eX", "ed-unassigned"},
        {"^R", "ed-unassigned"},
    };
    lib.el_set(editor, EL_EDITOR, "emacs");
    lib.el_set(editor, EL_ADDFN, "atrium-refresh", "Draw what changed", request_refresh);
    for (size_t i = 0; i < sizeof bindings / sizeof *bindings; i++)
        lib.el_set(editor, EL_BIND, bindings[i][0], bindings[i][1], NULL);
}

/* libedit keeps several copies of every cell of the window, so a huge one takes gigabytes. */
static int is_window_too_large(void) {
    struct winsize window;
    if (ioctl(STDIN_FILENO, TIOCGWINSZ, &window) != 0) return 0;
    return (size_t)window.ws_col * window.ws_row > 4000000;
}

const char *ceditline_start(int history_size, int output) {
    HistEvent event;
    const char *reason = load_library();
    if (!reason) reason = set_locale();
    if (reason || editor) return reason;
    if (is_window_too_large()) return "the terminal has more than 4,000,000 cells";
    /* Where libedit complains about an unknown TERM: nowhere. */
    FILE *messages = fopen("/dev/null", "we");
    lines = lib.history_init();
    if (!screen) screen = output == STDOUT_FILENO ? stdout : fdopen(output, "w");
    if (!messages || !lines || !screen) return "out of memory";
    editor = lib.el_init_fd("atrium", stdin, screen, messages, STDIN_FILENO, output, fileno(messages));
    if (!editor) return "libedit cannot start on this terminal";

    lib.history(lines, &event, H_SETSIZE, history_size);
    lib.el_set(editor, EL_SIGNAL, 0);
    lib.el_set(editor, EL_GETCFN, next_character);
    lib.el_set(editor, EL_PROMPT, current_prompt);
    lib.el_set(editor, EL_HIST, lib.history, lines);
    /* Ctrl-C, Ctrl-Z and Ctrl-\ arrive as characters while somebody types, in order with the others. */
    lib.el_set(editor, EL_SETTY, "-d", "-isig", NULL);
    bind_keys();
    return NULL;
}

void ceditline_stop(void) {
    if (editor) lib.el_end(editor);
    editor = NULL;
}

/* MARK: - A line */

void ceditline_set_prompt(const char *text) {
    free(prompt);
    prompt = strdup(text);
}

void ceditline_begin(const char *text) {
    queue_start = queue_end = 0;
    ceditline_set_prompt(text);
    lib.el_set(editor, EL_UNBUFFERED, 1);
}

void ceditline_end(void) { lib.el_set(editor, EL_UNBUFFERED, 0); }

void ceditline_resume(void) {
    /* libedit believes that it is in editing mode still and would change nothing. */
    lib.el_set(editor, EL_PREP_TERM, 0);
    lib.el_set(editor, EL_PREP_TERM, 1);
    ceditline_resize();
    ceditline_redraw();
}

static void enqueue(const char *bytes, size_t count) {
    mbstate_t state = {0};
    queue_start = queue_end = 0;
    while (count > 0 && queue_end < queue_capacity) {
        wchar_t character;
        size_t used = mbrtowc(&character, bytes, count, &state);
        if (used == (size_t)-1 || used == (size_t)-2) return;
        if (used == 0) used = 1;
        queue[queue_end++] = character;
        bytes += used;
        count -= used;
    }
}

bool ceditline_feed(const char *bytes, size_t count) {
    int length = 0;
    enqueue(bytes, count);
    if (queue_end == 0) return false;
    /* Once: what libedit leaves over of a key must not become text. */
    const wchar_t *line = lib.el_wgets(editor, &length);
    return line && length > 0 && line[length - 1] == L'\n';
}

ceditline_line ceditline_get_line(void) {
    const LineInfo *line = lib.el_line(editor);
    return (ceditline_line){
        .text = line->buffer,
        .length = (size_t)(line->lastchar - line->buffer),
        .cursor = (size_t)(line->cursor - line->buffer),
    };
}

size_t ceditline_length(void) {
    const LineInfoW *line = lib.el_wline(editor);
    return (size_t)(line->lastchar - line->buffer);
}

void ceditline_replace(const char *text) {
    const LineInfoW *line = lib.el_wline(editor);
    int length = (int)(line->lastchar - line->buffer);
    ceditline_move_to_end();
    /* Not el_replacestr, which refuses an empty text. */
    ceditline_replace_before_cursor(length, text);
}

void ceditline_replace_before_cursor(int scalars, const char *text) {
    if (scalars > 0) lib.el_deletestr(editor, scalars);
    if (*text) lib.el_insertstr(editor, text);
}

void ceditline_move_to_end(void) {
    const LineInfoW *line = lib.el_wline(editor);
    lib.el_cursor(editor, (int)(line->lastchar - line->cursor));
}

void ceditline_add_history(const char *line) {
    HistEvent event;
    lib.history(lines, &event, H_ENTER, line);
}

/* MARK: - Drawing */

void ceditline_refresh(void) { ceditline_feed(&refresh_key, 1); }

void ceditline_redraw(void) { lib.el_set(editor, EL_REFRESH); }

void ceditline_resize(void) {
    if (!is_window_too_large()) lib.el_resize(editor);
}

void ceditline_beep(void) {
    lib.el_beep(editor);
    fflush(screen);
}

/* MARK: - Width */

static locale_t width_locale;

static void open_width_locale(void) {
    for (size_t i = 0; !width_locale && i < locale_count; i++)
        width_locale = newlocale(LC_CTYPE_MASK, locales[i], (locale_t)0);
}

int ceditline_width(uint32_t scalar) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_width_locale);
    if (!width_locale) return scalar >= 0x20 && scalar != 0x7f ? 1 : -1;
    locale_t former = uselocale(width_locale);
    int width = wcwidth((wchar_t)scalar);
    uselocale(former);
    return width;
}
