#include <stdint.h>
#include <stdlib.h>

#include "server/config/options.h"
#include "tests/unit.h"

static const struct {
    const char *text;
    enum option_unit unit;
    int64_t value;
} read[] = {
    {"0", OPTION_PLAIN, 0},
    {"-7", OPTION_PLAIN, -7},
    {"007", OPTION_PLAIN, 7},
    {"9223372036854775807", OPTION_PLAIN, INT64_MAX},
    {"-9223372036854775808", OPTION_PLAIN, INT64_MIN},
    {"1000", OPTION_BYTES, 1000},
    {"0KiB", OPTION_BYTES, 0},
    {"64KiB", OPTION_BYTES, 65536},
    {"256MiB", OPTION_BYTES, INT64_C(256) << 20},
    {"3GiB", OPTION_BYTES, INT64_C(3) << 30},
    {"1TiB", OPTION_BYTES, INT64_C(1) << 40},
    {"8191PiB", OPTION_BYTES, INT64_C(8191) << 50},
    {"-8192PiB", OPTION_BYTES, INT64_MIN},
    {"10", OPTION_SECONDS, 10},
    {"10s", OPTION_SECONDS, 10},
    {"2000ms", OPTION_SECONDS, 2},
    {"5m", OPTION_SECONDS, 300},
    {"24h", OPTION_SECONDS, 86400},
    {"100", OPTION_MILLISECONDS, 100},
    {"100ms", OPTION_MILLISECONDS, 100},
    {"10s", OPTION_MILLISECONDS, 10000},
    {"1h", OPTION_MILLISECONDS, 3600000},
    {"9223372036854775", OPTION_SECONDS, INT64_C(9223372036854775)},
};

LOOP_TEST(number_is_read_with_its_suffix, COUNT(read))
{
    int64_t value = -1;

    ck_assert_msg(option_number_parse(read[_i].text, read[_i].unit, &value),
                  "%s", read[_i].text);
    ck_assert_int_eq(value, read[_i].value);
}

static const struct {
    const char *text;
    enum option_unit unit;
} refused[] = {
    {"", OPTION_PLAIN},
    {"-", OPTION_PLAIN},
    {"+1", OPTION_PLAIN},
    {"--1", OPTION_PLAIN},
    {" 1", OPTION_PLAIN},
    {"1 ", OPTION_PLAIN},
    {"1\n", OPTION_PLAIN},
    {"0x10", OPTION_PLAIN},
    {"1.5", OPTION_PLAIN},
    {"9223372036854775808", OPTION_PLAIN},
    {"-9223372036854775809", OPTION_PLAIN},
    {"1KiB", OPTION_PLAIN},
    {"1s", OPTION_PLAIN},
    {"KiB", OPTION_BYTES},
    {"1 KiB", OPTION_BYTES},
    {"1KiB ", OPTION_BYTES},
    {"1kib", OPTION_BYTES},
    {"1K", OPTION_BYTES},
    {"1KB", OPTION_BYTES},
    {"1B", OPTION_BYTES},
    {"1KiBMiB", OPTION_BYTES},
    {"1.5MiB", OPTION_BYTES},
    {"1s", OPTION_BYTES},
    {"8192PiB", OPTION_BYTES},
    {"-8193PiB", OPTION_BYTES},
    {"9223372036854775808KiB", OPTION_BYTES},
    {"9007199254740992KiB", OPTION_BYTES},
    {"s", OPTION_SECONDS},
    {"10 s", OPTION_SECONDS},
    {"10S", OPTION_SECONDS},
    {"10sec", OPTION_SECONDS},
    {"100ms", OPTION_SECONDS},
    {"1999ms", OPTION_SECONDS},
    {"1d", OPTION_SECONDS},
    {"1h30m", OPTION_SECONDS},
    {"10KiB", OPTION_SECONDS},
    {"9223372036854776", OPTION_SECONDS},
    {"9223372036854775807h", OPTION_MILLISECONDS},
    {"2562047788016h", OPTION_MILLISECONDS},
};

LOOP_TEST(number_refuses_all_else, COUNT(refused))
{
    int64_t value = -1;

    ck_assert_msg(
        !option_number_parse(refused[_i].text, refused[_i].unit, &value), "%s",
        refused[_i].text);
    ck_assert_int_eq(value, -1);
}

static const struct {
    int64_t value;
    enum option_unit unit;
    const char *text;
} printed[] = {
    {0, OPTION_BYTES, "0"},
    {0, OPTION_SECONDS, "0"},
    {65535, OPTION_PLAIN, "65535"},
    {1024, OPTION_PLAIN, "1024"},
    {1, OPTION_BYTES, "1"},
    {1000, OPTION_BYTES, "1000"},
    {1025, OPTION_BYTES, "1025"},
    {1536, OPTION_BYTES, "1536"},
    {65536, OPTION_BYTES, "64KiB"},
    {INT64_C(1) << 50, OPTION_BYTES, "1PiB"},
    {1, OPTION_SECONDS, "1s"},
    {75, OPTION_SECONDS, "75s"},
    {60, OPTION_SECONDS, "1m"},
    {86400, OPTION_SECONDS, "24h"},
    {100, OPTION_MILLISECONDS, "100ms"},
    {3600000, OPTION_MILLISECONDS, "1h"},
};

LOOP_TEST(number_is_printed_as_it_is_read, COUNT(printed))
{
    char text[OPTION_NUMBER_SIZE];
    int64_t value;

    ck_assert_str_eq(
        option_number_print(printed[_i].value, printed[_i].unit, text),
        printed[_i].text);
    ck_assert(option_number_parse(text, printed[_i].unit, &value));
    ck_assert_int_eq(value, printed[_i].value);
}
