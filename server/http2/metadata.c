#include "server/http2/metadata.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool grow(struct metadata *metadata, size_t needed)
{
    size_t size = metadata->capacity ? metadata->capacity : METADATA_FIRST;
    char *text;

    if (needed <= metadata->capacity)
        return true;
    while (size < needed)
        size *= 2;
    text = realloc(metadata->text, size);
    if (!text)
        return false;
    metadata->text = text;
    metadata->capacity = (uint32_t)size;
    return true;
}

static void append(struct metadata *metadata, const void *text, size_t len)
{
    memcpy(metadata->text + metadata->len, text, len);
    metadata->text[metadata->len + len] = '\0';
    metadata->len += (uint32_t)len + 1;
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

void metadata_add(struct metadata *metadata, const void *name, size_t name_len,
                  const void *value, size_t value_len)
{
    size_t needed = metadata->len + name_len + value_len + 2;
    const char *text = value;

    metadata->list_size += name_len + value_len + METADATA_OVERHEAD;
    if (metadata->verdict != METADATA_OK)
        return;
    if (metadata->list_size > METADATA_MAX) {
        metadata->verdict = METADATA_TOO_LARGE;
    } else if (!grow(metadata, needed)) {
        metadata->verdict = METADATA_NO_MEMORY;
    } else {
        append(metadata, name, name_len);
        while (value_len > 0 && is_blank(text[value_len - 1]))
            value_len--;
        for (; value_len > 0 && is_blank(*text); text++)
            value_len--;
        append(metadata, text, value_len);
    }
}

/* A value with a NUL in it, which nghttp2 refuses, would end early here. */
const char *metadata_find(void *context, const char *name)
{
    const struct metadata *metadata = context;
    const char *at = metadata->text;

    /* Without a field there is no text. */
    while (at && at < metadata->text + metadata->len) {
        const char *value = at + strlen(at) + 1;

        if (strcasecmp(at, name) == 0)
            return value;
        at = value + strlen(value) + 1;
    }
    return NULL;
}

void metadata_free(struct metadata *metadata)
{
    free(metadata->text);
    *metadata = (struct metadata){.text = NULL};
}
