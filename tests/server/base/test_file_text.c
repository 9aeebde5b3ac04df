#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/base/file_text.h"
#include "tests/edge.h"
#include "tests/unit.h"

enum { LIMIT = 100 };

static char path[] = "/tmp/flipd-text-XXXXXX";
static char *text; /* a newline is in front of it, nothing is behind it */
static struct status st;

static void make_file(void)
{
    int fd = mkstemp(path);

    ck_assert_int_ge(fd, 0);
    close(fd);
    text = (char *)edge_new(FILE_TEXT_ROOM(LIMIT) + 1);
    *text++ = '\n';
}

static void remove_file(void)
{
    remove(path);
}

/* Writes `len` letters and an ending. */
static void write_file(size_t len, const char *ending)
{
    FILE *file = fopen(path, "w");

    for (size_t i = 0; i < len; i++)
        fputc('a', file);
    fputs(ending, file);
    fclose(file);
}

UNIT_TEST(file_text_reads_all_or_nothing_and_no_empty_file)
{
    ck_assert_int_eq(file_text_read(path, text, FILE_TEXT_ROOM(LIMIT)), 0);
    ck_assert_int_eq(file_text_load(path, text, LIMIT, &st), -1);
    ck_assert_str_eq(st.message, "it is empty");
    write_file(0, "\n\r\n");
    ck_assert_int_eq(file_text_load(path, text, LIMIT, &st), -1);
    ck_assert_str_eq(st.message, "it is empty");
    write_file(1, "");
    ck_assert_int_eq(file_text_load(path, text, LIMIT, &st), 1);
    write_file(LIMIT, "");
    ck_assert_int_eq(file_text_read(path, text, LIMIT + 1), LIMIT);
    ck_assert_uint_eq(strlen(text), LIMIT);
    write_file(LIMIT + 1, "");
    ck_assert_int_eq(file_text_read(path, text, LIMIT + 1), -1);
    ck_assert_int_eq(errno, EFBIG);
    ck_assert_str_eq(text, "");
}

/* The next descriptor is 0, and is so again. */
UNIT_TEST(file_text_closes_its_file)
{
    close(0);
    errno = EIO;
    write_file(3, "");
    ck_assert_int_eq(file_text_read(path, text, LIMIT), 3);
    ck_assert_int_eq(open(path, O_RDONLY), 0);
}

/* A terminal gives a line at a time. */
UNIT_TEST(file_text_reads_part_after_part)
{
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    char name[64];

    ck_assert_int_eq(grantpt(terminal) + unlockpt(terminal), 0);
    ck_assert_int_eq(ptsname_r(terminal, name, sizeof(name)), 0);
    ck_assert_int_eq(write(terminal, "ab\ncd\n\x04", 7), 7);
    ck_assert_int_eq(file_text_read(name, text, LIMIT), 6);
    ck_assert_str_eq(text, "ab\ncd\n");
    ck_assert_int_eq(write(terminal, "ab\nlonger\n", 10), 10);
    text[6] = 'x';
    ck_assert_int_eq(file_text_read(name, text, 6), -1);
    ck_assert_int_eq(errno, EFBIG);
    ck_assert_int_eq(text[6], 'x');
    close(terminal);
}

UNIT_TEST(file_text_says_why_it_cannot_be_read)
{
    ck_assert_int_eq(file_text_read("/nowhere", text, LIMIT), -1);
    ck_assert_int_eq(errno, ENOENT);
    ck_assert_int_eq(file_text_load("/tmp", text, LIMIT, &st), -1);
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_str_eq(st.message, "Is a directory");
    ck_assert_int_eq(file_text_load("/dev/zero", text, LIMIT, &st), -1);
    ck_assert_str_eq(st.message, "it has more than 100 bytes");
}

UNIT_TEST(file_text_limit_leaves_out_the_newlines_at_the_end)
{
    write_file(LIMIT, "\r\n");
    ck_assert_int_eq(file_text_load(path, text, LIMIT, &st), LIMIT);
    ck_assert_uint_eq(strlen(text), LIMIT);
    write_file(LIMIT + 1, "\n");
    ck_assert_int_eq(file_text_load(path, text, LIMIT, &st), -1);
    ck_assert_str_eq(st.message, "it has 101 bytes, but the limit is 100");
    write_file(3 * LIMIT, "");
    ck_assert_int_eq(file_text_load(path, text, LIMIT, &st), -1);
    ck_assert_str_eq(st.message, "it has 300 bytes, but the limit is 100");
    write_file(3, "\nb\n\n");
    ck_assert_int_eq(file_text_load(path, text, LIMIT, &st), 5);
    ck_assert_str_eq(text, "aaa\nb");
}

static void write_bytes(const char *bytes, size_t len)
{
    FILE *file = fopen(path, "w");

    fwrite(bytes, 1, len, file);
    fclose(file);
}

#define BYTES(bytes) bytes, sizeof(bytes) - 1
#define UTF_16 "it is in UTF-16, but must be in UTF-8"

/* As editors and shells of Windows write files. */
static const struct {
    const char *bytes;
    size_t len;
    const char *text, *message; /* one of them */
} encodings[] = {
    {BYTES("\xEF\xBB\xBFtext\r\n"), "text", NULL},
    {BYTES("\xEF\xBB\xBFtext"), "text", NULL},
    {BYTES("\xEF\xBBtext"), "\xEF\xBBtext", NULL},
    {BYTES(FILE_TEXT_MARK), NULL, "it is empty"},
    {BYTES("\xEF\xBB\xBF\r\n"), NULL, "it is empty"},
    {BYTES("\xFF\xFEt\0e\0"), NULL, UTF_16},
    {BYTES("\xFE\xFF\0t\0e"), NULL, UTF_16},
    {BYTES("\xFE\xFFt\0"), NULL, UTF_16},
    {BYTES("\xFF\xFE"), NULL, UTF_16},
    {BYTES("t\0e\0"), NULL, "byte 1 of it is a NUL"},
    {BYTES("\xEF\xBB\xBFt\0"), NULL, "byte 4 of it is a NUL"},
    {BYTES("\0"), NULL, "byte 0 of it is a NUL"},
};

LOOP_TEST(file_text_is_in_utf_8_without_its_mark, COUNT(encodings))
{
    const char *wanted = encodings[_i].text;

    write_bytes(encodings[_i].bytes, encodings[_i].len);
    ck_assert_int_eq(file_text_load(path, text, LIMIT, &st),
                     wanted ? (int)strlen(wanted) : -1);
    ck_assert_str_eq(wanted ? text : st.message,
                     wanted ? wanted : encodings[_i].message);
}

UNIT_TEST(file_text_limit_leaves_out_the_mark)
{
    char marked[3 + LIMIT + 2];

    memcpy(marked, FILE_TEXT_MARK, 3);
    memset(marked + 3, 'b', LIMIT);
    memcpy(marked + 3 + LIMIT, "\r\n", 2);
    write_bytes(marked, sizeof(marked));
    ck_assert_int_eq(file_text_load(path, text, LIMIT, &st), LIMIT);
    ck_assert_uint_eq(strspn(text, "b"), LIMIT);
}

FIXTURE(make_file, remove_file)
