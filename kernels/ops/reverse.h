/* reverse: Y[c] = X[c'], c'_a = D_a - 1 - c_a on each named axis a.
 *
 * data of any datatype and rank. `mode` says how `axis`, of rank 1, names them:
 * "index": any 8 to 64-bit integers, each in -rank .. rank-1; repeats count
 * once. "mask": BOOL, one for each axis of data.
 * Fails with INVALID at the first of: mode, axis datatype, axis rank, mask
 * length, axis values.
 * Source: OpenVINO Reverse-1. */
#pragma once

#include "kernels/ops/op.h"

extern const struct op op_openvino_reverse;
