#include <check.h>
#include <string.h>

#include "kernels/core/shorten.h"
#include "tests/count.h"
#include "tests/suite.h"

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

START_TEST(shorten_cuts_at_a_whole_character)
{
    char out[SIZE];

    ck_assert_ptr_eq(
        shorten(rows[_i].text, strlen(rows[_i].text), out, sizeof(out)), out);
    ck_assert_str_eq(out, rows[_i].shown);
}
END_TEST

START_TEST(shorten_reads_no_further_than_the_length)
{
    char out[SIZE];

    ck_assert_str_eq(shorten("name=secret", 4, out, sizeof(out)), "name");
}
END_TEST

SUITE("shorten", LOOP(shorten_cuts_at_a_whole_character, COUNT(rows)),
      TEST(shorten_reads_no_further_than_the_length))
