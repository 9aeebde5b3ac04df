#include "api/base/json_writer.h"

#include <stdlib.h>
#include <string.h>

#include "api/base/utf8.h"

void json_writer_init(struct json_writer *w, char *data, size_t size)
{
    *w = (struct json_writer){.data = data, .size = data ? size : 0};
}

void json_writer_grow(struct json_writer *w)
{
    *w = (struct json_writer){.grows = true};
}

static bool grow(struct json_writer *w, size_t more)
{
    size_t size = w->size ? w->size : 512;
    char *data;

    if (!w->grows)
        return false;
    while (size - w->len < more)
        size *= 2;
    data = realloc(w->data, size);
    if (!data)
        return false;
    w->data = data;
    w->size = size;
    return true;
}

void json_writer_more(struct json_writer *w, const char *text, size_t len)
{
    bool measures = !w->data && !w->grows;

    w->failed = w->failed || (!measures && !grow(w, len));
    if (w->failed)
        return;
    if (!measures)
        memcpy(w->data + w->len, text, len);
    w->len += len;
}

static void write_escaped(struct json_writer *w, unsigned char c)
{
    static const char digits[] = "0123456789abcdef";
    static const char bytes[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *known = memchr(bytes, c, sizeof(bytes) - 1);
    const char code[] = {'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]};
    const char plain[] = {'\\', known ? letters[known - bytes] : '\0'};

    if (known)
        json_writer_bytes(w, plain, sizeof(plain));
    else
        json_writer_bytes(w, code, sizeof(code));
}

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* Bytes at `text` that need no escape. */
static size_t plain_run(const unsigned char *text, size_t len)
{
    size_t i = 0, step = 1;

    while (step > 0) {
        while (i < len && is_plain(text[i]))
            i++;
        step = i < len && text[i] >= 0x80 ? utf8_length(text + i, len - i) : 0;
        i += step;
    }
    return i;
}

bool json_writer_string_bytes(struct json_writer *w, const char *text,
                              size_t len)
{
    const unsigned char *at = (const unsigned char *)text;
    bool is_utf8 = true;

    json_writer_raw(w, "\"");
    while (len > 0) {
        size_t run = plain_run(at, len);

        json_writer_bytes(w, (const char *)at, run);
        at += run;
        len -= run;
        if (len == 0)
            break;
        if (*at < 0x80) {
            write_escaped(w, *at);
        } else {
            json_writer_raw(w, "\xEF\xBF\xBD");
            is_utf8 = false;
        }
        at++;
        len--;
    }
    json_writer_raw(w, "\"");
    return is_utf8;
}

void json_writer_string(struct json_writer *w, const char *text)
{
    json_writer_string_bytes(w, text, strlen(text));
}

static void write_number(struct json_writer *w, bool negative, uint64_t left)
{
    char text[24]; /* 64 bits have at most 20 digits, or 19 and a sign */
    char *at = text + sizeof(text);

    do {
        *--at = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (negative)
        *--at = '-';
    json_writer_bytes(w, at, (size_t)(text + sizeof(text) - at));
}

void json_writer_int(struct json_writer *w, int64_t value)
{
    write_number(w, value < 0,
                 value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void json_writer_uint(struct json_writer *w, uint64_t value)
{
    write_number(w, false, value);
}

void json_writer_vprint(struct json_writer *w, const char *format, va_list args)
{
    while (*format) {
        size_t len = strcspn(format, "%");

        json_writer_bytes(w, format, len);
        format += len;
        if (!*format)
            break;
        if (format[1] == 's')
            json_writer_string(w, va_arg(args, const char *));
        else if (format[3] == 'd')
            json_writer_int(w, va_arg(args, long long));
        else
            json_writer_uint(w, va_arg(args, unsigned long long));
        format += format[1] == 's' ? sizeof("%s") - 1 : sizeof("%lld") - 1;
    }
}

void json_writer_print(struct json_writer *w, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    json_writer_vprint(w, format, args);
    va_end(args);
}

void json_writer_shape(struct json_writer *w, const struct shape *shape)
{
    json_writer_raw(w, "[");
    for (int i = 0; i < shape->rank; i++) {
        if (i > 0)
            json_writer_raw(w, ",");
        json_writer_int(w, shape->dims[i]);
    }
    json_writer_raw(w, "]");
}
