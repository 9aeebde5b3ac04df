/* Numbers of options, as people write them: 65536 or 64KiB, 10 or 10s. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What a number without a suffix counts. */
enum option_unit {
    OPTION_PLAIN, /* things: no suffix */
    OPTION_BYTES,
    OPTION_MILLISECONDS,
    OPTION_SECONDS,
};

enum { OPTION_NUMBER_SIZE = 32 };

/* Reads digits, and behind them a suffix of the unit: KiB, MiB, GiB, TiB, PiB;
 * ms, s, m, h. False for any other text, a blank included, and for what is no
 * whole number of the unit ("100ms" of seconds) or past 64 bits. */
bool option_number_parse(const char *text, enum option_unit unit,
                         int64_t *value);

/* Writes the shortest text that is read as `value`: "0", "64KiB", "24h".
 * Returns `text`. */
const char *option_number_print(int64_t value, enum option_unit unit,
                                char text[OPTION_NUMBER_SIZE]);

/* "bytes"; "" for a plain number. */
const char *option_number_unit(enum option_unit unit);

/* "KiB, MiB, GiB, TiB or PiB"; "" for a plain number. */
const char *option_number_suffixes(enum option_unit unit);

/* ", in bytes without a suffix", which goes behind a range; "" for a plain
 * number. */
const char *option_number_hint(enum option_unit unit);

/* All suffixes in one sentence, for --help and the manual. */
extern const char option_number_note[];
