#include "api/json_integers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/json_lexis.h"
#include "api/scan.h"

enum { LEAST_DIGITS = 19 }; /* of what needs more than 63 bits */

/* Of a number with `len` digits at `digits`. A fraction or exponent behind them
 * ends it too: such a number is real already. */
static bool is_too_large(const char *number, const char *digits, size_t len)
{
    if (len < LEAST_DIGITS || !json_ends_scalar(digits[len]))
        return false;
    errno = 0;
    strtoll(number, NULL, 10);
    return errno == ERANGE;
}

bool json_integers_soften(char *text, size_t len)
{
    char *at = text, *end = text + len;
    bool any = false;

    while (at < end) {
        char *digits = at + (*at == '-');
        size_t count = strspn(digits, "0123456789");

        if (*at == '"') {
            const char *behind = scan_string_end(at + 1, end);

            at = behind ? text + (behind - text) : end;
        } else if (count == 0) {
            at++;
        } else {
            if (is_too_large(at, digits, count)) {
                memcpy(digits + count - 3, "e+3", 3);
                any = true;
            }
            for (at = digits + count; at < end && !json_ends_scalar(*at);)
                at++;
        }
    }
    return any;
}
