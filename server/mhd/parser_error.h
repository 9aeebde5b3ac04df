/* The errors that libmicrohttpd answers by itself because it cannot read a
 * request, each with a page of HTML. */
#pragma once

#include <stddef.h>

enum { PARSER_ERROR_SIZE = 192 }; /* of a text, with its NUL */

/* Says in our words what is wrong. `page` is libmicrohttpd's text, of `len`
 * bytes; of one that is not known the status decides. `memory`: the bytes that
 * a request's line and headers may take. */
void parser_error_print(int status, const char *page, size_t len, size_t memory,
                        char text[PARSER_ERROR_SIZE]);
