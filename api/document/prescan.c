#include "api/document/prescan.h"

#include "api/document/keys.h"
#include "api/document/stripped.h"
#include "api/lex/scan.h"

struct walk {
    const char *text; /* borrowed */
    const char *end;
    const char *at;
    struct json_skim *skim;         /* borrowed */
    const struct json_known *known; /* borrowed */
    struct json_open open;
    struct status *st; /* borrowed */
    int depth;
    bool objects[JSON_SKIM_MAX_DEPTH + 1]; /* what each level is */
    bool wants_key; /* the next string of the object at hand is a key */
    enum json_key key;
    bool in_inputs; /* inside the top-level array "inputs" */
    size_t input;   /* place in that array */
    int values;
    size_t cut_bytes;
};

static bool malformed(struct walk *w, const char *at, const char *what)
{
    return status_fail(w->st, STATUS_INVALID, "malformed JSON at byte %zu: %s",
                       (size_t)(at - w->text), what);
}

static void skip_space(struct walk *w)
{
    while (w->at < w->end && scan_is_space(*w->at))
        w->at++;
}

static bool count_value(struct walk *w)
{
    if (++w->values <= JSON_SKIM_MAX_VALUES)
        return true;
    return status_fail(w->st, STATUS_INVALID,
                       "the document has more than %d values outside of its "
                       "data arrays, at byte %zu",
                       JSON_SKIM_MAX_VALUES, (size_t)(w->at - w->text));
}

static bool read_string(struct walk *w)
{
    const char *start = w->at + 1;
    const char *behind = scan_string_end(start, w->end);
    enum json_key key = w->wants_key ? JSON_KEY_OTHER : w->key;

    if (!behind)
        return malformed(w, w->at, "a string is not closed");
    w->key = JSON_KEY_OTHER;
    if (w->wants_key)
        w->key = json_key_of(start, (size_t)(behind - 1 - start), w->depth,
                             w->in_inputs);
    else if (!count_value(w))
        return false;
    if (key == JSON_KEY_ID)
        w->skim->id = (struct json_cut){
            .start = (size_t)(w->at - w->text),
            .len = (size_t)(behind - w->at),
        };
    if (key == JSON_KEY_DATATYPE) {
        w->open.datatype = (size_t)(start - w->text);
        w->open.datatype_len = (size_t)(behind - 1 - start);
    }
    w->wants_key = false;
    w->at = behind;
    return true;
}

/* Numbers, words, and what is none: jansson will say. Only a NUL byte behind a
 * number is lost on jansson 2.14, which would read [1\0] as [1]. */
static bool read_scalar(struct walk *w)
{
    if (w->depth == 0)
        return malformed(w, w->at, "'{' is expected");
    if (!count_value(w))
        return false;
    w->key = JSON_KEY_OTHER;
    for (; w->at < w->end && !json_ends_scalar(*w->at); w->at++)
        if (*w->at == '\0')
            return malformed(w, w->at, "a NUL byte");
    return true;
}

static bool open_level(struct walk *w, bool object)
{
    if (w->depth == JSON_SKIM_MAX_DEPTH)
        return status_fail(w->st, STATUS_INVALID,
                           "the document is nested more than %d deep, at byte "
                           "%zu",
                           JSON_SKIM_MAX_DEPTH, (size_t)(w->at - w->text));
    if (!count_value(w))
        return false;
    if (w->depth == JSON_TOP_LEVEL) {
        w->in_inputs = !object && w->key == JSON_KEY_INPUTS;
        w->input = 0;
    }
    w->depth++;
    w->objects[w->depth] = object;
    w->wants_key = object;
    w->key = JSON_KEY_OTHER;
    w->at++;
    return true;
}

static bool close_level(struct walk *w, bool object)
{
    if (w->depth == 0)
        return malformed(w, w->at, "'{' is expected");
    if (w->objects[w->depth] != object)
        return malformed(
            w, w->at, object ? "'}' closes an array" : "']' closes an object");
    w->depth--;
    w->wants_key = false;
    w->at++;
    return true;
}

static bool pass_comma(struct walk *w)
{
    if (w->depth == 0)
        return malformed(w, w->at, "'{' is expected");
    w->wants_key = w->objects[w->depth];
    w->key = JSON_KEY_OTHER;
    if (w->depth == JSON_INPUTS_LEVEL) {
        w->input++;
        w->open.datatype = w->open.datatype_len = 0;
    }
    w->at++;
    return true;
}

static bool cut_array(struct walk *w)
{
    const char *behind = json_array_end(w->text, w->at, w->end, w->known);
    struct json_cut *cut = &w->skim->cuts[w->skim->cut_count];

    if (!behind) {
        w->open.start = (size_t)(w->at - w->text);
        return malformed(w, w->at, "the array is not closed");
    }
    if (w->skim->cut_count == JSON_SKIM_MAX_CUTS)
        return status_fail(w->st, STATUS_INVALID,
                           "the document has more than %d data arrays, at byte "
                           "%zu",
                           JSON_SKIM_MAX_CUTS, (size_t)(w->at - w->text));
    cut->start = (size_t)(w->at - w->text);
    cut->len = (size_t)(behind - w->at);
    w->skim->cut_count++;
    w->cut_bytes += cut->len;
    w->at = behind;
    return count_value(w);
}

/* Behind a colon. null, and what starts no value, is left to jansson. */
static bool read_value(struct walk *w)
{
    const char *name;

    w->at++;
    if (w->key != JSON_KEY_DATA)
        return true;
    skip_space(w);
    if (w->at == w->end)
        return true;
    if (*w->at == '[')
        return cut_array(w);
    name = json_name_of(*w->at);
    if (!name)
        return true;
    return status_fail(w->st, STATUS_INVALID,
                       "inputs[%zu].data at byte %zu is %s, but it must be an "
                       "array",
                       w->input, (size_t)(w->at - w->text), name);
}

static bool step(struct walk *w)
{
    switch (*w->at) {
    case ' ':
    case '\n':
    case '\r':
    case '\t':
        w->at++;
        return true;
    case '{':
    case '[':
        return open_level(w, *w->at == '{');
    case '}':
    case ']':
        return close_level(w, *w->at == '}');
    case ',':
        return pass_comma(w);
    case ':':
        return read_value(w);
    case '"':
        return read_string(w);
    default:
        return read_scalar(w);
    }
}

static bool fits(struct walk *w)
{
    size_t kept = (size_t)(w->at - w->text) - w->cut_bytes;

    if (kept <= JSON_SKIM_MAX_SKELETON)
        return true;
    return status_fail(w->st, STATUS_TOO_LARGE,
                       "the document has more than %d bytes outside of its "
                       "data arrays",
                       JSON_SKIM_MAX_SKELETON);
}

static bool read_document(struct walk *w)
{
    do {
        if (w->at == w->end)
            return malformed(w, w->at,
                             w->values ? "the document ends too early"
                                       : "the document is empty");
        if (!step(w) || !fits(w))
            return false;
    } while (w->depth > 0 || w->values == 0);
    w->skim->end = (size_t)(w->at - w->text);
    skip_space(w);
    if (w->at == w->end)
        return true;
    w->skim->trailing = true;
    return malformed(w, w->at, "bytes follow the document");
}

static const struct json_known nothing;

bool json_skim_known(const char *text, size_t len,
                     const struct json_known *known, struct json_skim *skim,
                     struct status *st)
{
    struct walk w = {.text = text,
                     .end = text + len,
                     .at = text,
                     .skim = skim,
                     .known = known,
                     .st = st};

    *skim = (struct json_skim){0};
    if (!read_document(&w))
        return false;
    return json_skeleton_build(text, skim, st);
}

bool json_skim(const char *text, size_t len, struct json_skim *skim,
               struct status *st)
{
    return json_skim_known(text, len, &nothing, skim, st);
}

bool json_skim_open(const char *text, size_t len, struct json_open *open)
{
    struct json_skim skim = {.len = 0};
    struct status st;
    struct walk w = {.text = text,
                     .end = text + len,
                     .at = text,
                     .skim = &skim,
                     .known = &nothing,
                     .st = &st};

    read_document(&w);
    *open = w.open;
    return open->start > 0;
}
