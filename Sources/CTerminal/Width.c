#define _GNU_SOURCE
#include "CTerminal.h"

#include <locale.h>
#include <pthread.h>
#include <wchar.h>

/* wcwidth knows UTF-8 only in such a locale. */
static const char *const locales[] = {"C.UTF-8", "C.utf8", "en_US.UTF-8"};

static locale_t width_locale;

static void open_width_locale(void) {
    for (size_t i = 0; !width_locale && i < sizeof locales / sizeof *locales; i++)
        width_locale = newlocale(LC_CTYPE_MASK, locales[i], (locale_t)0);
}

int terminal_width(uint32_t scalar) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_width_locale);
    if (!width_locale) return scalar >= 0x20 && scalar != 0x7f ? 1 : -1;
    locale_t former = uselocale(width_locale);
    int width = wcwidth((wchar_t)scalar);
    uselocale(former);
    return width;
}
