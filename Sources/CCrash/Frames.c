#define _GNU_SOURCE
#include "Internal.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/*
 * Frame pointers lead from a function to its caller. In code that was built without them (such as libc), the
 * stack is searched for the next frame, and return addresses on the way are kept as guesses. Memory is read
 * through the kernel, which returns an error instead of raising a signal.
 */

enum { word = sizeof(uintptr_t), chunk = 128, search_limit = 2048 /* words */ };

/* User addresses have 48 bits; what is above them on aarch64 is a signature. */
static uintptr_t plain(uintptr_t address) { return address & 0x0000FFFFFFFFFFFF; }

static size_t peek_up_to(uintptr_t address, void *out, size_t size) {
    struct iovec to = {out, size}, from = {(void *)address, size};
    ssize_t got = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
    return got < 0 ? 0 : (size_t)got;
}

static bool peek(uintptr_t address, void *out, size_t size) { return peek_up_to(address, out, size) == size; }

/* Whether the instruction before `address` is a call. */
static bool follows_call(uintptr_t address) {
#if defined(__x86_64__)
    uint8_t before[7];
    if (!peek(address - sizeof before, before, sizeof before)) return false;
    if (before[2] == 0xE8) return true; /* call relative */
    for (int length = 2; length <= 7; length++) { /* call through register or memory: FF /2 */
        const uint8_t *code = before + sizeof before - length;
        if (code[0] == 0xFF && (code[1] & 0x38) == 0x10) return true;
    }
    return false;
#elif defined(__aarch64__)
    uint32_t before;
    if (!peek(address - sizeof before, &before, sizeof before)) return false;
    bool is_direct = (before & 0xFC000000) == 0x94000000;   /* bl */
    bool is_indirect = (before & 0xFEFFF800) == 0xD63F0000; /* blr, blraa, … */
    return is_direct || is_indirect;
#else
#error "Add the encoding of calls on this architecture."
#endif
}

/* The function that the call before `address` calls, if need be through a table; 0 if that is not known. */
static uintptr_t called_function(uintptr_t address) {
#if defined(__x86_64__)
    static const uint8_t landing[] = {0xF3, 0x0F, 0x1E, 0xFA}; /* endbr64 */
    uint8_t code[16];
    int32_t offset;
    if (!peek(address - 5, code, 5) || code[0] != 0xE8) return 0;
    memcpy(&offset, code + 1, sizeof offset);
    uintptr_t target = address + (uintptr_t)(intptr_t)offset, entry;
    if (!peek(target, code, sizeof code)) return 0;
    size_t start = memcmp(code, landing, sizeof landing) == 0 ? sizeof landing : 0;
    if (code[start] == 0xF2) start++; /* bnd */
    if (code[start] != 0xFF || code[start + 1] != 0x25) return target;
    memcpy(&offset, code + start + 2, sizeof offset); /* jmp *offset(%rip) */
    return peek(target + start + 6 + (uintptr_t)(intptr_t)offset, &entry, sizeof entry) ? entry : 0;
#else
    (void)address;
    return 0;
#endif
}

static bool keeps_frames(uintptr_t address) {
    const struct ccrash_image *image = ccrash_image_at(ccrash_find_image(address));
    return image && image->keeps_frames;
}

static bool is_return_address(uintptr_t value) {
    return ccrash_find_image(value) >= 0 && follows_call(value);
}

/* Whether frame pointers lead on from the two words (saved frame pointer, return address) at `position`. */
static bool leads_on(uintptr_t position, uintptr_t saved, uintptr_t address) {
    uintptr_t next[2];
    saved = plain(saved);
    if (saved <= position || saved % word != 0 || !is_return_address(plain(address))) return false;
    return peek(saved, next, sizeof next) && ccrash_find_image(plain(next[1])) >= 0;
}

static bool is_frame(uintptr_t fp) {
    uintptr_t pair[2];
    return fp % word == 0 && peek(fp, pair, sizeof pair) && ccrash_find_image(plain(pair[1])) >= 0;
}

/* MARK: - Walking */

struct walk {
    struct ccrash_frame *frames;
    size_t count;
};

static void add(struct walk *walk, const char *kind, uintptr_t address) {
    if (walk->count == ccrash_frame_limit) return;
    walk->frames[walk->count++] = (struct ccrash_frame){kind, address, ccrash_find_image(address)};
}

/* Whether a frame from `first` on is likely to be in the function that starts at `function`. */
static bool has_frame_in(const struct walk *walk, size_t first, uintptr_t function) {
    enum { likely_size = 1 << 16 };
    for (size_t i = first; i < walk->count; i++) {
        uintptr_t address = walk->frames[i].address;
        if (address > function && address - function < likely_size) return true;
    }
    return false;
}

/*
 * Searches the stack from `sp` on for a frame that leads on, or for `fp` if it is one. Returns 0 if there is
 * none.
 *
 * The stack also has remains of calls that returned. In a search for the caller of code without frame pointers,
 * a call of a function with frame pointers is such a remain, unless that function made the call searched for.
 * The word on top of the stack is the return address of a function without locals.
 */
static uintptr_t search(struct walk *walk, uintptr_t sp, uintptr_t fp, bool is_from_foreign_code) {
    static uintptr_t words[chunk + 1]; /* one more, for the second word of the last pair */
    bool is_sound = fp >= sp && is_frame(fp);
    size_t first = walk->count;
    for (size_t read = 0; read < search_limit; read += chunk) {
        uintptr_t start = sp + read * word;
        size_t got = peek_up_to(start, words, sizeof words) / word;
        for (size_t i = 0; i + 1 < got; i++) {
            uintptr_t position = start + i * word, value = plain(words[i]);
            if (is_sound && position == fp) return fp;
            if (leads_on(position, words[i], words[i + 1])) {
                uintptr_t called = called_function(plain(words[i + 1]));
                if (!is_from_foreign_code || !keeps_frames(called) || has_frame_in(walk, first, called))
                    return position;
            }
            if (!keeps_frames(value) || !is_return_address(value)) continue;
            if (!is_from_foreign_code || position == sp || !keeps_frames(called_function(value)))
                add(walk, "guess", value);
        }
        if (got <= chunk) return 0;
    }
    return 0;
}

static bool runs_jobs(uintptr_t address) {
    const struct ccrash_image *image = ccrash_image_at(ccrash_find_image(address));
    return image && image->runs_jobs;
}

/*
 * Adds the callers that wait for the asynchronous function with the frame at `fp`: below the frame is its
 * context, and each context has its caller's, and the address at which that continues.
 */
static void add_waiting(struct walk *walk, uintptr_t fp) {
    uintptr_t context, pair[2];
    if (!peek(fp - word, &context, word)) return;
    while (walk->count < ccrash_frame_limit && peek(plain(context), pair, sizeof pair)) {
        if (ccrash_find_image(plain(pair[1])) < 0) return;
        add(walk, "async", plain(pair[1]));
        context = pair[0];
    }
}

/* A jump to an address without code leaves its origin in a register, or on top of the stack. */
static void add_origin(struct walk *walk, struct ccrash_registers *registers) {
    uintptr_t address = plain(registers->lr);
#if defined(__x86_64__)
    if (!peek(registers->sp, &address, word)) return;
    registers->sp += word;
#endif
    if (!is_return_address(address)) return;
    add(walk, "call", address);
    registers->pc = address;
}

size_t ccrash_walk(struct ccrash_registers registers, struct ccrash_frame frames[ccrash_frame_limit]) {
    struct walk walk = {frames, 0};
    uintptr_t pair[2], fp = plain(registers.fp);
    if (registers.pc) {
        add(&walk, "pc", registers.pc);
        if (ccrash_find_image(registers.pc) < 0) add_origin(&walk, &registers);
        bool is_foreign = !keeps_frames(registers.pc);
        if (is_foreign || !is_frame(fp)) fp = search(&walk, registers.sp, fp, is_foreign);
    }
    bool ran_job = false;
    while (walk.count < ccrash_frame_limit && fp && peek(fp, pair, sizeof pair)) {
        uintptr_t next = plain(pair[0]), address = plain(pair[1]);
        if (ccrash_find_image(address) < 0) break;
        if (runs_jobs(address) && !ran_job) add_waiting(&walk, fp);
        ran_job = ran_job || runs_jobs(address);
        add(&walk, "call", address);
        bool is_foreign = !keeps_frames(address), is_lost = next <= fp || !is_frame(next);
        fp = is_foreign || is_lost ? search(&walk, fp + 2 * word, next, is_foreign) : next;
    }
    return walk.count;
}
