#include "api/document/stripped.h"

#include <stdlib.h>
#include <string.h>

/* The number that stands for cut `i`, and a blank: were the array followed by
 * a digit, the two must not become one number. Returns the length. */
static size_t put_number(char *out, int i)
{
    size_t len = 0;

    if (i >= 10)
        out[len++] = (char)('0' + i / 10);
    out[len++] = (char)('0' + i % 10);
    out[len++] = ' ';
    return len;
}

static size_t number_len(int i)
{
    return i >= 10 ? 3 : 2;
}

static size_t measure(const struct json_skim *skim)
{
    size_t len = skim->end;

    for (int i = 0; i < skim->cut_count; i++)
        len = len - skim->cuts[i].len + number_len(i);
    return len;
}

bool json_skeleton_build(const char *text, struct json_skim *skim,
                         struct status *st)
{
    size_t from = 0, to = 0;

    skim->skeleton = malloc(measure(skim) + 1);
    if (!skim->skeleton)
        return status_fail(st, STATUS_NO_MEMORY, "out of memory");

    for (int i = 0; i < skim->cut_count; i++) {
        struct json_cut *cut = &skim->cuts[i];

        memcpy(skim->skeleton + to, text + from, cut->start - from);
        to += cut->start - from;
        cut->place = to;
        to += put_number(skim->skeleton + to, i);
        from = cut->start + cut->len;
    }
    memcpy(skim->skeleton + to, text + from, skim->end - from);
    skim->len = to + skim->end - from;
    skim->skeleton[skim->len] = '\0';
    return true;
}

size_t json_skim_origin(const struct json_skim *skim, size_t position)
{
    size_t shift = 0; /* what the cuts in front have taken away */

    for (int i = 0; i < skim->cut_count; i++) {
        const struct json_cut *cut = &skim->cuts[i];

        if (position < cut->place)
            break;
        if (position < cut->place + number_len(i))
            return cut->start;
        shift = cut->start + cut->len - (cut->place + number_len(i));
    }
    return position + shift;
}

void json_skim_free(struct json_skim *skim)
{
    free(skim->skeleton);
    skim->skeleton = NULL;
    skim->len = 0;
}
