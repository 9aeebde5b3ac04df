/* The header fields of a call, as nghttp2 reports them: names in lower case,
 * values without the blanks around them, which gRPC says to strip. Loop thread
 * only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /* The header list of a call, counted as HTTP/2 does: 32 bytes for each
     * field beside its texts. SETTINGS_MAX_HEADER_LIST_SIZE tells clients. */
    METADATA_MAX = 16 << 10,
    METADATA_OVERHEAD = 32,
    METADATA_FIRST = 512, /* bytes of the first allocation */
};

enum metadata_verdict {
    METADATA_OK,
    METADATA_TOO_LARGE, /* more than METADATA_MAX; fields are counted on */
    METADATA_NO_MEMORY,
};

struct metadata {
    char *text; /* owned: name NUL value NUL, one after the other */
    uint32_t len, capacity;
    size_t list_size; /* as HTTP/2 counts it */
    enum metadata_verdict verdict;
};

/* Adds a field; a list that is too large keeps what it has. */
void metadata_add(struct metadata *metadata, const void *name, size_t name_len,
                  const void *value, size_t value_len);

/* The value of the first field with this name, in any case; NULL: none. Until
 * the next metadata_add(). `metadata` is a void pointer for route_auth_find. */
const char *metadata_find(void *metadata, const char *name);

void metadata_free(struct metadata *metadata);
