#include "tests/bench/programs/load_http2.h"

#include <stdlib.h>
#include <string.h>

enum {
    DATA = 0,
    HEADERS = 1,
    RST_STREAM = 3,
    SETTINGS = 4,
    PING = 6,
    GOAWAY = 7,
    WINDOW_UPDATE = 8,

    END_STREAM = 1, /* flags */
    ACK = 1,
    INITIAL_WINDOW_SIZE = 4, /* of SETTINGS */
    FIRST_WINDOW = 65535,    /* of HTTP/2 */
    WIDEST = INT32_MAX,      /* window */
    REPORTED = 256 << 20,    /* bytes of data for a WINDOW_UPDATE */
};

static uint32_t read_32(const void *at)
{
    const unsigned char *bytes = at;

    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
           (uint32_t)bytes[2] << 8 | bytes[3];
}

static void write_32(void *at, uint32_t value)
{
    unsigned char *bytes = at;

    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(value >> (24 - 8 * i));
}

/* Of the frame whose head is there. */
static size_t length_of(const void *head)
{
    return read_32(head) >> 8;
}

static int type_of(const void *head)
{
    return ((const unsigned char *)head)[3];
}

static bool add_control(struct load_http2 *h2, int type, int flags,
                        const void *payload, size_t len)
{
    unsigned char *to = h2->control + h2->control_len;

    if (len + LOAD_HTTP2_HEAD > LOAD_HTTP2_CONTROL - h2->control_len)
        return false;
    write_32(to, (uint32_t)len << 8 | (uint32_t)type);
    to[4] = (unsigned char)flags;
    write_32(to + 5, 0);
    memcpy(to + LOAD_HTTP2_HEAD, payload, len);
    h2->control_len += LOAD_HTTP2_HEAD + len;
    return true;
}

static bool widen(struct load_http2 *h2, uint32_t by)
{
    unsigned char payload[4];

    write_32(payload, by);
    return add_control(h2, WINDOW_UPDATE, 0, payload, sizeof(payload));
}

static bool are_frames(const char *frames, size_t len)
{
    size_t at = 0;

    while (len - at >= LOAD_HTTP2_HEAD &&
           length_of(frames + at) <= len - at - LOAD_HTTP2_HEAD)
        at += LOAD_HTTP2_HEAD + length_of(frames + at);
    return len > 0 && at == len;
}

bool load_http2_init(struct load_http2 *h2, const char *frames, size_t len)
{
    static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    unsigned char setting[6] = {0, INITIAL_WINDOW_SIZE};

    *h2 = (struct load_http2){.len = len,
                              .window = FIRST_WINDOW,
                              .first_window = FIRST_WINDOW,
                              .control_len = sizeof(preface) - 1};
    if (!are_frames(frames, len) || !(h2->request = malloc(len)))
        return false;
    memcpy(h2->request, frames, len);
    memcpy(h2->control, preface, h2->control_len);
    write_32(setting + 2, WIDEST);
    return add_control(h2, SETTINGS, 0, setting, sizeof(setting)) &&
           widen(h2, WIDEST - FIRST_WINDOW);
}

void load_http2_start(struct load_http2 *h2)
{
    h2->stream += h2->stream ? 2 : 1;
    for (size_t at = 0; at < h2->len;
         at += LOAD_HTTP2_HEAD + length_of(h2->request + at))
        write_32(h2->request + at + 5, h2->stream);
    h2->allowed = h2->data_bytes = 0;
    h2->of_stream = h2->first_window;
    h2->whole = false;
}

/* Frames are sent whole, so that others can go between them. */
static void allow(struct load_http2 *h2)
{
    while (h2->allowed < h2->len) {
        const char *head = h2->request + h2->allowed;
        int64_t data = type_of(head) == DATA ? (int64_t)length_of(head) : 0;

        if (data > h2->window || data > h2->of_stream)
            return;
        h2->window -= data;
        h2->of_stream -= data;
        h2->allowed += LOAD_HTTP2_HEAD + length_of(head);
    }
}

const void *load_http2_next(struct load_http2 *h2, size_t sent, size_t *len)
{
    if (sent == h2->allowed && h2->control_len > 0) {
        *len = h2->control_len - h2->control_sent;
        return h2->control + h2->control_sent;
    }
    if (sent == h2->allowed)
        allow(h2);
    *len = h2->allowed - sent;
    return *len > 0 ? h2->request + sent : NULL;
}

void load_http2_sent(struct load_http2 *h2, size_t len, size_t *sent)
{
    if (*sent < h2->allowed) {
        *sent += len;
        return;
    }
    h2->control_sent += len;
    if (h2->control_sent == h2->control_len)
        h2->control_sent = h2->control_len = 0;
}

static bool take_settings(struct load_http2 *h2)
{
    for (size_t at = 0; at + 6 <= h2->payload_len; at += 6) {
        const unsigned char *entry = h2->kept + at;
        int64_t value = read_32(entry + 2);

        if (entry[0] != 0 || entry[1] != INITIAL_WINDOW_SIZE)
            continue;
        h2->of_stream += value - h2->first_window;
        h2->first_window = value;
    }
    return (h2->head[4] & ACK) || add_control(h2, SETTINGS, ACK, "", 0);
}

static bool take_window(struct load_http2 *h2)
{
    uint32_t stream = read_32(h2->head + 5), by = read_32(h2->kept);

    if (stream == 0)
        h2->window += by;
    else if (stream == h2->stream)
        h2->of_stream += by;
    return true;
}

/* A frame is whole. */
static bool take_frame(struct load_http2 *h2)
{
    switch (type_of(h2->head)) {
    case DATA:
    case HEADERS:
        h2->whole |= (h2->head[4] & END_STREAM) != 0;
        return read_32(h2->head + 5) == h2->stream;
    case SETTINGS:
        return take_settings(h2);
    case PING:
        return (h2->head[4] & ACK) ||
               add_control(h2, PING, ACK, h2->kept, h2->payload_len);
    case WINDOW_UPDATE:
        return take_window(h2);
    case RST_STREAM:
    case GOAWAY:
        return false;
    default:
        return true;
    }
}

/* Its head is. False for one whose payload is wanted and too long. */
static bool begin_frame(struct load_http2 *h2)
{
    int type = type_of(h2->head);

    h2->payload_len = h2->payload_left = length_of(h2->head);
    if (type != DATA)
        return type == HEADERS || h2->payload_len <= LOAD_HTTP2_KEPT;
    h2->data_bytes += h2->payload_len;
    h2->unreported += h2->payload_len;
    if (h2->unreported < REPORTED)
        return true;
    if (!widen(h2, (uint32_t)h2->unreported))
        return false;
    h2->unreported = 0;
    return true;
}

static size_t take_payload(struct load_http2 *h2, const char *data, size_t len)
{
    size_t part = len < h2->payload_left ? len : h2->payload_left;

    if (h2->payload_len <= LOAD_HTTP2_KEPT)
        memcpy(h2->kept + h2->payload_len - h2->payload_left, data, part);
    h2->payload_left -= part;
    return part;
}

bool load_http2_take(struct load_http2 *h2, const char *data, size_t len)
{
    while (len > 0) {
        size_t part = LOAD_HTTP2_HEAD - h2->head_len;

        if (part > 0) {
            part = part < len ? part : len;
            memcpy(h2->head + h2->head_len, data, part);
            h2->head_len += part;
            if (h2->head_len == LOAD_HTTP2_HEAD && !begin_frame(h2))
                return false;
        } else {
            part = take_payload(h2, data, len);
        }
        data += part;
        len -= part;
        if (h2->head_len < LOAD_HTTP2_HEAD || h2->payload_left > 0)
            continue;
        h2->head_len = 0;
        if (!take_frame(h2))
            return false;
    }
    return true;
}
