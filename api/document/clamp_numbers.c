#include "api/document/clamp_numbers.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/lex/scan.h"
#include "api/prescan/value.h"

enum { LEAST_DIGITS = 19 }; /* of an integer that needs more than 63 bits */

/* True if the integer at `number`, with `len` digits at `digits`, does not fit
 * 64 bits. Digits that a fraction or an exponent follows belong to a real
 * number, which is_too_large() does not judge. */
static bool is_too_large(const char *number, const char *digits, size_t len)
{
    if (len < LEAST_DIGITS || !value_is_terminator(digits[len]))
        return false;
    errno = 0;
    strtoll(number, NULL, 10);
    return errno == ERANGE;
}

static bool clamp_integer(const char *number, char *digits, size_t len)
{
    if (!is_too_large(number, digits, len))
        return false;
    memcpy(digits + len - 3, "e+3", 3);
    return true;
}

/* The digits of the exponent; NULL when the number does not end with one. */
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

/* Rewrites the exponent only, so that malformed text stays malformed. A number
 * that would come into the range of FP32 keeps an exponent that is too large.
 */
static bool clamp_real(char *number, const char *end)
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
    while (at < end && !value_is_terminator(*at))
        at++;
    return at;
}

bool clamp_numbers(char *text, size_t len)
{
    char *at = text, *end = text + len;
    bool any = false;

    while (at < end) {
        char *digits = at + (*at == '-');
        size_t count = strspn(digits, "0123456789");

        if (*at == '"') {
            const char *after = scan_string_end(at + 1, end);

            at = after ? text + (after - text) : end;
        } else if (count == 0) {
            at++;
        } else {
            const char *after = find_end(digits + count, end);

            if (clamp_integer(at, digits, count) || clamp_real(at, after))
                any = true;
            at = text + (after - text);
        }
    }
    return any;
}
