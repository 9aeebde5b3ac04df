/* Stores single JSON tokens in the binary form; private to api/number.
 *
 * Each function stores value number `index` of `data`. The token has passed the
 * grammar (or is NaN, Infinity or -Infinity for floats) and is in range. Packed
 * values must be stored in ascending order. */
#pragma once

#include <stddef.h>
#include <stdint.h>

void value_store_bool(unsigned char *data, uint64_t index, const char *token,
                      size_t len);
void value_store_int8(unsigned char *data, uint64_t index, const char *token,
                      size_t len);
void value_store_int16(unsigned char *data, uint64_t index, const char *token,
                       size_t len);
void value_store_int32(unsigned char *data, uint64_t index, const char *token,
                       size_t len);
void value_store_int64(unsigned char *data, uint64_t index, const char *token,
                       size_t len);
void value_store_4bit(unsigned char *data, uint64_t index, const char *token,
                      size_t len);
void value_store_2bit(unsigned char *data, uint64_t index, const char *token,
                      size_t len);
void value_store_1bit(unsigned char *data, uint64_t index, const char *token,
                      size_t len);
void value_store_fp16(unsigned char *data, uint64_t index, const char *token,
                      size_t len);
void value_store_bf16(unsigned char *data, uint64_t index, const char *token,
                      size_t len);
void value_store_fp32(unsigned char *data, uint64_t index, const char *token,
                      size_t len);
void value_store_fp64(unsigned char *data, uint64_t index, const char *token,
                      size_t len);
