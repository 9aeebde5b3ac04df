#include <stdio.h>
#include <string.h>

#include "server/grpc/framing.h"
#include "tests/unit.h"

UNIT_TEST(a_prefix_names_the_length)
{
    unsigned char bytes[FRAMING_PREFIX];

    framing_write(bytes, true, 0x01020304);
    ck_assert_mem_eq(bytes, "\1\1\2\3\4", 5);
    ck_assert_uint_eq(framing_length(bytes), 0x01020304);
    framing_write(bytes, false, UINT32_MAX);
    ck_assert_int_eq(bytes[0], 0);
    ck_assert_uint_eq(framing_length(bytes), UINT32_MAX);
}

/* Never nothing by rounding; OTHER: it is refused. */
enum { OTHER = 77 };

static const struct {
    const char *text;
    uint64_t us;
} timeouts[] = {
    {"2H", UINT64_C(7200000000)},
    {"3M", 180000000},
    {"4S", 4000000},
    {"50m", 50000},
    {"60u", 60},
    {"7000n", 7},
    {"99999999u", 99999999},
    {"1n", 1},
    {"0S", 1},
    {"99999999H", 0}, /* as good as none */
    {"8760H", FRAMING_TIMEOUT_MAX_US},
    {"", OTHER},
    {"S", OTHER},
    {"1", OTHER},
    {"1s", OTHER},
    {"-1S", OTHER},
    {" 1S", OTHER},
    {"1S ", OTHER},
    {"1.5S", OTHER},
    {"123456789S", OTHER},
    {"1SS", OTHER},
};

LOOP_TEST(a_timeout_has_a_unit, COUNT(timeouts))
{
    uint64_t us = OTHER;

    ck_assert(framing_timeout(timeouts[_i].text, &us) ==
              (timeouts[_i].us != OTHER));
    ck_assert_uint_eq(us, timeouts[_i].us);
}

/* The longest text, of bytes that all are escaped, fits. */
UNIT_TEST(a_long_status_text_is_escaped)
{
    char text[STATUS_MESSAGE_SIZE], made[FRAMING_ESCAPED];

    memset(text, '%', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    framing_escape(text, made);
    ck_assert_uint_eq(strlen(made), 3 * (sizeof(text) - 1));
}
