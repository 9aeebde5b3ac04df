/* The tests of a Check program. Each enlists itself where it is defined, and
 * main() runs them all: a program has no list of them. It has the headers of
 * the C library that nearly all of them need. */
#pragma once

#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/count.h"

/* LOOP_TEST(a_is_b, COUNT(rows)) { ... } runs with _i from 0 to count - 1. */
#define LOOP_TEST(name, count)                                                 \
    static void name(int _i);                                                  \
    static void __attribute__((constructor)) name##_enlists(void)              \
    {                                                                          \
        static const TTest test = {#name, name, __FILE__, __LINE__};           \
                                                                               \
        unit_add(&test, count);                                                \
    }                                                                          \
    static void name(int _i CK_ATTRIBUTE_UNUSED)

#define UNIT_TEST(name) LOOP_TEST(name, 1)

/* Functions that run before and after each test of the program, or NULL. */
#define FIXTURE(set_up, tear_down)                                             \
    static void __attribute__((constructor)) fixture_enlists(void)             \
    {                                                                          \
        unit_fixture(set_up, tear_down);                                       \
    }

void unit_add(const TTest *test, int count);
void unit_fixture(SFun set_up, SFun tear_down);
