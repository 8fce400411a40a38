/*
 * libedit for Swift: the few operations that the line editor needs, without variadic functions, without
 * global variables, and loaded only when an editor is created.
 */
#ifndef CEDITLINE_H
#define CEDITLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "TerminalSignals.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One editor over standard input and output. Not thread-safe: use it from one thread. */
typedef struct ceditline ceditline;

/* What has been typed, in UTF-8. Valid until the next call on the same editor. */
typedef struct {
    const char *text;
    size_t length;
    size_t cursor; /* offset in bytes */
} ceditline_line;

/*
 * Loads libedit, sets LC_CTYPE to a UTF-8 locale and creates an editor that keeps `history_size` lines.
 * Returns NULL when the library cannot be loaded or the editor cannot be created; ceditline_error() says why.
 * Leaves the terminal in the mode it found.
 */
ceditline *ceditline_create(int history_size);
const char *ceditline_error(void);
void ceditline_destroy(ceditline *editor);

/*
 * Begins a line: the terminal goes into editing mode, the prompt is drawn, the line is empty. In `prompt`,
 * '\1' stands on either side of what has no width (escape sequences).
 */
void ceditline_begin(ceditline *editor, const char *prompt);
/* Ends the line: libedit leaves its editing mode. What was typed stays on the screen. */
void ceditline_end(ceditline *editor);
/* Takes editing mode again and redraws prompt and line at the cursor, which is at the start of a row. */
void ceditline_resume(ceditline *editor);

/*
 * Hands libedit the bytes of one key: a character or a whole escape sequence. Never waits for more. Returns
 * true when the key was Enter; the line then ends in a newline.
 */
bool ceditline_feed(ceditline *editor, const char *bytes, size_t count);

ceditline_line ceditline_get_line(ceditline *editor);
/* Changes to the line are seen after ceditline_refresh. */
void ceditline_replace(ceditline *editor, const char *text);
void ceditline_insert(ceditline *editor, const char *text);
void ceditline_delete_before_cursor(ceditline *editor, int scalars);
void ceditline_move_cursor(ceditline *editor, int scalars);
void ceditline_set_prompt(ceditline *editor, const char *prompt);

/* Draws what changed since libedit drew last. */
void ceditline_refresh(ceditline *editor);
/* Redraws prompt and line; the cursor has to be at the start of an empty row. */
void ceditline_redraw(ceditline *editor);
/* Reads the size of the terminal again. */
void ceditline_resize(ceditline *editor);
void ceditline_beep(ceditline *editor);

void ceditline_add_history(ceditline *editor, const char *line);

/*
 * The cells a character takes on a terminal, -1 if it cannot be shown: wcwidth, which Swift's Glibc module
 * lacks, in a UTF-8 locale whatever the locale of the process is. From any thread; needs no editor.
 */
int ceditline_width(uint32_t scalar);

#ifdef __cplusplus
}
#endif

#endif
