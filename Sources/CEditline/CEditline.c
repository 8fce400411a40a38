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
#include <unistd.h>
#include <wchar.h>

/*
 * The library is opened when the first editor is created, not linked. Linked, libedit with libtinfo, libbsd
 * and libmd costs every start of a Swift program 1.0 ms (an empty one 2.9 -> 3.9 ms, perf stat -r 300),
 * which a script would pay for nothing; opened here it costs 0.4 ms, once.
 */
#define EACH_FUNCTION(F) \
    F(el_init_fd)        \
    F(el_end)            \
    F(el_set)            \
    F(el_wgets)          \
    F(el_get)            \
    F(el_line)           \
    F(el_wline)          \
    F(el_insertstr)      \
    F(el_deletestr)      \
    F(el_cursor)         \
    F(el_resize)         \
    F(el_beep)           \
    F(history_init)      \
    F(history_end)       \
    F(history)

static struct {
    bool is_loaded;
#define DECLARE(name) __typeof__(&name) name;
    EACH_FUNCTION(DECLARE)
#undef DECLARE
} lib;

static char error_text[256];

/* Longest key in characters: an escape sequence or a prefix with what follows it. */
enum { queue_capacity = 64 };

struct ceditline {
    EditLine *editline;
    History *history;
    FILE *messages; /* where libedit complains about an unknown TERM: nowhere */
    char *prompt;
    wchar_t queue[queue_capacity];
    size_t queue_start, queue_end;
};

/* MARK: - Loading */

static bool fail(const char *what, const char *detail) {
    snprintf(error_text, sizeof error_text, "%s%s%s", what, detail ? ": " : "", detail ? detail : "");
    return false;
}

static bool load_library(void) {
    static const char *const names[] = {"libedit.so.2", "libedit.so.0", "libedit.so"};
    void *handle = NULL;

    if (lib.is_loaded) return true;
    for (size_t i = 0; !handle && i < sizeof names / sizeof *names; i++)
        handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!handle) return fail("cannot open libedit.so.2", NULL);
#define RESOLVE(name)                                           \
    lib.name = (__typeof__(&name))(void *)dlsym(handle, #name); \
    if (!lib.name) return fail("libedit has no function", #name);
    EACH_FUNCTION(RESOLVE)
#undef RESOLVE
    return lib.is_loaded = true;
}

const char *ceditline_error(void) { return error_text; }

/* MARK: - Callbacks of libedit */

static ceditline *editor_of(EditLine *editline) {
    void *editor = NULL;
    lib.el_get(editline, EL_CLIENTDATA, &editor);
    return editor;
}

static char *prompt_of(EditLine *editline) {
    ceditline *editor = editor_of(editline);
    return editor && editor->prompt ? editor->prompt : (char *)"";
}

/* Takes from the queue only: an empty queue ends el_wgets, which would otherwise block the main thread. */
static int next_character(EditLine *editline, wchar_t *character) {
    ceditline *editor = editor_of(editline);
    if (!editor || editor->queue_start == editor->queue_end) {
        errno = EAGAIN;
        return -1;
    }
    *character = editor->queue[editor->queue_start++];
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

static bool set_locale(void) {
    for (size_t i = 0; i < locale_count; i++)
        if (setlocale(LC_CTYPE, locales[i])) return true;
    return fail("there is no UTF-8 locale", NULL);
}

/* ^_ is how ceditline_refresh reaches the drawing code; typed, it does no more than that. */
static const char refresh_key = 0x1f;

/* The sequences are those that LineEditor lets through, besides the arrow keys. */
static void bind_keys(EditLine *editline) {
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
    lib.el_set(editline, EL_EDITOR, "emacs");
    lib.el_set(editline, EL_ADDFN, "atrium-refresh", "Draw what changed", request_refresh);
    for (size_t i = 0; i < sizeof bindings / sizeof *bindings; i++)
        lib.el_set(editline, EL_BIND, bindings[i][0], bindings[i][1], NULL);
}

static bool start(ceditline *editor, int history_size) {
    HistEvent event;
    editor->messages = fopen("/dev/null", "we");
    editor->history = lib.history_init();
    if (!editor->messages || !editor->history) return fail("out of memory", NULL);
    editor->editline = lib.el_init_fd("atrium", stdin, stdout, editor->messages, STDIN_FILENO,
                                      STDOUT_FILENO, fileno(editor->messages));
    if (!editor->editline) return fail("libedit cannot start on this terminal", NULL);

    lib.history(editor->history, &event, H_SETSIZE, history_size);
    lib.el_set(editor->editline, EL_CLIENTDATA, editor);
    lib.el_set(editor->editline, EL_SIGNAL, 0);
    lib.el_set(editor->editline, EL_GETCFN, next_character);
    lib.el_set(editor->editline, EL_PROMPT_ESC, prompt_of, '\1');
    lib.el_set(editor->editline, EL_HIST, lib.history, editor->history);
    /* Ctrl-C, Ctrl-Z and Ctrl-\ arrive as characters while somebody types, in order with the others. */
    lib.el_set(editor->editline, EL_SETTY, "-d", "-isig", NULL);
    bind_keys(editor->editline);
    return true;
}

ceditline *ceditline_create(int history_size) {
    if (!load_library() || !set_locale()) return NULL;
    ceditline *editor = calloc(1, sizeof *editor);
    if (!editor) return fail("out of memory", NULL), NULL;
    if (!start(editor, history_size)) {
        ceditline_destroy(editor);
        return NULL;
    }
    return editor;
}

void ceditline_destroy(ceditline *editor) {
    if (!editor) return;
    if (editor->editline) lib.el_end(editor->editline);
    if (editor->history) lib.history_end(editor->history);
    if (editor->messages) fclose(editor->messages);
    free(editor->prompt);
    free(editor);
}

/* MARK: - A line */

void ceditline_set_prompt(ceditline *editor, const char *prompt) {
    char *copy = strdup(prompt);
    if (!copy) return;
    free(editor->prompt);
    editor->prompt = copy;
}

void ceditline_begin(ceditline *editor, const char *prompt) {
    editor->queue_start = editor->queue_end = 0;
    ceditline_set_prompt(editor, prompt);
    lib.el_set(editor->editline, EL_UNBUFFERED, 1);
}

void ceditline_end(ceditline *editor) { lib.el_set(editor->editline, EL_UNBUFFERED, 0); }

void ceditline_resume(ceditline *editor) {
    /* libedit believes that it is in editing mode still and would change nothing. */
    lib.el_set(editor->editline, EL_PREP_TERM, 0);
    lib.el_set(editor->editline, EL_PREP_TERM, 1);
    lib.el_resize(editor->editline);
    ceditline_redraw(editor);
}

static void enqueue(ceditline *editor, const char *bytes, size_t count) {
    mbstate_t state = {0};
    while (count > 0 && editor->queue_end < queue_capacity) {
        wchar_t character;
        size_t used = mbrtowc(&character, bytes, count, &state);
        if (used == (size_t)-1 || used == (size_t)-2) return;
        if (used == 0) used = 1;
        editor->queue[editor->queue_end++] = character;
        bytes += used;
        count -= used;
    }
}

bool ceditline_feed(ceditline *editor, const char *bytes, size_t count) {
    int length = 0;
    editor->queue_start = editor->queue_end = 0;
    enqueue(editor, bytes, count);
    if (editor->queue_end == 0) return false;
    /* Once: what libedit leaves over of a key must not become text. */
    const wchar_t *line = lib.el_wgets(editor->editline, &length);
    return line && length > 0 && line[length - 1] == L'\n';
}

ceditline_line ceditline_get_line(ceditline *editor) {
    const LineInfo *line = lib.el_line(editor->editline);
    return (ceditline_line){
        .text = line->buffer,
        .length = (size_t)(line->lastchar - line->buffer),
        .cursor = (size_t)(line->cursor - line->buffer),
    };
}

void ceditline_replace(ceditline *editor, const char *text) {
    const LineInfoW *line = lib.el_wline(editor->editline);
    int length = (int)(line->lastchar - line->buffer);
    /* Not el_replacestr, which refuses an empty text. */
    lib.el_cursor(editor->editline, (int)(line->lastchar - line->cursor));
    if (length > 0) lib.el_deletestr(editor->editline, length);
    ceditline_insert(editor, text);
}

void ceditline_insert(ceditline *editor, const char *text) {
    if (*text) lib.el_insertstr(editor->editline, text);
}

void ceditline_delete_before_cursor(ceditline *editor, int scalars) {
    if (scalars > 0) lib.el_deletestr(editor->editline, scalars);
}

void ceditline_move_cursor(ceditline *editor, int scalars) { lib.el_cursor(editor->editline, scalars); }

/* MARK: - Drawing */

void ceditline_refresh(ceditline *editor) { ceditline_feed(editor, &refresh_key, 1); }

void ceditline_redraw(ceditline *editor) { lib.el_set(editor->editline, EL_REFRESH); }

void ceditline_resize(ceditline *editor) { lib.el_resize(editor->editline); }

void ceditline_beep(ceditline *editor) {
    lib.el_beep(editor->editline);
    fflush(stdout);
}

/* MARK: - History */

void ceditline_add_history(ceditline *editor, const char *line) {
    HistEvent event;
    lib.history(editor->history, &event, H_ENTER, line);
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
