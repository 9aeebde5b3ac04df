#include "server/work/content_coding.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "api/base/accept.h"
#include "kernels/core/cancel.h"
#include "kernels/core/require.h"

/* Bytes between two checks of a cancel flag, which take 0.2 to 0.4 ms. */
enum { INFLATE_SLICE = 128 << 10, DEFLATE_SLICE = 16 << 10 };

enum { GZIP_BITS = MAX_WBITS + 16 }; /* zlib's windowBits of gzip */

static const struct {
    const char *name;
    enum content_coding coding;
} names[] = {
    {"gzip", CODING_GZIP},
    {"x-gzip", CODING_GZIP},
    {"deflate", CODING_DEFLATE},
    {"identity", CODING_IDENTITY},
};

/* The coding of this name; false if there is none. */
static bool find_name(const struct accept_entry *entry,
                      enum content_coding *coding)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!accept_is(entry, names[i].name))
            continue;
        *coding = names[i].coding;
        return true;
    }
    return false;
}

bool content_coding_parse(const char *text, enum content_coding *coding)
{
    struct accept_entry entry = {.name = text};

    *coding = CODING_IDENTITY;
    if (!text)
        return true;
    entry.len = strcspn(text, " \t");
    text += entry.len;
    return find_name(&entry, coding) && text[strspn(text, " \t")] == '\0';
}

/* True if the list names gzip and, the identity aside, nothing else. */
static bool is_only_gzip(const char *accept)
{
    enum content_coding coding = CODING_IDENTITY;
    struct accept_entry entry;
    int named = 0, gzips = 0;

    while ((accept = accept_next(accept, &entry))) {
        bool found = find_name(&entry, &coding);

        if (entry.weight == 0 || (found && coding == CODING_IDENTITY))
            continue;
        named++;
        gzips += found && coding == CODING_GZIP;
    }
    return named == 1 && gzips == 1;
}

enum content_coding content_coding_choose(const char *accept,
                                          enum content_coding_policy policy)
{
    static const char *const gzips[] = {"gzip", "x-gzip", NULL};
    static const char *const patterns[] = {"*", NULL};
    int at;

    if (!accept || policy == CODING_NEVER ||
        (policy == CODING_AUTO && !is_only_gzip(accept)) ||
        accept_weight(accept, gzips, patterns, &at) == 0)
        return CODING_IDENTITY;
    return CODING_GZIP;
}

const char *content_coding_name(enum content_coding coding)
{
    static const char *const sent[] = {
        [CODING_GZIP] = "gzip", [CODING_DEFLATE] = "deflate"};

    return sent[coding];
}

struct inflater {
    z_stream z;
    enum content_coding coding;
    size_t len; /* bytes of the body */
};

/* A zlib stream starts with two bytes that have a checksum; without it the
 * stream is a raw one. */
static bool is_raw(const unsigned char *body, size_t len)
{
    return len < 2 || (body[0] & 15) != 8 ||
           (body[0] * 256 + body[1]) % 31 != 0;
}

struct inflater *inflater_new(enum content_coding coding,
                              const unsigned char *body, size_t len)
{
    struct inflater *inflater = calloc(1, sizeof(*inflater));
    int bits = GZIP_BITS;

    REQUIRE(coding != CODING_IDENTITY && len <= UINT32_MAX);
    if (!inflater)
        return NULL;
    if (coding == CODING_DEFLATE)
        bits = is_raw(body, len) ? -MAX_WBITS : MAX_WBITS;
    *inflater = (struct inflater){.coding = coding, .len = len};
    inflater->z.next_in = (unsigned char *)(uintptr_t)body;
    inflater->z.avail_in = (uInt)len;
    if (inflateInit2(&inflater->z, bits) == Z_OK)
        return inflater;
    free(inflater);
    return NULL;
}

void inflater_free(struct inflater *inflater)
{
    if (inflater)
        inflateEnd(&inflater->z);
    free(inflater);
}

size_t inflater_read(const struct inflater *inflater)
{
    return inflater->len - inflater->z.avail_in;
}

/* At the end of a stream. A gzip stream may be followed by another one, which
 * continues the body. */
static enum inflate_result end_stream(struct inflater *inflater, char why[120])
{
    z_stream *z = &inflater->z;

    if (z->avail_in == 0)
        return INFLATE_WHOLE;
    if (inflater->coding == CODING_GZIP && z->avail_in >= 2 &&
        z->next_in[0] == 0x1f && z->next_in[1] == 0x8b)
        return inflateReset(z) == Z_OK ? INFLATE_MORE : INFLATE_NO_MEMORY;
    strcpy(why, "has bytes after its end");
    return INFLATE_DAMAGED;
}

enum inflate_result inflater_next(struct inflater *inflater, unsigned char *to,
                                  size_t room, size_t *written, char why[120])
{
    z_stream *z = &inflater->z;
    size_t now = room < INFLATE_SLICE ? room : INFLATE_SLICE;
    int result;

    REQUIRE(room > 0);
    z->next_out = to;
    z->avail_out = (uInt)now;
    result = inflate(z, Z_NO_FLUSH);
    *written = now - z->avail_out;
    switch (result) {
    case Z_OK:
        return INFLATE_MORE;
    case Z_STREAM_END:
        return end_stream(inflater, why);
    case Z_MEM_ERROR:
        return INFLATE_NO_MEMORY;
    case Z_BUF_ERROR:
        strcpy(why, "is cut off");
        return INFLATE_DAMAGED;
    default:
        snprintf(why, 120, "is damaged at byte %zu: %s",
                 inflater_read(inflater),
                 z->msg ? z->msg : "it needs a dictionary");
        return INFLATE_DAMAGED;
    }
}

/* The header and trailer of gzip have 12 bytes more than those of zlib, for
 * which the bound is. */
size_t content_coding_bound(size_t len)
{
    return compressBound(len) + 12;
}

static bool add_bytes(z_stream *z, const struct api_piece *piece, int flush,
                      const atomic_bool *cancel)
{
    const unsigned char *at = piece->data;
    size_t left = piece->len;
    int result = Z_OK;

    do {
        size_t now = left < DEFLATE_SLICE ? left : DEFLATE_SLICE;

        if (cancel_requested(cancel))
            return false;
        z->next_in = (unsigned char *)(uintptr_t)at;
        z->avail_in = (uInt)now;
        at += now;
        left -= now;
        result = deflate(z, left == 0 ? flush : Z_NO_FLUSH);
    } while (left > 0 && result == Z_OK);
    return result == (flush == Z_FINISH ? Z_STREAM_END : Z_OK);
}

size_t content_coding_gzip(const struct api_piece *pieces, int count,
                           unsigned char *to, size_t room,
                           const atomic_bool *cancel)
{
    z_stream z = {.next_out = to, .avail_out = (uInt)room};
    bool ok = true;

    if (deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, GZIP_BITS, MAX_MEM_LEVEL - 1,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return 0;
    for (int i = 0; ok && i < count; i++)
        ok = add_bytes(&z, &pieces[i], i == count - 1 ? Z_FINISH : Z_NO_FLUSH,
                       cancel);
    deflateEnd(&z);
    return ok ? room - z.avail_out : 0;
}
