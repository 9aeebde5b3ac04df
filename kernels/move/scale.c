#include <string.h>

#include "kernels/core/cancel.h"
#include "kernels/core/size.h"
#include "kernels/move/move.h"

/* Defines a loop over values of `type`, in which each becomes `product`. */
#define DEFINE_SCALE(name, type, real, product)                                \
    static void name(unsigned char *data, size_t bytes, real factor)           \
    {                                                                          \
        type value;                                                            \
                                                                               \
        for (size_t at = 0; at < bytes; at += sizeof(value)) {                 \
            memcpy(&value, data + at, sizeof(value));                          \
            value = product;                                                   \
            memcpy(data + at, &value, sizeof(value));                          \
        }                                                                      \
    }

DEFINE_SCALE(scale_doubles, double, double, (value * factor))
DEFINE_SCALE(scale_floats, float, float, (value * factor))
DEFINE_SCALE(scale_halves, uint16_t, float,
             half_fp16_from_double((double)(half_fp16_to_float(value) *
                                            factor)))
DEFINE_SCALE(scale_bfloats, uint16_t, float,
             half_bf16_from_double((double)(half_bf16_to_float(value) *
                                            factor)))

static void scale_piece(enum dtype dtype, unsigned char *data, size_t bytes,
                        double coefficient)
{
    if (dtype == DTYPE_FP16)
        scale_halves(data, bytes, (float)coefficient);
    else if (dtype == DTYPE_BF16)
        scale_bfloats(data, bytes, (float)coefficient);
    else if (dtype == DTYPE_FP32 || dtype == DTYPE_COMPLEX64)
        scale_floats(data, bytes, (float)coefficient);
    else
        scale_doubles(data, bytes, coefficient);
}

bool scale_run(enum dtype dtype, void *data, size_t bytes, double coefficient,
               const atomic_bool *cancel)
{
    struct cancel_check check = {.flag = cancel};
    unsigned char *at = data;
    size_t piece;

    for (; bytes > 0; bytes -= piece, at += piece) {
        piece = size_min(bytes, CANCEL_STEP_BYTES);
        if (!cancel_step(&check, piece))
            return false;
        scale_piece(dtype, at, piece, coefficient);
    }
    return true;
}
