/* The float formats by name: number_format() of their datatypes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False when the number rounds to infinity; *value is then left alone. */
bool number_parse_float(const char *text, size_t len, float *value);
bool number_parse_half(const char *text, size_t len, uint16_t *fp16);
bool number_parse_bfloat(const char *text, size_t len, uint16_t *bf16);

/* Print at most NUMBER_TEXT_MAX bytes and return their number. */
size_t number_print_float(float value, char *text);
size_t number_print_half(uint16_t fp16, char *text);
size_t number_print_bfloat(uint16_t bf16, char *text);
