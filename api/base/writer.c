#include "api/base/writer.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "api/base/text.h"
#include "kernels/core/require.h"

void writer_more(struct writer *w, const void *bytes, size_t len)
{
    size_t size = w->size ? w->size : 512;
    char *data = NULL;

    REQUIRE(w->len <= w->size);
    if (w->grows && !w->failed) {
        while (size - w->len < len)
            size *= 2;
        data = realloc(w->data, size);
    }
    w->failed = !data;
    if (!data)
        return;
    w->data = data;
    w->size = size;
    memcpy(data + w->len, bytes, len);
    w->len += len;
}

/* What follows the backslash of an ASCII byte's escape; '.': it has none. */
static const char letters[] = "uuuuuuuubtnufruu"
                              "uuuuuuuuuuuuuuuu"
                              "..\"............."
                              "................"
                              "................"
                              "............\\..."
                              "................"
                              "................";

/* Writes one byte of a string; returns the length, at most 6. */
static inline size_t put(unsigned char c, char *out)
{
    static const char digits[] = "0123456789abcdef";

    if (c >= sizeof(letters) - 1 || letters[c] == '.') {
        *out = (char)c;
        return 1;
    }
    out[0] = '\\';
    out[1] = letters[c];
    if (out[1] != 'u')
        return 2;
    out[2] = out[3] = '0';
    out[4] = digits[c >> 4];
    out[5] = digits[c & 15];
    return 6;
}

bool json_text_length(const unsigned char *text, size_t len, size_t *bytes)
{
    size_t i = 0, step;

    *bytes = 2;
    for (; i < len; i += step) {
        step = text[i] < 0x80 ? 1 : utf8_length(text + i, len - i);
        if (step == 0)
            return false;
        *bytes += step;
        if (text[i] < 0x80 && letters[text[i]] != '.')
            *bytes += letters[text[i]] == 'u' ? 5 : 1;
    }
    return true;
}

char *json_text_write(const unsigned char *text, size_t len, char *out)
{
    *out++ = '"';
    for (size_t i = 0; i < len; i++)
        out += put(text[i], out);
    *out++ = '"';
    return out;
}

/* Bytes at `text` that are written as they are. */
static inline size_t plain_run(const unsigned char *text, size_t len,
                               bool escapes)
{
    size_t i = 0, step = 1;

    for (; i < len && step > 0; i += step)
        if (len - i >= SCAN_BLOCK &&
            !scan_special(scan_load((const char *)text + i)))
            step = SCAN_BLOCK;
        else
            step = text[i] < 0x80 ? !escapes || letters[text[i]] == '.'
                                  : utf8_length(text + i, len - i);
    return i;
}

static inline void write_utf8(struct writer *w, const char *text, size_t len,
                              bool escapes)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + len;
    char code[6];

    for (;; at++) {
        size_t run = plain_run(at, (size_t)(end - at), escapes);

        writer_bytes(w, at, run);
        at += run;
        if (at == end)
            break;
        if (*at < 0x80)
            writer_bytes(w, code, put(*at, code));
        else
            writer_text(w, "\xEF\xBF\xBD");
    }
}

void writer_utf8(struct writer *w, const char *text, size_t len)
{
    write_utf8(w, text, len, false);
}

void json_write_string_bytes(struct writer *w, const char *text, size_t len)
{
    writer_text(w, "\"");
    write_utf8(w, text, len, true);
    writer_text(w, "\"");
}

void json_write_string(struct writer *w, const char *text)
{
    json_write_string_bytes(w, text, strlen(text));
}

void json_write_uint(struct writer *w, uint64_t value)
{
    char text[20]; /* the most digits of 64 bits */
    char *at = text + sizeof(text);

    do {
        *--at = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    writer_bytes(w, at, (size_t)(text + sizeof(text) - at));
}

void json_write_int(struct writer *w, int64_t value)
{
    if (value < 0)
        writer_text(w, "-");
    json_write_uint(w, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void json_write_print(struct writer *w, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    while (*format) {
        size_t len = (size_t)(strchrnul(format, '%') - format);

        writer_bytes(w, format, len);
        format += len;
        if (!*format)
            break;
        if (format[1] == 's')
            json_write_string(w, va_arg(args, const char *));
        else
            json_write_uint(w, va_arg(args, unsigned long long));
        format += format[1] == 's' ? sizeof("%s") - 1 : sizeof("%llu") - 1;
    }
    va_end(args);
}

void json_write_shape(struct writer *w, const struct shape *shape)
{
    writer_text(w, "[");
    for (int i = 0; i < shape->rank; i++) {
        if (i > 0)
            writer_text(w, ",");
        json_write_int(w, shape->dims[i]);
    }
    writer_text(w, "]");
}
