/* The timeout of a request that nobody has decoded yet: only the ends of the
 * document are read, where clients write parameters. Takes microseconds. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* In microseconds from the request's arrival; 0 when there is none, or it is
 * not near an end of the document. */
uint64_t timeout_of_document(const char *text, size_t len);

/* The same for the query of a URL, which may be NULL. */
uint64_t timeout_of_query(const char *query);
