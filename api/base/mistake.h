/* What people and other languages write where JSON has another spelling. */
#pragma once

/* A hint for an error about the byte `at`, which starts no value or key of JSON
 * there: ": ..." or "". `start` and `end` are those of the text. */
const char *mistake_hint(const char *start, const char *at, const char *end);
