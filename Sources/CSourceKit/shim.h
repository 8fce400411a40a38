// The part of sourcekitd.h, which no toolchain for Linux has, that Swift can't declare itself.
#pragma once
#include <stdint.h>

typedef struct {
    uint64_t data[3];
} sourcekitd_variant_t;
