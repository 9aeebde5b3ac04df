/* Assertions of states that no input and no lack of memory can bring about: a
 * failed one is a bug of ours. On in release builds, so they are for states
 * that are cheap to look at. A failed one writes file, line, condition and
 * values to stderr, and aborts. */
#pragma once

#define REQUIRE(condition)                                                     \
    ((condition) ? (void)0                                                     \
                 : require_failed(__FILE__, __LINE__, #condition, "%s", ""))

/* With the values, printed as printf() does: REQUIRE_WITH(at <= len, "at %zu,
 * len %zu", at, len). */
#define REQUIRE_WITH(condition, ...)                                           \
    ((condition)                                                               \
         ? (void)0                                                             \
         : require_failed(__FILE__, __LINE__, #condition, __VA_ARGS__))

__attribute__((noreturn, cold, format(printf, 4, 5))) void
require_failed(const char *file, int line, const char *condition,
               const char *format, ...);
