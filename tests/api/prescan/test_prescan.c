#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/prescan/prescan.h"
#include "tests/count.h"
#include "tests/suite.h"

/* Of the scanned documents. */
static bool has_header;

/* Scans a copy in a block of exactly its size; a NUL byte may be inside. */
static bool scan_bytes(const char *text, size_t len,
                       struct stripped_document *stripped, struct status *st)
{
    char *copy = malloc(len ? len : 1);
    struct document_text document = {
        .text = copy, .len = len, .has_header = has_header};
    bool ok;

    ck_assert_ptr_nonnull(copy);
    memcpy(copy, text, len);
    *st = (struct status){0};
    ok = prescan_document(&document, stripped, st);
    free(copy);
    return ok;
}

static bool scan_text(const char *text, struct stripped_document *stripped,
                      struct status *st)
{
    return scan_bytes(text, strlen(text), stripped, st);
}

/* A document, the stripped one, and its data arrays, separated by blanks. */
static const struct {
    const char *text;
    const char *stripped;
    const char *arrays;
} accepted[] = {
    {"{}", "{}", ""},
    {" { } \n", " { }", ""},
    {"\xEF\xBB\xBF{}", "   {}", ""},
    {"\xEF\xBB\xBF {\"inputs\":[{\"data\":[1,2]}]} ",
     "    {\"inputs\":[{\"data\": 0 }]}", "[1,2]"},
    {"{\"inputs\":[{\"data\":[1,2]}]}", "{\"inputs\":[{\"data\": 0 }]}",
     "[1,2]"},
    {"{\"inputs\":[{\"data\": \t[1] , \"x\":1}]}",
     "{\"inputs\":[{\"data\": \t 0  , \"x\":1}]}", "[1]"},
    {"{\"inputs\":[{\"data\":[]},{\"name\":\"a\",\"data\":[[],[[]]]}]}",
     "{\"inputs\":[{\"data\": 0 },{\"name\":\"a\",\"data\": 1 }]}",
     "[] [[],[[]]]"},
    {"{\"inputs\":[{\"data\":[\"]\",\"\\\"]\",\"\\\\\"]}]}",
     "{\"inputs\":[{\"data\": 0 }]}", "[\"]\",\"\\\"]\",\"\\\\\"]"},
    {"{\"inputs\":[{\"data\":[{\"a\":[1}]]}]}", "{\"inputs\":[{\"data\": 0 }]}",
     "[{\"a\":[1}]]"},
    {"{\"inputs\":[{\"data\":null}]}", "{\"inputs\":[{\"data\":null}]}", ""},
    {"{\"inputs\":[{\"data\":nul}]}", "{\"inputs\":[{\"data\":nul}]}", ""},
    {"{\"inputs\":[{\"data\":}]}", "{\"inputs\":[{\"data\":}]}", ""},
    /* Keys spelled with escapes. */
    {"{\"inp\\u0075ts\":[{\"\\u0064ata\":[1]}]}",
     "{\"inp\\u0075ts\":[{\"\\u0064ata\": 0 }]}", "[1]"},
    {"{\"\\u0069\\u006E\\u0070\\u0075\\u0074\\u0073\":[{\"dat\\u0061\":[1]}]}",
     "{\"\\u0069\\u006E\\u0070\\u0075\\u0074\\u0073\":[{\"dat\\u0061\": 0 }]}",
     "[1]"},
    {"{\"inputs\":[{\"d\\u0041ta\":[1],\"dat\\u006\":[2]}]}",
     "{\"inputs\":[{\"d\\u0041ta\":[1],\"dat\\u006\":[2]}]}", ""},
    /* Only inputs[i].data is stripped. */
    {"{\"data\":[1]}", "{\"data\":[1]}", ""},
    {"{\"parameters\":{\"data\":[1]}}", "{\"parameters\":{\"data\":[1]}}", ""},
    {"{\"outputs\":[{\"data\":[1]}]}", "{\"outputs\":[{\"data\":[1]}]}", ""},
    {"{\"a\":{\"inputs\":[{\"data\":[1]}]}}",
     "{\"a\":{\"inputs\":[{\"data\":[1]}]}}", ""},
    {"{\"inputs\":[{\"parameters\":{\"data\":[1]}}]}",
     "{\"inputs\":[{\"parameters\":{\"data\":[1]}}]}", ""},
    {"{\"inputs\":[[{\"data\":[1]}]]}", "{\"inputs\":[[{\"data\":[1]}]]}", ""},
    {"{\"inputs\":[[\"data\",[1]]]}", "{\"inputs\":[[\"data\",[1]]]}", ""},
    {"{\"inputs\":{\"a\":{\"data\":[1]}}}",
     "{\"inputs\":{\"a\":{\"data\":[1]}}}", ""},
    {"{\"inputs\":[{\"xdata\":[1],\"dat\":[2],\"data2\":[3],\"name\":\"data\"}]"
     "}",
     "{\"inputs\":[{\"xdata\":[1],\"dat\":[2],\"data2\":[3],\"name\":\"data\"}]"
     "}",
     ""},
    {"{\"inputs\":5,\"b\":[{\"data\":[1]}]}",
     "{\"inputs\":5,\"b\":[{\"data\":[1]}]}", ""},
    {"{\"inputs\":[{\"data\":[1]}],\"outputs\":[{\"data\":[2]}]}",
     "{\"inputs\":[{\"data\": 0 }],\"outputs\":[{\"data\":[2]}]}", "[1]"},
    {"{\"a\":[{\"inputs\":[{\"data\":[1]}]}]}",
     "{\"a\":[{\"inputs\":[{\"data\":[1]}]}]}", ""},
    /* A digit behind an array must not become part of the number. */
    {"{\"inputs\":[{\"data\":[1]5}]}", "{\"inputs\":[{\"data\": 0 5}]}", "[1]"},
    /* Text that jansson must refuse stays. */
    {"{\"inputs\":[{\"data\":[1],\"data\":[2]}]}",
     "{\"inputs\":[{\"data\": 0 ,\"data\": 1 }]}", "[1] [2]"},
    {"{\"inputs\" [{\"data\" [1]}]}", "{\"inputs\" [{\"data\" [1]}]}", ""},
    {"{\"a\":tru\xFF}", "{\"a\":tru\xFF}", ""},
};

START_TEST(prescan_strips_data_of_inputs_only)
{
    const char *text = accepted[_i].text;
    struct stripped_document stripped;
    struct status st;
    char arrays[200] = "";

    ck_assert_msg(scan_text(text, &stripped, &st), "%s: %s", text, st.message);
    ck_assert_str_eq(stripped.text, accepted[_i].stripped);
    ck_assert_uint_eq(stripped.len, strlen(stripped.text));
    for (int i = 0; i < stripped.span_count; i++) {
        strcat(arrays, i ? " " : "");
        strncat(arrays, text + stripped.spans[i].start, stripped.spans[i].len);
    }
    ck_assert_str_eq(arrays, accepted[_i].arrays);
    prescan_free(&stripped);
}
END_TEST

static const struct {
    const char *text;
    const char *message;
} refused[] = {
    {"\xEF\xBB\xBF{]", "malformed JSON at byte 4: ']' closes an object"},
    {"\xEF\xBB\xBF\xEF\xBB\xBF{}", "malformed JSON at byte 3: the body"},
    {"\xEF\xBB{}", "malformed JSON at byte 0: the body"},
    {"{", "malformed JSON at byte 1: the document ends too early"},
    {"{\"a\":[1,2", "malformed JSON at byte 9: the document ends too early"},
    {"{\"a", "malformed JSON at byte 1: a string is not closed"},
    {"{\"a\\", "malformed JSON at byte 1: a string is not closed"},
    {"{\"a\\\"", "malformed JSON at byte 1: a string is not closed"},
    {"{]", "malformed JSON at byte 1: ']' closes an object"},
    {"{\"a\":[}", "malformed JSON at byte 6: '}' closes an array"},
    {"{\"inputs\":[{\"data\":[1,[2]",
     "malformed JSON at byte 19: the array is not closed"},
    {"{\"inputs\":[{\"data\":[\"]}",
     "malformed JSON at byte 19: the array is not closed"},
    {"{\"inputs\":[{\"data\":", "byte 19: the document ends too early"},
    {"{\"inputs\":[{\"data\":\"x\"}]}",
     "inputs[0].data at byte 19 is a string, but it must be an array"},
    {"{\"inputs\":[{\"name\":\"a,b\"},{\"data\":7}]}",
     "inputs[1].data at byte 34 is a number, but it must be an array"},
    {"{\"inputs\":[{\"data\":-7}]}", "is a number, but it must be an array"},
    {"{\"inputs\":[{\"data\":{}}]}", "is an object, but it must be an array"},
    {"{\"inputs\":[{},{},{\"data\":true}]}",
     "inputs[2].data at byte 25 is a boolean, but it must be an array"},
    {"{\"inputs\":[{\"data\":false}]}",
     "is a boolean, but it must be an array"},
};

START_TEST(prescan_names_the_byte_it_refuses)
{
    struct stripped_document stripped;
    struct status st;

    ck_assert(!scan_text(refused[_i].text, &stripped, &st));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_msg(strstr(st.message, refused[_i].message) != NULL, "%s",
                  st.message);
}
END_TEST

START_TEST(prescan_reports_bytes_behind_the_document)
{
    static const struct {
        const char *text;
        size_t len, end, at;
    } cases[] = {
        {"{\"a\":1} x", 9, 7, 8},
        {"{}\0", 3, 2, 2},
        {" {}{}", 5, 3, 3},
        {"{\"inputs\":[{\"data\":[1]}]}\1\2", 27, 25, 25},
    };
    struct stripped_document stripped;
    struct status st;
    char expected[100];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ck_assert(!scan_bytes(cases[i].text, cases[i].len, &stripped, &st));
        sprintf(expected,
                "%zu bytes follow the JSON document, which ends at byte %zu: ",
                cases[i].len - cases[i].end, cases[i].end);
        ck_assert_ptr_nonnull(strstr(st.message, expected));
        has_header = true;
        ck_assert(!scan_bytes(cases[i].text, cases[i].len, &stripped, &st));
        has_header = false;
        sprintf(expected,
                "malformed JSON at byte %zu: bytes follow the document",
                cases[i].at);
        ck_assert_str_eq(st.message, expected);
    }
    ck_assert(scan_text("{\"a\":1}\r\n\t ", &stripped, &st));
    ck_assert_uint_eq(stripped.len, 7);
    prescan_free(&stripped);
}
END_TEST

/* jansson 2.14 drops such a byte. */
START_TEST(prescan_refuses_a_nul_byte_behind_a_number)
{
    struct stripped_document stripped;
    struct status st;

    ck_assert(!scan_bytes("{\"a\":[1\0]}", 9, &stripped, &st));
    ck_assert_str_eq(st.message, "malformed JSON at byte 7: a NUL byte");
}
END_TEST

START_TEST(prescan_origin_maps_positions_back)
{
    const char *text =
        "{\"inputs\":[{\"data\":[1,2,3]},{\"data\":[4]}],\"x\":1}";
    struct stripped_document stripped;
    struct status st;
    size_t second;

    ck_assert(scan_text(text, &stripped, &st));
    ck_assert_uint_eq(prescan_origin(&stripped, 0), 0);
    ck_assert_uint_eq(prescan_origin(&stripped, 18), 18);
    ck_assert_uint_eq(prescan_origin(&stripped, 19), 19);
    ck_assert_uint_eq(prescan_origin(&stripped, 20), 19);
    ck_assert_uint_eq(prescan_origin(&stripped, 21), 19);
    ck_assert_uint_eq(prescan_origin(&stripped, 22), 26);
    second = (size_t)(strstr(stripped.text, " 1 ") - stripped.text);
    ck_assert_uint_eq(prescan_origin(&stripped, second),
                      stripped.spans[1].start);
    for (size_t i = second + 3; i <= stripped.len; i++)
        ck_assert_int_eq(text[prescan_origin(&stripped, i)], stripped.text[i]);
    prescan_free(&stripped);
}
END_TEST

/* Brackets and quotes at every offset from a block's edge. */
START_TEST(prescan_finds_the_end_at_every_alignment)
{
    for (size_t pad = 0; pad < 40; pad++) {
        char head[100], text[200];
        struct stripped_document stripped;
        struct status st;

        sprintf(head, "{\"inputs\":[{\"data\":[%.*s", (int)pad,
                "1111111111111111111111111111111111111111");
        sprintf(text, "%s[\"%s\\\"]\", 1234567]]}]}", head, head + 12 + 8);
        ck_assert_msg(scan_text(text, &stripped, &st), "%s: %s", text,
                      st.message);
        ck_assert_int_eq(stripped.span_count, 1);
        ck_assert_uint_eq(stripped.spans[0].start, 19);
        ck_assert_str_eq(text + 19 + stripped.spans[0].len, "}]}");
        prescan_free(&stripped);
    }
}
END_TEST

/* Every prefix and every changed byte, without reading past the text. */
START_TEST(prescan_survives_prefixes_and_flipped_bytes)
{
    const char *good =
        "{\"id\":\"\\u00e9\",\"inputs\":[{\"name\":\"a\",\"d\\u0061"
        "ta\":[[1,\"]\\\"\"]]},{\"data\":null}],\"x\":{}}";
    size_t len = strlen(good);
    struct stripped_document stripped;
    struct status st;

    for (size_t i = 0; i < len; i++) {
        ck_assert(!scan_bytes(good, i, &stripped, &st));
        for (int byte = 0; byte < 256; byte++) {
            char text[200];

            memcpy(text, good, len);
            text[i] = (char)byte;
            if (scan_bytes(text, len, &stripped, &st))
                prescan_free(&stripped);
        }
    }
}
END_TEST

START_TEST(prescan_free_accepts_a_zeroed_document)
{
    struct stripped_document stripped = {0};

    prescan_free(&stripped);
    ck_assert_ptr_null(stripped.text);
}
END_TEST

SUITE("prescan", LOOP(prescan_strips_data_of_inputs_only, COUNT(accepted)),
      LOOP(prescan_names_the_byte_it_refuses, COUNT(refused)),
      TEST(prescan_reports_bytes_behind_the_document),
      TEST(prescan_refuses_a_nul_byte_behind_a_number),
      TEST(prescan_origin_maps_positions_back),
      TEST(prescan_finds_the_end_at_every_alignment),
      TEST(prescan_survives_prefixes_and_flipped_bytes),
      TEST(prescan_free_accepts_a_zeroed_document))
