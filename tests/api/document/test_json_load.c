/* jansson on a stripped document: numbers that it cannot hold. In a value #
 * stands for FIELD_NUMBER. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/document/field.h"
#include "api/document/json_load.h"
#include "tests/api/ask.h"
#include "tests/count.h"
#include "tests/suite.h"

#define BIG "18446744073709551615"

/* A document, and the last value of its object as it is loaded, or a part of
 * the refusal. */
static const struct {
    const char *text, *value, *error;
} rows[] = {
    {"{'a':9223372036854775807}", "9223372036854775807", NULL},
    {"{'a':-9223372036854775808}", "-9223372036854775808", NULL},
    {"{'a':-0}", "0", NULL},
    {"{'a':9223372036854775808}", "'#9223372036854775808'", NULL},
    {"{'a':-9223372036854775809}", "'#-9223372036854775809'", NULL},
    {"{'a':" BIG "}", "'#" BIG "'", NULL},
    {"{'a\\\"':" BIG " }", "'#" BIG "'", NULL},
    {"{'" BIG "':'" BIG "'}", "'" BIG "'", NULL},
    {"{'a':['\\\"" BIG ",'," BIG ",1]}", "['\'" BIG ",','#" BIG "',1]", NULL},
    {"{'a':1.18446744073709551615}", "'#1.18446744073709551615'", NULL},
    {"{'a':1e-400}", "'#1e-400'", NULL},
    {"{'a':-0.0}", "'#-0.0'", NULL},
    {"{'a':[1.50,{'b':2,'c':-2E+0},[1e400],3]}",
     "['#1.50',{'b':2,'c':'#-2E+0'},['#1e400'],3]", NULL},
    {"{'b':1.5,'c':[],'a':{'z':1e1,'y':'1e2','x':1e3,'w':7}}",
     "{'z':'#1e1','y':'1e2','x':'#1e3','w':7}", NULL},
    {"{'a':[-" BIG "," BIG "," BIG "]}", "['#-" BIG "','#" BIG "','#" BIG "']",
     NULL},
    {"{'a':[" BIG "e1," BIG ".5," BIG "E-2,1e" BIG "]}",
     "['#" BIG "e1','#" BIG ".5','#" BIG "E-2','#1e" BIG "']", NULL},
    {"{'a':[9223372036854775799,-9223372036854775809]}",
     "[9223372036854775799,'#-9223372036854775809']", NULL},
    {"{'a':" BIG ",}", NULL, "malformed JSON at byte 27"},
    {"{'a':" BIG "x}", NULL, "malformed JSON at byte"},
    {"{'a':--" BIG "}", NULL, "malformed JSON at byte"},
    {"{'a':-12.5e0999,}", NULL, "malformed JSON at byte 17"},
    {"{'a':1.5,'a':2}", NULL, "malformed JSON at byte"},
};

static void print(json_t *value, char *text)
{
    const char *string = json_string_value(value), *key;
    const char *comma = "";
    json_t *entry;
    size_t i;

    text += strlen(text);
    if (string)
        sprintf(text, "'%s%s'", *string == FIELD_NUMBER ? "#" : "",
                string + (*string == FIELD_NUMBER));
    else if (json_is_integer(value))
        sprintf(text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_array(value))
        strcpy(text, "[");
    else
        strcpy(text, json_is_object(value) ? "{" : "another");
    json_array_foreach(value, i, entry)
    {
        strcat(text, comma);
        print(entry, text);
        comma = ",";
    }
    json_object_foreach(value, key, entry)
    {
        sprintf(text + strlen(text), "%s'%s':", comma, key);
        print(entry, text);
        comma = ",";
    }
    if (json_is_array(value) || json_is_object(value))
        strcat(text, json_is_array(value) ? "]" : "}");
}

static void assert_last_value(json_t *tree, const char *expected)
{
    char got[200] = "";
    json_t *value, *last = NULL;
    const char *key;

    json_object_foreach(tree, key, value) last = value;
    print(last, got);
    for (char *at = got; *at; at++)
        *at = *at == '"' ? '\'' : *at;
    ck_assert_str_eq(got, expected);
}

START_TEST(number_is_kept_as_it_was_sent)
{
    char text[200];
    struct stripped_document stripped = {.text = text};
    struct status st = {.message = ""};
    size_t bytes;
    json_t *tree;

    ask_quote(strcpy(text, rows[_i].text));
    stripped.len = stripped.numbers.len = strlen(text);
    tree = json_load_stripped(&stripped, NULL, &bytes, &st);
    if (rows[_i].error) {
        ck_assert_ptr_null(tree);
        ck_assert_int_eq(st.code, STATUS_INVALID);
        ck_assert_msg(strstr(st.message, rows[_i].error), "%s", st.message);
        return;
    }
    ck_assert_msg(tree, "%s", st.message);
    assert_last_value(tree, rows[_i].value);
    json_decref(tree);
}
END_TEST

/* Grants `left` bytes. */
static bool take(void *left, size_t bytes)
{
    size_t *grant = left;

    if (bytes > *grant)
        return false;
    *grant -= bytes;
    return true;
}

/* A document of `count` empty objects, some 260 bytes of heap each. */
static json_t *load_objects(int count, size_t grant, size_t *left,
                            struct status *st)
{
    static char text[8192];
    struct stripped_document stripped = {.text = text};
    struct api_heap heap = {take, left};
    size_t bytes, len = (size_t)sprintf(text, "{\"a\":[0");
    json_t *tree;

    for (int i = 0; i < count; i++)
        len += (size_t)sprintf(text + len, ",{}");
    stripped.len = len + (size_t)sprintf(text + len, "]}");
    *left = grant;
    tree = json_load_stripped(&stripped, &heap, &bytes, st);
    if (tree)
        ck_assert_uint_le(bytes, grant - *left + API_HEAP_FREE);
    return tree;
}

START_TEST(heap_is_asked_for_beyond_the_free_bytes)
{
    struct status st;
    size_t left;
    json_t *tree;

    api_init();
    tree = load_objects(10, 0, &left, &st);
    ck_assert_ptr_nonnull(tree);
    json_decref(tree);
    tree = load_objects(2000, 1 << 20, &left, &st);
    ck_assert_ptr_nonnull(tree);
    ck_assert_uint_lt(left, (1 << 20) - (256 << 10));
    json_decref(tree);
}
END_TEST

START_TEST(heap_that_is_not_granted_ends_the_parse)
{
    struct status st;
    size_t left;

    api_init();
    ck_assert_ptr_null(load_objects(2000, 0, &left, &st));
    ck_assert_int_eq(st.code, STATUS_NO_MEMORY);
    ck_assert_ptr_null(load_objects(2000, 128 << 10, &left, &st));
    ck_assert_int_eq(st.code, STATUS_NO_MEMORY);
    ck_assert_uint_eq(left, 0);
}
END_TEST

struct scarcity {
    size_t most; /* bytes of a block that is granted */
    int asked_after;
    bool refused;
};

static bool take_small(void *context, size_t bytes)
{
    struct scarcity *scarce = context;

    scarce->asked_after += scarce->refused;
    scarce->refused |= bytes > scarce->most;
    return !scarce->refused || bytes <= scarce->most;
}

/* An object of `len` bytes with one string. */
static void print_long_string(char *text, size_t len)
{
    memset(text, 'a', len);
    memcpy(text, "{\"a\":\"", 6);
    memcpy(text + len - 2, "\"}", 2);
}

/* The scanner's copy of a token is paid for before, with the text itself. */
START_TEST(memory_of_a_long_token_is_asked_for_first)
{
    static char text[90000];
    struct stripped_document stripped = {.text = text, .len = sizeof(text)};
    struct scarcity scarce = {.most = 4 * sizeof(text) - 1};
    struct api_heap heap = {take_small, &scarce};
    struct status st;
    size_t bytes;

    api_init();
    print_long_string(text, sizeof(text));
    ck_assert_ptr_null(json_load_stripped(&stripped, &heap, &bytes, &st));
    ck_assert_int_eq(st.code, STATUS_NO_MEMORY);
    ck_assert(scarce.refused);
    ck_assert_int_eq(scarce.asked_after, 0);
    scarce = (struct scarcity){.most = 4 * sizeof(text)};
    json_decref(json_load_stripped(&stripped, &heap, &bytes, &st));
    ck_assert(!scarce.refused);
}
END_TEST

static bool refuse_all(void *context, size_t bytes)
{
    (void)context;
    (void)bytes;
    return false;
}

/* Reads a number behind `count` strings and a name of `pad` bytes, with no more
 * memory than need not be asked for. */
static bool is_loaded_without_heap(int count, int pad)
{
    static char text[64 << 10];
    struct api_heap heap = {refuse_all, NULL};
    struct stripped_document stripped = {.text = text};
    struct status st;
    json_t *tree;
    size_t bytes;
    int len = sprintf(text, "{\"%.*s\":[", pad, "aaaaaaaaaaaa");

    for (int i = 0; i < count; i++)
        len += sprintf(text + len, "\"%d\",", i);
    len += sprintf(text + len, "-12345678901234567890.123456789e-12]}");
    stripped.len = (size_t)len;
    tree = json_load_stripped(&stripped, &heap, &bytes, &st);
    ck_assert(tree || st.code == STATUS_NO_MEMORY);
    json_decref(tree);
    return tree;
}

/* jansson 2.14 aborts the process when it has to take a character back that it
 * could not keep. The lists around the longest that fits end the memory at each
 * of the number's characters. */
START_TEST(number_at_the_end_of_memory_does_not_abort)
{
    int fits = 0, count = 2000;

    api_init();
    while (count - fits > 1) {
        int middle = (fits + count) / 2;

        *(is_loaded_without_heap(middle, 1) ? &fits : &count) = middle;
    }
    ck_assert_int_gt(fits, 100);
    ck_assert_int_lt(count, 2000);
    for (count = fits - 20; count < fits + 20; count++)
        for (int pad = 1; pad < 12; pad++)
            is_loaded_without_heap(count, pad);
}
END_TEST

START_TEST(string_at_the_end_of_memory_does_not_abort)
{
    static char text[90000];
    struct stripped_document stripped = {.text = text, .len = sizeof(text)};
    struct scarcity scarce = {.most = 4 * sizeof(text)};
    struct api_heap heap = {take_small, &scarce};
    struct status st;
    size_t bytes;

    api_init();
    print_long_string(text, sizeof(text));
    text[80000] = '\n';
    for (; scarce.most > 0; scarce.most /= 2) {
        scarce.refused = false;
        ck_assert_ptr_null(json_load_stripped(&stripped, &heap, &bytes, &st));
    }
}
END_TEST

/* An object of `len` bytes. */
START_TEST(body_of_a_route_has_at_most_64_kib)
{
    static unsigned char body[(64 << 10) + 1];
    struct status st = {.message = ""};
    json_t *tree;

    memset(body, ' ', sizeof(body));
    memcpy(body, "{}", 2);
    tree = json_load_body(body, sizeof(body) - 1, &st);
    ck_assert_msg(tree, "%s", st.message);
    json_decref(tree);
    ck_assert_ptr_null(json_load_body(body, sizeof(body), &st));
    ck_assert_int_eq(st.code, STATUS_TOO_LARGE);
    ck_assert_str_eq(st.message, "the body has 65537 bytes, but this route "
                                 "takes 65536 at most");
}
END_TEST

static const struct {
    const char *body, *error;
} bodies[] = {
    {"", "malformed JSON at byte 0: the body is empty"},
    {"[]", "the body is an array, but it must be an object"},
    {"null", "the body is null, but it must be an object"},
    {"7", "the body is a number, but it must be an object"},
    {"{} x", "malformed JSON at byte"},
    {"{\"a\":1,\"a\":2}", "malformed JSON at byte"},
    {"\xEF\xBB\xBF{'a'}", "malformed JSON at byte 5: string or '}' expected "
                          "near ''': strings have double quotes in JSON"},
    {"{\"a\":None}", "near 'None': it is null in JSON"},
    {"{\"a\":[1, True]}", "near 'True': it is true in JSON"},
    {"{\"a\":inf}", "it is spelled Infinity"},
    {"{a:1}", "a key is a string in double quotes"},
    {"{\"a\":[1,]}", "no comma stands before a closing bracket"},
    {"{\"a\":1 // b\n}", "JSON has no comments"},
    {"{\"a\":undefined}", "JSON has no undefined"},
};

START_TEST(body_of_a_route_is_one_object)
{
    struct status st = {.message = ""};
    const char *body = bodies[_i].body;

    ck_assert_ptr_null(
        json_load_body((const unsigned char *)body, strlen(body), &st));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_msg(strstr(st.message, bodies[_i].error), "%s", st.message);
}
END_TEST

SUITE("json_load", TEST(heap_is_asked_for_beyond_the_free_bytes),
      TEST(heap_that_is_not_granted_ends_the_parse),
      TEST(memory_of_a_long_token_is_asked_for_first),
      TEST(number_at_the_end_of_memory_does_not_abort),
      TEST(string_at_the_end_of_memory_does_not_abort),
      TEST(body_of_a_route_has_at_most_64_kib),
      LOOP(body_of_a_route_is_one_object, COUNT(bodies)),
      LOOP(number_is_kept_as_it_was_sent, COUNT(rows)))
