/* Decimals close to a number that printf() has printed exactly. */
#pragma once

#include <stdbool.h>

/* Copies `exact` to `text` with `tail` after its last digit that is not 0;
 * `less` decrements that digit. Both have the form of "%.*e"; `text` has space
 * for both. */
void near_write(const char *exact, bool less, const char *tail, char *text);
