#include "api/document/clamp_numbers.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/document/keys.h"
#include "api/lex/scan.h"

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

static bool soften_integer(const char *number, char *digits, size_t len)
{
    if (!is_too_large(number, digits, len))
        return false;
    memcpy(digits + len - 3, "e+3", 3);
    return true;
}

/* The digits of the exponent, if that is what the number ends with. */
static char *find_exponent(char *number, const char *end)
{
    while (number < end && *number != 'e' && *number != 'E')
        number++;
    if (number == end)
        return NULL;
    number++;
    number += *number == '-' || *number == '+';
    return number + strspn(number, "0123456789") == end ? number : NULL;
}

/* Its form stays, so what is no number stays none. One that would become small
 * remains too large. */
static bool soften_real(char *number, const char *end)
{
    char *digits = find_exponent(number, end);
    double value;

    if (!digits || end - digits < 2 || isfinite(strtod(number, NULL)))
        return false;
    memset(digits, '0', (size_t)(end - digits));
    memcpy(digits + (end - digits) - 2, "99", 2);
    value = fabs(strtod(number, NULL));
    if (isfinite(value) && value > (double)FLT_MAX)
        return true;
    memset(digits, '9', (size_t)(end - digits));
    return false;
}

static const char *find_end(const char *at, const char *end)
{
    while (at < end && !json_ends_scalar(*at))
        at++;
    return at;
}

bool json_overflow_soften(char *text, size_t len)
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
            const char *behind = find_end(digits + count, end);

            if (soften_integer(at, digits, count) || soften_real(at, behind))
                any = true;
            at = text + (behind - text);
        }
    }
    return any;
}
