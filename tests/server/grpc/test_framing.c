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

static uint64_t timeout(const char *text)
{
    uint64_t us = 77;

    ck_assert_msg(framing_timeout(text, &us), "%s", text);
    return us;
}

UNIT_TEST(a_timeout_has_a_unit)
{
    ck_assert_uint_eq(timeout("2H"), UINT64_C(7200000000));
    ck_assert_uint_eq(timeout("3M"), 180000000);
    ck_assert_uint_eq(timeout("4S"), 4000000);
    ck_assert_uint_eq(timeout("50m"), 50000);
    ck_assert_uint_eq(timeout("60u"), 60);
    ck_assert_uint_eq(timeout("7000n"), 7);
    ck_assert_uint_eq(timeout("99999999u"), 99999999);
}

UNIT_TEST(a_timeout_is_never_nothing_by_rounding)
{
    ck_assert_uint_eq(timeout("1n"), 1);
    ck_assert_uint_eq(timeout("0S"), 1);
    ck_assert_uint_eq(timeout("99999999H"), 0); /* as good as none */
    ck_assert_uint_eq(timeout("8760H"), FRAMING_TIMEOUT_MAX_US);
}

UNIT_TEST(other_timeouts_are_refused)
{
    static const char *const texts[] = {
        "", "S", "1", "1s", "-1S", " 1S", "1S ", "1.5S", "123456789S", "1SS"};
    uint64_t us;

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (framing_timeout(texts[i], &us))
            ck_abort_msg("'%s' was taken", texts[i]);
}

static void expect_escaped(const char *text, const char *escaped)
{
    char whole[STATUS_MESSAGE_SIZE], made[FRAMING_ESCAPED];

    snprintf(whole, sizeof(whole), "%s", text);
    framing_escape(whole, made);
    ck_assert_str_eq(made, escaped);
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

UNIT_TEST(a_status_text_is_escaped)
{
    expect_escaped("data[1] of 'input'", "data[1] of 'input'");
    expect_escaped("50 %\n", "50 %25%0A");
    expect_escaped("gr\xc3\xbc\xc3\x9f", "gr%C3%BC%C3%9F");
    expect_escaped("~\x7f", "~%7F");
    expect_escaped("", "");
}
