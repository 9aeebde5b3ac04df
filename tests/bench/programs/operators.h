/* The operators as plain functions, for what measures them in process: a call
 * checks its arguments, describes the permutation and carries it out, on one
 * thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { BENCH_MAX_RANK = 32 };

/* Data is FP32; `control` INT64 lengths or axes. `to` NULL: in place. */
struct bench_call {
    const char *op;
    int rank;
    int64_t dims[BENCH_MAX_RANK];
    int64_t control_count;
    const int64_t *control;
    int64_t axes[2]; /* batch and time axis, of reverse sequence */
    void *from, *to;
};

/* 0, or 1 when the arguments are refused. */
int bench_operator(const struct bench_call *call);

/* The time of moving the bytes alone: calls memcpy() `runs` times. */
void bench_memcpy(void *to, const void *from, size_t bytes, size_t runs);
