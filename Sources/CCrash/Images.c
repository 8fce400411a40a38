#define _GNU_SOURCE
#include "Internal.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * The table only grows, as libraries of modules are never closed. A signal handler reads it while it grows:
 * an entry is complete before the count includes it.
 */
enum { table_size = 4096 };
static struct ccrash_image table[table_size];
static atomic_int count;

static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;
static size_t known_objects;             /* how many of the loader's list are recorded, */
static unsigned long long known_removals; /* as long as this many have left the list */

struct addition {
    const struct ccrash_image *module; /* NULL to record only the other libraries */
    uintptr_t address;
    size_t bytes; /* of the module's library */
    size_t index;
};

int ccrash_find_image(uintptr_t address) {
    /* Backwards: of two libraries that had the address in turn, the later one has it now. */
    for (int number = atomic_load(&count) - 1; number >= 0; number--)
        if (address >= table[number].text_start && address < table[number].text_end) return number;
    return -1;
}

const struct ccrash_image *ccrash_image_at(int number) { return number < 0 ? NULL : &table[number]; }

/* MARK: - Growing */

static bool has_prefix(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* SwiftPM and the Swift libraries are built with frame pointers; most system libraries are not. */
static bool keeps_frames(const char *name, bool is_program) {
    return is_program || has_prefix(name, "libAtrium") || has_prefix(name, "libswift") ||
           has_prefix(name, "lib_Foundation") || has_prefix(name, "libFoundation");
}

static void append(const struct ccrash_image *image) {
    int number = atomic_load(&count);
    if (number == table_size) return;
    table[number] = *image;
    atomic_store(&count, number + 1);
}

/*
 * Where an object has segments with all of `flags`: from the first to the last; PF_X is its code, 0 all of it.
 */
static bool find_segments(
    const struct dl_phdr_info *object, ElfW(Word) flags, uintptr_t *start, uintptr_t *end) {
    *start = UINTPTR_MAX;
    *end = 0;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || (segment->p_flags & flags) != flags) continue;
        uintptr_t from = object->dlpi_addr + segment->p_vaddr;
        if (from < *start) *start = from;
        if (from + segment->p_memsz > *end) *end = from + segment->p_memsz;
    }
    return *end > *start;
}

/* Rounded to pages, as it is mapped. */
static size_t mapped_bytes(const struct dl_phdr_info *object) {
    uintptr_t start, end, page = (uintptr_t)sysconf(_SC_PAGESIZE);
    if (!find_segments(object, 0, &start, &end)) return 0;
    return ((end + page - 1) & ~(page - 1)) - (start & ~(page - 1));
}

/* The copies of the texts are never freed, as the entries are not. */
static void set_names(struct ccrash_image *image, const char *path) {
    char program[ccrash_path_size] = "";
    bool is_program = *path == 0;
    if (is_program) {
        ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
        program[length < 0 ? 0 : length] = 0;
        path = program;
    }
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    if (!image->name) image->keeps_frames = keeps_frames(name, is_program);
    image->runs_jobs = has_prefix(name, "libswift_Concurrency.so");
    image->name = strdup(image->name ? image->name : name);
    image->digest = strdup(image->digest ? image->digest : "");
    image->path = strdup(path);
}

static int add_object(struct dl_phdr_info *object, size_t size, void *data) {
    (void)size;
    struct addition *addition = data;
    struct ccrash_image image = {0};
    bool is_known = addition->index++ < known_objects && object->dlpi_subs == known_removals;
    if (is_known && !addition->module) return 0;
    if (!find_segments(object, PF_X, &image.text_start, &image.text_end)) return 0;
    bool is_module = addition->module && addition->address >= image.text_start &&
                     addition->address < image.text_end;
    if (is_module) {
        image.name = addition->module->name;
        image.digest = addition->module->digest;
        image.generation = addition->module->generation;
        image.is_typed = addition->module->is_typed;
        image.is_module = !image.is_typed;
        image.keeps_frames = true;
        addition->bytes = mapped_bytes(object);
    } else if (is_known || ccrash_find_image(image.text_start) >= 0) {
        return 0;
    }
    image.bias = object->dlpi_addr;
    set_names(&image, object->dlpi_name);
    if (image.name && image.digest && image.path) append(&image);
    return 0;
}

static int count_removals(struct dl_phdr_info *object, size_t size, void *data) {
    (void)size;
    *(unsigned long long *)data = object->dlpi_subs;
    return 1;
}

static void add(struct addition *addition) {
    unsigned long long removals = 0;
    pthread_mutex_lock(&adding);
    dl_iterate_phdr(add_object, addition);
    dl_iterate_phdr(count_removals, &removals);
    known_objects = addition->index;
    known_removals = removals;
    pthread_mutex_unlock(&adding);
}

void ccrash_add_images(void) {
    struct addition addition = {0};
    add(&addition);
}

void ccrash_add_code(const void *address, const char *command) {
    struct ccrash_image code = {.name = command, .is_typed = true};
    struct addition addition = {.module = &code, .address = (uintptr_t)address};
    add(&addition);
    ccrash_begin_watching();
}

size_t ccrash_add_module(const void *address, const char *name, uint32_t generation, const char *digest) {
    struct ccrash_image module = {.name = name, .generation = generation, .digest = digest};
    struct addition addition = {.module = &module, .address = (uintptr_t)address};
    add(&addition);
    return addition.bytes;
}
