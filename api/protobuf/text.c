#include "api/protobuf/text.h"

#include "api/base/utf8.h"

bool protobuf_text(const struct protobuf_field *field, const char *where,
                   struct protobuf_text *text, struct status *st)
{
    *text = (struct protobuf_text){(const char *)field->data, field->len};
    for (size_t at = 0, step; at < field->len; at += step) {
        step = field->data[at] < 0x80
                   ? 1
                   : utf8_length(field->data + at, field->len - at);
        if (step == 0)
            return status_fail(st, STATUS_MALFORMED,
                               "%s is not UTF-8: see its byte %zu", where, at);
    }
    return true;
}

bool protobuf_name(const struct protobuf_field *field, const char *where,
                   struct protobuf_text *text, struct status *st)
{
    return protobuf_text(field, where, text, st) &&
           (!memchr(text->text, '\0', text->len) ||
            status_fail(st, STATUS_INVALID, "%s holds a NUL character", where));
}
