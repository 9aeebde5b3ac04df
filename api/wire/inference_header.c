#include "api/wire/inference_header.h"

#include <stdint.h>
#include <string.h>

bool inference_header_read(const char *header, size_t body_len, size_t *len,
                           struct status *st)
{
    size_t digits = header ? strspn(header, "0123456789") : 0;
    uint64_t value = 0;

    *len = body_len;
    if (!header)
        return true;
    if (digits == 0 || header[digits] != '\0')
        return status_fail(st, STATUS_INVALID,
                           "Inference-Header-Content-Length is '%.40s', but it "
                           "must be a number of bytes",
                           header);
    for (size_t i = 0; i < digits && value <= body_len; i++)
        value = value * 10 + (uint64_t)(header[i] - '0');
    if (value > body_len)
        return status_fail(st, STATUS_INVALID,
                           "Inference-Header-Content-Length is %.40s, but the "
                           "body has %zu bytes",
                           header, body_len);
    if (value == 0)
        return status_fail(st, STATUS_INVALID,
                           "Inference-Header-Content-Length is 0, which asks "
                           "for a raw binary request: no model here takes one, "
                           "for each has two inputs");
    *len = (size_t)value;
    return true;
}
