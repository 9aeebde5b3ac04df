/* Includes the table of kernels that run.py names, for its static functions
 * too. */
#pragma once

/* CBMC expands a nested expression of vectors to the power of its depth: with a
 * variable for each step, the table of AVX-512 is read in a second instead
 * of 30. */
#define __builtin_shufflevector(a, b, ...)                                     \
    ({                                                                         \
        __typeof__(a) first_ = (a), second_ = (b);                             \
        __typeof__(a) both_ =                                                  \
            __builtin_shufflevector(first_, second_, __VA_ARGS__);             \
        both_;                                                                 \
    })

#include TABLE
