/* The contracts of what move.c calls, as functions that move one token.
 *
 * The token is one unit of the tensor, any one: a byte, or an element where
 * rows are not whole bytes. Each function checks that what it is told to move
 * is inside the tensor and apart, and takes the token along. So no contents are
 * needed, and sizes may be as large as the real constants want them. That the
 * kernels, bits.c and columns.c keep these contracts is proven elsewhere. */
#pragma once

#include "kernels/move/bits.h"
#include "kernels/move/columns.h"
#include "tests/proofs/move/cancelled.h"

static unsigned char from_bytes[BYTES], to_bytes[BYTES], scratch_bytes[64];
static size_t units;       /* of the tensor */
static size_t unit_bits;   /* 8, or those of an element */
static bool in_place_call; /* else a copy */
static size_t origin;      /* where the token was at first */
static size_t token;       /* where in the result it is now, or NOWHERE */

#define NOWHERE SIZE_MAX

static size_t offset_of(const unsigned char *at)
{
    return (size_t)(at - (__CPROVER_same_object(at, to_bytes) ? to_bytes
                                                              : from_bytes)) *
           8 / unit_bits;
}

static void expect_inside(size_t at, size_t size)
{
    CHECK(size > 0 && at <= units && size <= units - at);
}

/* The rows of a call change places: the token is in one of them at most. */
static void token_swap(unsigned char *data, const struct strided_rows *r)
{
    size_t hits = 0, next = token, base = offset_of(data);

    CHECK(in_place_call && __CPROVER_same_object(data, to_bytes));
    CHECK(r->count > 0 && r->batch > 0);
    expect_tests(r->batch * r->count * r->size);
    for (size_t plane = 0; plane < r->batch; plane++) {
        size_t a = base + r->a + plane * r->batch_step;
        size_t b = base + r->b + plane * r->batch_step;

        for (size_t i = 0; i < r->count; i++) {
            expect_inside(a, r->size);
            expect_inside(b, r->size);
            if (token >= a && token - a < r->size) {
                next = b + (token - a);
                hits++;
            }
            if (token >= b && token - b < r->size) {
                next = a + (token - b);
                hits++;
            }
            a += (size_t)r->a_step;
            b += (size_t)r->b_step;
        }
    }
    CHECK(hits <= 1);
    token = next;
}

/* A span of `to` becomes one of `from`. */
static void token_span(size_t to, size_t from, size_t size)
{
    expect_inside(to, size);
    expect_inside(from, size);
    if (origin >= from && origin - from < size)
        token = to + (origin - from);
    else if (token != NOWHERE && token >= to && token - to < size)
        token = NOWHERE;
}

static void token_copy(const unsigned char *from, unsigned char *to,
                       const struct strided_rows *r)
{
    CHECK(!in_place_call && __CPROVER_same_object(to, to_bytes) &&
          __CPROVER_same_object(from, from_bytes));
    CHECK(r->count > 0 && r->batch > 0);
    expect_tests(r->batch * r->count * r->size);
    for (size_t plane = 0; plane < r->batch; plane++) {
        size_t a = offset_of(to) + r->a + plane * r->batch_step;
        size_t b = offset_of(from) + r->b + plane * r->batch_step;

        for (size_t i = 0; i < r->count; i++) {
            token_span(a, b, r->size);
            a += (size_t)r->a_step;
            b += (size_t)r->b_step;
        }
    }
}

/* Reversed sequences: of `rows` rows each, `first` being the first one's. */
static void token_ragged(unsigned char *data, const struct ragged_rows *r)
{
    size_t first = offset_of(data);

    CHECK(__CPROVER_same_object(data, to_bytes) && r->count > 0);
    expect_tests(r->count * r->rows * r->size);
    expect_inside(first, r->count * r->rows * r->size);
    for (size_t i = 0; i < r->count; i++) {
        size_t len = (size_t)r->lens[i], bytes = len * r->size;

        CHECK(len <= r->rows);
        if (token != NOWHERE && token >= first && token - first < bytes) {
            size_t row = (token - first) / r->size;

            token =
                first + (len - 1 - row) * r->size + (token - first) % r->size;
            break;
        }
        first += r->rows * r->size;
    }
}

static void *token_memcpy(void *to, const void *from, size_t bytes)
{
    CHECK(__CPROVER_same_object(to, to_bytes) &&
          __CPROVER_same_object(from, from_bytes));
    CHECK(tested && !cancelled);
    token_span(offset_of(to), offset_of(from), bytes * 8 / unit_bits);
    return to;
}

const struct kernel_table token_table = {.swap_rows = token_swap,
                                         .copy_rows = token_copy,
                                         .swap_ragged_rows = token_ragged};

const struct kernel_table *kernel_table_active(void)
{
    return &token_table;
}

void bits_move_rows(const struct bits_memory *m, const struct strided_rows *r)
{
    CHECK(m->format.bits == unit_bits && m->kernels == &token_table);
    if (m->from == m->to)
        token_swap(m->to, r);
    else
        token_copy(m->from, m->to, r);
}

void bits_swap_ragged_rows(const struct bits_memory *m,
                           const struct ragged_rows *r)
{
    CHECK(m->format.bits == unit_bits && m->from == m->to && r->size == 1 &&
          r->rows * unit_bits % 8 == 0);
    token_ragged(m->to, r);
}

size_t columns_scratch(const struct columns_args *args)
{
    CHECK(args->kernels == &token_table);
    return args->count * args->size;
}

bool columns_move(const struct columns_args *c)
{
    size_t first = offset_of(c->to), source = in_place_call ? token : origin;

    CHECK(unit_bits == 8 && c->kernels == &token_table &&
          c->scratch == scratch_bytes && c->step >= c->count * c->size);
    CHECK(first == offset_of(c->from) && in_place_call == (c->from == c->to) &&
          __CPROVER_same_object(c->to, to_bytes));
    expect_inside(first, (c->time - 1) * c->step + c->count * c->size);
    if (!cancel_step(c->cancel, CANCEL_STEP_BYTES))
        return false;
    for (size_t t = 0; t < c->time; t++) {
        for (size_t i = 0; i < c->count; i++) {
            size_t len = (size_t)c->lens[i];
            size_t to = t < len ? len - 1 - t : t;
            size_t at = first + t * c->step + i * c->size;

            CHECK(len <= c->time);
            if (source >= at && source - at < c->size)
                token = first + to * c->step + i * c->size + (source - at);
        }
    }
    return true;
}
