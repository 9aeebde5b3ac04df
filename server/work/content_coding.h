/* Content codings (Content-Encoding, Accept-Encoding): which one a request has
 * and which one its reply gets. */
#pragma once

#include <stdbool.h>

/* "deflate" is a zlib stream. A raw stream, which some clients send under this
 * name, is read as well. */
enum content_coding { CODING_IDENTITY, CODING_GZIP, CODING_DEFLATE };

/* Values of --http-response-compression, in the order of its choices. */
enum content_coding_policy { CODING_AUTO, CODING_ALWAYS, CODING_NEVER };

/* The coding of a Content-Encoding; NULL is the identity. False for a list of
 * codings and for a coding that cannot be read. */
bool content_coding_parse(const char *text, enum content_coding *coding);

/* The coding of the reply to an Accept-Encoding (NULL: none). With CODING_AUTO
 * a client that names exactly one coding gets it, and one that lists several
 * gets the identity; with CODING_ALWAYS the one with the largest weight. */
enum content_coding content_coding_choose(const char *accept,
                                          enum content_coding_policy policy);

/* Whether a list (NULL: none) has the coding, which is not the identity. */
bool content_coding_accepts(const char *accept, enum content_coding coding);

/* "gzip", "deflate", or NULL for the identity. */
const char *content_coding_name(enum content_coding coding);

/* What zlib takes as windowBits for a coding other than the identity. */
int content_coding_window_bits(enum content_coding coding);
