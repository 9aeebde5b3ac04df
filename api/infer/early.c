/* What is done with a document while it arrives. */
#include "api/api.h"
#include "api/lex/scan.h"
#include "api/prescan/prescan.h"
#include "api/tensor_json/tensor_json.h"

enum { TRIES = 8 }; /* to find a large array; each looks at all there is */

static bool find(struct api_early *early, const char *text, size_t len)
{
    struct open_array open;
    size_t at;

    early->over = ++early->tries == TRIES;
    if (!prescan_open_array(text, len, &open))
        return false;
    for (at = open.start + 1; at < len && scan_is_space(text[at]); at++)
        ;
    if (at == len)
        return false;
    early->over =
        !dtype_parse(text + open.datatype, open.datatype_len, &early->dtype);
    early->start = early->over ? 0 : open.start;
    early->behind = at;
    return !early->over;
}

void api_read_early(struct api_early *early, const unsigned char *body,
                    size_t len)
{
    const char *text = (const char *)body;
    size_t at;

    if (early->over || (early->start == 0 && !find(early, text, len)))
        return;
    at = early->behind - early->start;
    early->over =
        !tensor_json_read_early(early->dtype, text + early->start,
                                len - early->start, &at, &early->lengths);
    early->behind = early->start + at;
}
