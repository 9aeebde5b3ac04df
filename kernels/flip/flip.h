/* libflip: reverses tensors in your own process, bit for bit.
 *
 * A description is made once for a shape with its lengths or axes, and serves
 * any number of tensors, which are row-major and little-endian:
 *
 *     const int64_t dims[] = {400, 32, 256}, batch[] = {32};
 *     struct flip_tensor input = {FLIP_FP32, 3, dims, NULL};
 *     struct flip_tensor lens = {FLIP_INT32, 1, batch, lengths};
 *     char error[FLIP_ERROR_SIZE];
 *     struct flip *flip = flip_reverse_sequence(&input, &lens, 1, 0, error);
 *
 * Memory: only the description is allocated. It has a copy of the lengths and
 * keeps nothing of the caller's. The library has no state but the instruction
 * set in use, which the environment variable FLIPD_SIMD may name.
 *
 * Threads: any number may use one description at a time, each with data and
 * scratch of its own.
 *
 * Errors: one sentence that names argument, index, value and limit, such as
 * "sequence_lens[1] is 9, but axis 0 has 2 entries". `error` is written on
 * failure only; it has FLIP_ERROR_SIZE bytes, or is NULL. */
#ifndef FLIP_H
#define FLIP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FLIP_MAX_RANK = 32, FLIP_ERROR_SIZE = 320 };

/* The datatypes of the Open Inference Protocol and OpenVINO. An element of
 * FP8_* is a byte; INT4, UINT4, FP4_E2M1 and NF4 are packed from the low bits
 * of a byte up, UINT2 and UINT1 from the high bits down. Elements of BYTES have
 * no fixed size, so libflip does not move them. The numbers are fixed. */
/* clang-format off */
enum flip_datatype {
    FLIP_BOOL, FLIP_INT8, FLIP_INT16, FLIP_INT32, FLIP_INT64, FLIP_UINT8,
    FLIP_UINT16, FLIP_UINT32, FLIP_UINT64, FLIP_FP16, FLIP_BF16, FLIP_FP32,
    FLIP_FP64, FLIP_COMPLEX64, FLIP_COMPLEX128, FLIP_BYTES, FLIP_INT4,
    FLIP_UINT4, FLIP_UINT2, FLIP_UINT1, FLIP_FP8_E4M3, FLIP_FP8_E5M2,
    FLIP_FP8_E8M0, FLIP_FP4_E2M1, FLIP_NF4
};
/* clang-format on */

/* A tensor that a function looks at while it runs. */
struct flip_tensor {
    enum flip_datatype datatype;
    int rank;            /* 0 .. FLIP_MAX_RANK */
    const int64_t *dims; /* `rank` of them, each 0 or more; NULL for rank 0 */
    const void *data;    /* read of lengths and axes only; any alignment */
};

struct flip; /* a description */

/* Describes Y[.., t, ..] = input[.., lens[b] - 1 - t, ..] for t < lens[b],
 * where t is the index on the time axis and b the one on the batch axis; the
 * other elements stay. `input` has rank 2 or more, both axes are from -rank to
 * rank - 1. `lens` are dims[batch_axis] whole numbers, each from 0 to
 * dims[time_axis], as integers of 8 to 64 bits, FP16, BF16, FP32 or FP64.
 * Returns NULL and the error on failure. flip_free() frees the description. */
struct flip *flip_reverse_sequence(const struct flip_tensor *input,
                                   const struct flip_tensor *lens,
                                   int batch_axis, int time_axis, char *error);

/* The same for the gradient, the reversed `dy`, which flip_scale() multiplies:
 * FP16, BF16, FP32, FP64, COMPLEX64 or COMPLEX128. */
struct flip *flip_reverse_sequence_grad(const struct flip_tensor *dy,
                                        const struct flip_tensor *lens,
                                        int batch_axis, int time_axis,
                                        char *error);

/* Describes the reversal of whole axes. `axes` are integers of 8 to 64 bits,
 * each from -rank to rank - 1, where repeats count once; or `rank` BOOLs, true
 * for each axis that is reversed. */
struct flip *flip_reverse(const struct flip_tensor *data,
                          const struct flip_tensor *axes, char *error);

/* The size of the tensor in bytes. */
size_t flip_bytes(const struct flip *flip);

/* The size of the scratch that the next two functions work in: at most 8 MiB,
 * and 0 for most descriptions. Scratch has any alignment and contents. With
 * NULL they do the same more slowly. */
size_t flip_scratch(const struct flip *flip);

/* Reverses `data`, of flip_bytes() and any alignment. Bytes that do not move
 * are not written. It cannot fail. */
void flip_in_place(const struct flip *flip, void *data, void *scratch);

/* Writes the whole result to `to`, which does not overlap `from`. */
void flip_copy(const struct flip *flip, const void *from, void *to,
               void *scratch);

/* Multiplies the elements of `data` in place by the coefficient: FP64 and
 * COMPLEX128 in FP64, all others in FP32, of which FP16 and BF16 are rounded
 * once at the end. A coefficient of 1 changes no bit. Returns 0, or -1 when the
 * description's datatype is none of a gradient. */
int flip_scale(const struct flip *flip, void *data, double coefficient);

/* `flip` may be NULL. */
void flip_free(struct flip *flip);

#ifdef __cplusplus
}
#endif

#endif
