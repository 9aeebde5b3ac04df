/* One cache of documents for each thread that executes jobs. */
#pragma once

struct document_cache;

/* The calling thread's cache. Made by the first call, freed at the end of the
 * thread; NULL without memory. */
struct document_cache *thread_document_cache(void);
