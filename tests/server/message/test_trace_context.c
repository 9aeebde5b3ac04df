#include <check.h>
#include <string.h>

#include "server/message/headers.h"
#include "tests/count.h"
#include "tests/suite.h"

#define ID "4bf92f3577b34da6a3ce929d0e0e4736"
#define PARENT "00f067aa0ba902b7"
#define ZEROS "0000000000000000"

static const struct {
    const char *text;
    bool valid;
} traces[] = {
    {"00-" ID "-" PARENT "-01", true},
    {"00-" ID "-" PARENT "-00", true},
    {"00-" ID "-" PARENT "-ff", true},
    /* other lengths */
    {"", false},
    {"00", false},
    {"00-" ID "-" PARENT, false},
    {"00-" ID "-" PARENT "-", false},
    {"00-" ID "-" PARENT "-0", false},
    {"00-" ID "-" PARENT "-012", false},
    {"00-" ID "0-" PARENT "-01", false},
    {"00-" ID "-" PARENT "0-1", false},
    /* other characters */
    {"00-4BF92F3577B34DA6A3CE929D0E0E4736-" PARENT "-01", false},
    {"00-4bf92f3577b34da6a3ce929d0e0e473g-" PARENT "-01", false},
    {"00-" ID "-00F067AA0BA902B7-01", false},
    {"00-" ID "-" PARENT "-0A", false},
    {"00-" ID "-" PARENT "-0x", false},
    {"00_" ID "-" PARENT "-01", false},
    {"00-" ID "." PARENT "-01", false},
    {"00-" ID "-" PARENT ".01", false},
    {"0x-" ID "-" PARENT "-01", false},
    {"00-4bf92f3577b34da6-3ce929d0e0e47360-" PARENT "-01", false},
    /* ids of zeros */
    {"00-" ZEROS ZEROS "-" PARENT "-01", false},
    {"00-" ID "-" ZEROS "-01", false},
    {"00-" ZEROS "0000000000000001-0000000000000001-01", true},
    /* other versions; only those that are not known may go on */
    {"ff-" ID "-" PARENT "-01", false},
    {"cc-" ID "-" PARENT "-01", true},
    {"cc-" ID "-" PARENT "-01-what-follows", true},
    {"cc-" ID "-" PARENT "-01-", true},
    {"cc-" ID "-" PARENT "-01.what-follows", false},
    {"00-" ID "-" PARENT "-01-what-follows", false},
    {"00-" ID "-" PARENT "-01-", false},
    {"000-" ID "-" PARENT "-01", false},
};

START_TEST(trace_context_follows_the_rules_of_level_1)
{
    ck_assert_msg(trace_context_is_valid(traces[_i].text) == traces[_i].valid,
                  "%s", traces[_i].text);
}
END_TEST

START_TEST(trace_context_finds_the_trace_id)
{
    const char *given = "00-" ID "-" PARENT "-01";

    ck_assert_ptr_eq(trace_context_id(given), given + strlen("00-"));
}
END_TEST

SUITE("trace_context",
      LOOP(trace_context_follows_the_rules_of_level_1, COUNT(traces)),
      TEST(trace_context_finds_the_trace_id))
