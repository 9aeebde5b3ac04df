/* shorten() and status_fail(), with any text of up to LONGEST bytes: one that
 * fits is copied, and another one cut at a whole UTF-8 character. Or with one
 * text without an end, where IS_ENDLESS is 1. */
#include "kernels/core/status.c"
#include <limits.h>
#include <stdlib.h>

#include "tests/proofs/harness.h"

enum { SIZE = 9, LONGEST = 2 * SIZE };

static char written[LONGEST + 1]; /* what the format makes */

int vsnprintf(char *text, size_t size, const char *format, va_list args)
{
    CHECK(size > LONGEST);
    if (IS_ENDLESS) {
        for (size_t i = 0; i + 1 < size; i++)
            text[i] = 'a';
        text[size - 1] = '\0';
        return INT_MAX;
    }
    memcpy(text, written, sizeof(written));
    return (int)strlen(written);
}

/* `len` bytes of text were written to `out`, of `size`. */
static void check_cut(const char *text, size_t len, const char *out,
                      size_t size)
{
    size_t end = strlen(out), any = nondet_size();

    CHECK(end < size);
    if (len < size) {
        CHECK(end == len);
    } else {
        CHECK(end >= 3 && strcmp(out + end - 3, "...") == 0);
        end -= 3;
        CHECK(end == 0 || (text[end] & 0xC0) != 0x80);
        /* No more is cut than a character: its bytes but the first. */
        for (size_t i = end + 1; i + 3 < size; i++)
            CHECK((text[i] & 0xC0) == 0x80);
    }
    ASSUME(any < end);
    CHECK(out[any] == text[any]);
}

/* A text that no buffer holds is seen to be cut. */
static void check_endless(void)
{
    const size_t size = STATUS_MESSAGE_SIZE;
    struct status st;

    CHECK(!status_fail(&st, STATUS_BUSY, "%s"));
    CHECK(memcmp(st.message + size - 5, "a...", 5) == 0);
}

static void check_short(void)
{
    size_t len = any_below(LONGEST + 1);
    char *text = malloc(len);
    char out[SIZE];
    struct status st;

    ASSUME(text);
    for (size_t i = 0; i < len; i++)
        ASSUME(text[i] != '\0');
    CHECK(shorten(text, len, out, sizeof(out)) == out);
    check_cut(text, len, out, sizeof(out));
    memcpy(written, text, len);
    CHECK(!status_fail(&st, STATUS_BUSY, "%s"));
    CHECK(st.code == STATUS_BUSY && strcmp(st.message, written) == 0);
}

int main(void)
{
    if (IS_ENDLESS)
        check_endless();
    else
        check_short();
    REACHED();
}
