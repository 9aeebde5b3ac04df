/* Decimals next to a number that printf() has written out in full. */
#pragma once

#include <stdbool.h>

/* Puts `tail` behind the last digit of `exact` that is not 0 and, with `less`,
 * makes that digit one less. `exact` is as "%.*e" writes it, and so is `text`,
 * which has room for both. */
void near_write(const char *exact, bool less, const char *tail, char *text);
