/* Every published vector, sent as JSON and as binary, answered as JSON and as
 * binary. Bit patterns that JSON cannot hold (NaN payloads) go as binary. */
#include <check.h>
#include <stdio.h>

#include "tests/suite.h"
#include "tests/vectors/vector_ask.h"

static const char *const names[] = {"operators", "generated", "bits",
                                    "backward"};
enum { FILES = sizeof(names) / sizeof(names[0]) };

static struct vector_file files[FILES];

static const struct vector *pick(int at)
{
    int file = 0;

    while (at >= files[file].count)
        at -= files[file++].count;
    return &files[file].vectors[at];
}

START_TEST(vector_agrees_from_json_to_json)
{
    if (pick(_i)->data.text)
        vector_ask(pick(_i), false, false);
}
END_TEST

START_TEST(vector_agrees_from_json_to_binary)
{
    if (pick(_i)->data.text)
        vector_ask(pick(_i), false, true);
}
END_TEST

START_TEST(vector_agrees_from_binary_to_json)
{
    if (pick(_i)->data.text)
        vector_ask(pick(_i), true, false);
}
END_TEST

START_TEST(vector_agrees_from_binary_to_binary)
{
    vector_ask(pick(_i), true, true);
}
END_TEST

START_TEST(vector_agrees_as_message_with_raw_data)
{
    vector_ask_message(pick(_i), false);
}
END_TEST

START_TEST(vector_agrees_as_message_with_typed_data)
{
    vector_ask_message(pick(_i), true);
}
END_TEST

static int read_files(void)
{
    char path[512];
    int count = 0;

    for (int i = 0; i < FILES; i++) {
        snprintf(path, sizeof(path), "%s/vectors/%s.json", FLIPD_TESTS_DIR,
                 names[i]);
        vector_file_read(path, &files[i]);
        count += files[i].count;
    }
    return count;
}

static Suite *suite(void)
{
    Suite *s = suite_create("vectors");
    TCase *tc = tcase_create("vectors");
    int count = read_files();

    tcase_add_loop_test(tc, vector_agrees_from_json_to_json, 0, count);
    tcase_add_loop_test(tc, vector_agrees_from_json_to_binary, 0, count);
    tcase_add_loop_test(tc, vector_agrees_from_binary_to_json, 0, count);
    tcase_add_loop_test(tc, vector_agrees_from_binary_to_binary, 0, count);
    tcase_add_loop_test(tc, vector_agrees_as_message_with_raw_data, 0, count);
    tcase_add_loop_test(tc, vector_agrees_as_message_with_typed_data, 0, count);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    int status = suite_run(suite);

    for (int i = 0; i < FILES; i++)
        vector_file_free(&files[i]);
    return status;
}
