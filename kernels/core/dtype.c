#include "kernels/core/dtype.h"

#include <string.h>

/* In the order of enum dtype. u1 and u2 are packed from the high bits down, as
 * in OpenVINO; the 4-bit types from the low bits up. */
static const struct dtype_traits table[DTYPE_COUNT] = {
    [DTYPE_BOOL] = {"BOOL", DTYPE_KIND_BOOL, 8, false},
    [DTYPE_INT8] = {"INT8", DTYPE_KIND_INT, 8, false},
    [DTYPE_INT16] = {"INT16", DTYPE_KIND_INT, 16, false},
    [DTYPE_INT32] = {"INT32", DTYPE_KIND_INT, 32, false},
    [DTYPE_INT64] = {"INT64", DTYPE_KIND_INT, 64, false},
    [DTYPE_UINT8] = {"UINT8", DTYPE_KIND_UINT, 8, false},
    [DTYPE_UINT16] = {"UINT16", DTYPE_KIND_UINT, 16, false},
    [DTYPE_UINT32] = {"UINT32", DTYPE_KIND_UINT, 32, false},
    [DTYPE_UINT64] = {"UINT64", DTYPE_KIND_UINT, 64, false},
    [DTYPE_FP16] = {"FP16", DTYPE_KIND_FLOAT, 16, false},
    [DTYPE_BF16] = {"BF16", DTYPE_KIND_FLOAT, 16, false},
    [DTYPE_FP32] = {"FP32", DTYPE_KIND_FLOAT, 32, false},
    [DTYPE_FP64] = {"FP64", DTYPE_KIND_FLOAT, 64, false},
    [DTYPE_COMPLEX64] = {"COMPLEX64", DTYPE_KIND_COMPLEX, 64, false},
    [DTYPE_COMPLEX128] = {"COMPLEX128", DTYPE_KIND_COMPLEX, 128, false},
    [DTYPE_BYTES] = {"BYTES", DTYPE_KIND_BYTES, 0, false},
    [DTYPE_INT4] = {"INT4", DTYPE_KIND_INT, 4, false},
    [DTYPE_UINT4] = {"UINT4", DTYPE_KIND_UINT, 4, false},
    [DTYPE_UINT2] = {"UINT2", DTYPE_KIND_UINT, 2, true},
    [DTYPE_UINT1] = {"UINT1", DTYPE_KIND_UINT, 1, true},
    [DTYPE_FP8_E4M3] = {"FP8_E4M3", DTYPE_KIND_OPAQUE, 8, false},
    [DTYPE_FP8_E5M2] = {"FP8_E5M2", DTYPE_KIND_OPAQUE, 8, false},
    [DTYPE_FP8_E8M0] = {"FP8_E8M0", DTYPE_KIND_OPAQUE, 8, false},
    [DTYPE_FP4_E2M1] = {"FP4_E2M1", DTYPE_KIND_OPAQUE, 4, false},
    [DTYPE_NF4] = {"NF4", DTYPE_KIND_OPAQUE, 4, false},
};

const struct dtype_traits *dtype_info(enum dtype dtype)
{
    return &table[dtype];
}

struct element_format dtype_format(enum dtype dtype)
{
    return (struct element_format){table[dtype].bits, table[dtype].high_first};
}

bool dtype_is_scalable(enum dtype dtype)
{
    enum dtype_kind kind = table[dtype].kind;

    return kind == DTYPE_KIND_FLOAT || kind == DTYPE_KIND_COMPLEX;
}

bool dtype_parse(const char *name, size_t len, enum dtype *dtype)
{
    for (int i = 0; i < DTYPE_COUNT; i++) {
        if (len > 0 && *table[i].name == *name &&
            strlen(table[i].name) == len &&
            memcmp(table[i].name, name, len) == 0) {
            *dtype = (enum dtype)i;
            return true;
        }
    }
    return false;
}
