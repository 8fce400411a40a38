/*
 * libedit for Swift: the few operations that the line editor needs, without variadic functions, and loaded only
 * when the editor starts. There is one, over standard input and output; only the main thread may use it.
 */
#ifndef CEDITLINE_H
#define CEDITLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ProcessLimits.h"
#include "TerminalSignals.h"

/* What has been typed, in UTF-8. Valid until the next call. */
typedef struct {
    const char *text;
    size_t length;
    size_t cursor; /* offset in bytes */
} ceditline_line;

/*
 * Loads libedit, sets LC_CTYPE to a UTF-8 locale and starts an editor that keeps `history_size` lines and draws
 * on the terminal `output`. Returns NULL, or why there is no editor. Leaves the terminal in the mode it found.
 */
const char *ceditline_start(int history_size, int output);
void ceditline_stop(void);

/* Begins a line: the terminal goes into editing mode, the prompt is drawn, the line is empty. */
void ceditline_begin(const char *prompt);
/* Ends the line: libedit leaves its editing mode. What was typed stays on the screen. */
void ceditline_end(void);
/* Takes editing mode again and redraws prompt and line at the cursor, which is at the start of a row. */
void ceditline_resume(void);

/*
 * Hands libedit the bytes of one key: a character or a whole escape sequence. Never waits for more. Returns
 * true when the key was Enter; the line then ends in a newline.
 */
bool ceditline_feed(const char *bytes, size_t count);

ceditline_line ceditline_get_line(void);

/* How many characters the line has; unlike the line itself it costs nothing. */
size_t ceditline_length(void);
/* Changes to the line and the cursor are seen after ceditline_refresh. */
void ceditline_replace(const char *text);
void ceditline_replace_before_cursor(int scalars, const char *text);
void ceditline_move_to_end(void);
void ceditline_set_prompt(const char *prompt);

/* Draws what changed since libedit drew last. */
void ceditline_refresh(void);
/* Redraws prompt and line; the cursor has to be at the start of an empty row. */
void ceditline_redraw(void);
/* Reads the size of the terminal again. */
void ceditline_resize(void);
void ceditline_beep(void);

void ceditline_add_history(const char *line);

/*
 * The cells a character takes on a terminal, -1 if it cannot be shown: wcwidth, which Swift's Glibc module
 * lacks, in a UTF-8 locale whatever the locale of the process is. From any thread; needs no editor.
 */
int ceditline_width(uint32_t scalar);

#endif
