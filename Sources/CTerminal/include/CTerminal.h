#ifndef CTERMINAL_H
#define CTERMINAL_H

#include <stdint.h>

#include "TerminalSignals.h"

/*
 * The cells a character takes on a terminal, -1 if it cannot be shown: wcwidth, which Swift's Glibc module
 * lacks, in a UTF-8 locale whatever the locale of the process is. From any thread.
 */
int terminal_width(uint32_t scalar);

#endif
