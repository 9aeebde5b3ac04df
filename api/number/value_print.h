/* Prints single values of the binary form as JSON; private to api/number.
 *
 * Each function prints value number `index` of `data` to `out`, without a
 * terminator, and returns the length. */
#pragma once

#include <stddef.h>
#include <stdint.h>

size_t value_print_bool(const unsigned char *data, uint64_t index, char *out);
size_t value_print_int8(const unsigned char *data, uint64_t index, char *out);
size_t value_print_int16(const unsigned char *data, uint64_t index, char *out);
size_t value_print_int32(const unsigned char *data, uint64_t index, char *out);
size_t value_print_int64(const unsigned char *data, uint64_t index, char *out);
size_t value_print_uint8(const unsigned char *data, uint64_t index, char *out);
size_t value_print_uint16(const unsigned char *data, uint64_t index, char *out);
size_t value_print_uint32(const unsigned char *data, uint64_t index, char *out);
size_t value_print_uint64(const unsigned char *data, uint64_t index, char *out);
size_t value_print_fp16(const unsigned char *data, uint64_t index, char *out);
size_t value_print_bf16(const unsigned char *data, uint64_t index, char *out);
size_t value_print_fp32(const unsigned char *data, uint64_t index, char *out);
size_t value_print_fp64(const unsigned char *data, uint64_t index, char *out);
size_t value_print_int4(const unsigned char *data, uint64_t index, char *out);
size_t value_print_uint4(const unsigned char *data, uint64_t index, char *out);
size_t value_print_uint2(const unsigned char *data, uint64_t index, char *out);
size_t value_print_uint1(const unsigned char *data, uint64_t index, char *out);
