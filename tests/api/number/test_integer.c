#include "api/number/number.h"
#include "tests/unit.h"

#define ZEROS "0000000000000000000000000000000000000000"

static const struct {
    const char *text;
    enum integer_kind kind;
    int64_t value;
} rows[] = {
    {"0", INTEGER_EXACT, 0},
    {"-0", INTEGER_EXACT, 0},
    {"-0.0", INTEGER_EXACT, 0},
    {"0e99999999999999999999", INTEGER_EXACT, 0},
    {"0.000e-7", INTEGER_EXACT, 0},
    {"2.0", INTEGER_EXACT, 2},
    {"2e0", INTEGER_EXACT, 2},
    {"2E+0", INTEGER_EXACT, 2},
    {"20e-1", INTEGER_EXACT, 2},
    {"0.2e1", INTEGER_EXACT, 2},
    {"0.002e3", INTEGER_EXACT, 2},
    {"-1.5e3", INTEGER_EXACT, -1500},
    {"1203.40e2", INTEGER_EXACT, 120340},
    {"9007199254740993.0", INTEGER_EXACT, 9007199254740993},
    {"9223372036854775807", INTEGER_EXACT, INT64_MAX},
    {"9223372036854775807.000", INTEGER_EXACT, INT64_MAX},
    {"0.9223372036854775807e19", INTEGER_EXACT, INT64_MAX},
    {"-9223372036854775808", INTEGER_EXACT, INT64_MIN},
    {"-92233720368547758.08e2", INTEGER_EXACT, INT64_MIN},
    {"1" ZEROS "e-40", INTEGER_EXACT, 1},
    {"0." ZEROS "1e41", INTEGER_EXACT, 1},
    {"1e18", INTEGER_EXACT, 1000000000000000000},
    {"2.5", INTEGER_FRACTION, 0},
    {"-0.5", INTEGER_FRACTION, 0},
    {"1e-1", INTEGER_FRACTION, 0},
    {"2.0000000000000000000000000000001", INTEGER_FRACTION, 0},
    {"1" ZEROS "e-41", INTEGER_FRACTION, 0},
    {"1e-99999999999999999999", INTEGER_FRACTION, 0},
    {"9223372036854775807.5", INTEGER_FRACTION, 0},
    {"9223372036854775808", INTEGER_TOO_LARGE, 0},
    {"9223372036854775808.0", INTEGER_TOO_LARGE, 0},
    {"-9223372036854775809", INTEGER_TOO_LARGE, 0},
    {"18446744073709551615", INTEGER_TOO_LARGE, 0},
    {"18446744073709551616", INTEGER_TOO_LARGE, 0},
    {"18446744073709551617e0", INTEGER_TOO_LARGE, 0},
    {"1e19", INTEGER_TOO_LARGE, 0},
    {"1e400", INTEGER_TOO_LARGE, 0},
    {"-1e99999999999999999999", INTEGER_TOO_LARGE, 0},
    {"12345678901234567890.5", INTEGER_TOO_LARGE, 0},
};

LOOP_TEST(integer_is_exact_or_none, COUNT(rows))
{
    const char *text = rows[_i].text;
    int64_t value;

    ck_assert_int_eq(integer_read(text, strlen(text), &value), rows[_i].kind);
    if (rows[_i].kind == INTEGER_EXACT)
        ck_assert_int_eq(value, rows[_i].value);
}

/* Each number is written in all forms with a shifted point. */
UNIT_TEST(integer_is_the_same_wherever_the_point_stands)
{
    for (int i = 0; i < 2000; i++) {
        int64_t wanted =
            (int64_t)((uint64_t)random() << 31 ^ (uint64_t)random());
        char digits[24], text[64];
        int64_t value;
        int len;

        wanted >>= random() % 62;
        len = sprintf(digits, "%lld", (long long)wanted);
        for (int at = 1; at < len; at++) {
            sprintf(text, "%.*s.%se%d", at, digits, digits + at, len - at);
            if (integer_read(text, strlen(text), &value) != INTEGER_EXACT ||
                value != wanted)
                ck_abort_msg("%s", text);
        }
    }
}
