#include "kernels/core/status.h"
#include "tests/unit.h"

UNIT_TEST(status_fail_records_code_and_text)
{
    struct status st = {0};

    ck_assert(!status_fail(&st, STATUS_BUSY, "%d of %s", 3, "four"));
    ck_assert_int_eq(st.code, STATUS_BUSY);
    ck_assert_str_eq(st.message, "3 of four");
}

UNIT_TEST(status_fail_cuts_long_text)
{
    char text[1000];
    struct status st;

    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    status_fail(&st, STATUS_INVALID, "%s", text);
    ck_assert_uint_eq(strlen(st.message), STATUS_MESSAGE_SIZE - 1);
    ck_assert_str_eq(st.message + STATUS_MESSAGE_SIZE - 5, "x...");
}

/* `_i` ASCII bytes, then characters of 2, 3 and 4 bytes, past the limit: the
 * cut text ends with a whole character. */
LOOP_TEST(status_fail_cuts_at_whole_character, 8)
{
    static const char *const characters[] = {"\u00e9", "\u65e5", "\U0001F642"};
    char text[2000];
    struct status st;

    for (size_t c = 0; c < 3; c++) {
        size_t width = strlen(characters[c]);
        size_t len = (size_t)_i;

        memset(text, 'x', len);
        for (; len < STATUS_MESSAGE_SIZE + 8; len += width)
            memcpy(text + len, characters[c], width);
        text[len] = '\0';
        status_fail(&st, STATUS_INVALID, "%s", text);
        len = strlen(st.message) - strlen("...");
        ck_assert_str_eq(st.message + len, "...");
        ck_assert_uint_gt(len, STATUS_MESSAGE_SIZE - 10);
        ck_assert_uint_eq((len - (size_t)_i) % width, 0);
        ck_assert_mem_eq(st.message, text, len);
    }
}

/* A text of exactly the buffer's size, without its NUL, where the cut would be
 * within a character of two bytes: both are left out. */
UNIT_TEST(status_fail_cuts_a_text_of_the_buffer_size)
{
    char text[STATUS_MESSAGE_SIZE + 1];
    struct status st;

    memset(text, 'x', sizeof(text));
    memcpy(text + STATUS_MESSAGE_SIZE - 5, "\u00e9", 2);
    text[STATUS_MESSAGE_SIZE] = '\0';
    ck_assert_uint_eq(strlen(text), STATUS_MESSAGE_SIZE);
    status_fail(&st, STATUS_INVALID, "%s", text);
    ck_assert_uint_eq(strlen(st.message), STATUS_MESSAGE_SIZE - 2);
    ck_assert_mem_eq(st.message, text, STATUS_MESSAGE_SIZE - 5);
}

enum { SIZE = 8 };

static const struct {
    const char *text, *shown;
} rows[] = {
    {"", ""},
    {"1234567", "1234567"},
    {"12345678", "1234..."},
    {"a longer text", "a lo..."},
    {"123\u00E9\u00E9\u00E9", "123..."}, /* no half of a character */
    {"12\u00E9\u00E9\u00E9", "12\u00E9..."},
    {"\u20AC\u20AC\u20AC", "\u20AC..."},
    {"\x80\x80\x80\x80\x80\x80\x80\x80", "..."}, /* not UTF-8 */
};

LOOP_TEST(shorten_cuts_at_a_whole_character, COUNT(rows))
{
    char out[SIZE];

    ck_assert_ptr_eq(
        shorten(rows[_i].text, strlen(rows[_i].text), out, sizeof(out)), out);
    ck_assert_str_eq(out, rows[_i].shown);
}

UNIT_TEST(shorten_reads_no_further_than_the_length)
{
    char out[SIZE];

    ck_assert_str_eq(shorten("name=secret", 4, out, sizeof(out)), "name");
}
