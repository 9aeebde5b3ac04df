#include "tests/api/number/near.h"

#include <stdio.h>
#include <string.h>

void near_write(const char *exact, bool less, const char *tail, char *text)
{
    const char *exponent = strchr(exact, 'e');
    const char *last = exponent;
    size_t len;

    do
        last--;
    while (*last == '0' || *last == '.');
    len = (size_t)(last - exact) + 1;
    memcpy(text, exact, len);
    text[len - 1] = (char)(text[len - 1] - less);
    sprintf(text + len, "%s%s%s", memchr(text, '.', len) ? "" : ".", tail,
            exponent);
}
