#include "api/protobuf/writer.h"

#include <stdlib.h>
#include <string.h>

#include "api/protobuf/reader.h"

enum { FIRST_SIZE = 256 };

void protobuf_writer_init(struct protobuf_writer *w, unsigned char *data,
                          size_t size)
{
    *w = (struct protobuf_writer){.data = data, .size = size};
}

void protobuf_writer_grow(struct protobuf_writer *w)
{
    *w = (struct protobuf_writer){.grows = true};
}

static bool make_room(struct protobuf_writer *w, size_t len)
{
    size_t size = w->size > 0 ? w->size : FIRST_SIZE;
    unsigned char *data;

    while (size - w->len < len)
        size *= 2;
    data = realloc(w->data, size);
    if (!data)
        return false;
    w->data = data;
    w->size = size;
    return true;
}

void protobuf_write_raw(struct protobuf_writer *w, const void *data, size_t len)
{
    bool fits = w->size - w->len >= len;

    if (w->failed)
        return;
    if ((w->data || w->grows) && !fits && !(w->grows && make_room(w, len))) {
        w->failed = true;
        return;
    }
    if (w->data && len > 0)
        memcpy(w->data + w->len, data, len);
    w->len += len;
}

void protobuf_write_varint(struct protobuf_writer *w, uint64_t value)
{
    unsigned char bytes[10];
    size_t len = 0;

    for (; value >= 0x80; value >>= 7)
        bytes[len++] = (unsigned char)(value | 0x80);
    bytes[len++] = (unsigned char)value;
    protobuf_write_raw(w, bytes, len);
}

static void write_tag(struct protobuf_writer *w, uint32_t field,
                      enum protobuf_type type)
{
    protobuf_write_varint(w, (uint64_t)field << 3 | type);
}

void protobuf_write_number(struct protobuf_writer *w, uint32_t field,
                           uint64_t value)
{
    write_tag(w, field, PROTOBUF_VARINT);
    protobuf_write_varint(w, value);
}

void protobuf_write_double(struct protobuf_writer *w, uint32_t field,
                           double value)
{
    unsigned char bytes[8];
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(bits >> 8 * i);
    write_tag(w, field, PROTOBUF_FIXED64);
    protobuf_write_raw(w, bytes, sizeof(bytes));
}

void protobuf_write_head(struct protobuf_writer *w, uint32_t field, size_t len)
{
    write_tag(w, field, PROTOBUF_BYTES);
    protobuf_write_varint(w, len);
}

void protobuf_write_bytes(struct protobuf_writer *w, uint32_t field,
                          const void *data, size_t len)
{
    protobuf_write_head(w, field, len);
    protobuf_write_raw(w, data, len);
}

void protobuf_write_text(struct protobuf_writer *w, uint32_t field,
                         const char *text)
{
    protobuf_write_bytes(w, field, text, strlen(text));
}

size_t protobuf_write_open(struct protobuf_writer *w, uint32_t field)
{
    write_tag(w, field, PROTOBUF_BYTES);
    return w->len;
}

/* The length is known now, and stands in front: what was written moves up. */
void protobuf_write_close(struct protobuf_writer *w, size_t mark)
{
    size_t len = w->len - mark, head;

    protobuf_write_varint(w, len);
    if (w->failed || !w->data)
        return;
    head = w->len - mark - len;
    memmove(w->data + mark + head, w->data + mark, len);
    w->len = mark;
    protobuf_write_varint(w, len);
    w->len = mark + head + len;
}
