#include "kernels/move/scale.h"

#include <stdint.h>
#include <string.h>

#include "kernels/core/cancel.h"
#include "kernels/core/half.h"

static void scale_doubles(unsigned char *data, size_t bytes, double factor)
{
    double value;

    for (size_t at = 0; at < bytes; at += sizeof(value)) {
        memcpy(&value, data + at, sizeof(value));
        value *= factor;
        memcpy(data + at, &value, sizeof(value));
    }
}

static void scale_floats(unsigned char *data, size_t bytes, float factor)
{
    float value;

    for (size_t at = 0; at < bytes; at += sizeof(value)) {
        memcpy(&value, data + at, sizeof(value));
        value *= factor;
        memcpy(data + at, &value, sizeof(value));
    }
}

static void scale_halves(unsigned char *data, size_t bytes, float factor)
{
    uint16_t half;

    for (size_t at = 0; at < bytes; at += sizeof(half)) {
        memcpy(&half, data + at, sizeof(half));
        half =
            half_fp16_from_double((double)(half_fp16_to_float(half) * factor));
        memcpy(data + at, &half, sizeof(half));
    }
}

static void scale_bfloats(unsigned char *data, size_t bytes, float factor)
{
    uint16_t half;

    for (size_t at = 0; at < bytes; at += sizeof(half)) {
        memcpy(&half, data + at, sizeof(half));
        half =
            half_bf16_from_double((double)(half_bf16_to_float(half) * factor));
        memcpy(data + at, &half, sizeof(half));
    }
}

static void scale_piece(enum dtype dtype, unsigned char *data, size_t bytes,
                        double coefficient)
{
    switch (dtype) {
    case DTYPE_FP16:
        scale_halves(data, bytes, (float)coefficient);
        break;
    case DTYPE_BF16:
        scale_bfloats(data, bytes, (float)coefficient);
        break;
    case DTYPE_FP32:
    case DTYPE_COMPLEX64:
        scale_floats(data, bytes, (float)coefficient);
        break;
    default:
        scale_doubles(data, bytes, coefficient);
    }
}

bool scale_run(enum dtype dtype, void *data, size_t bytes, double coefficient,
               const atomic_bool *cancel)
{
    struct cancel_check check = {.flag = cancel};
    unsigned char *at = data;
    size_t piece;

    for (; bytes > 0; bytes -= piece, at += piece) {
        piece = bytes < CANCEL_STEP_BYTES ? bytes : CANCEL_STEP_BYTES;
        if (!cancel_step(&check, piece))
            return false;
        scale_piece(dtype, at, piece, coefficient);
    }
    return true;
}
