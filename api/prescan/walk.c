#include "api/prescan/walk.h"

#include "api/lex/scan.h"

bool walk_fail(struct walk *w, const char *reason)
{
    return status_fail(w->st, STATUS_INVALID, "malformed JSON at byte %zu: %s",
                       (size_t)(w->at - w->text), reason);
}

void walk_skip_space(struct walk *w)
{
    while (w->at < w->end && scan_is_space(*w->at))
        w->at++;
}

static bool count_value(struct walk *w)
{
    if (++w->values <= WALK_MAX_VALUES)
        return true;
    return status_fail(w->st, STATUS_INVALID,
                       "the document has more than %d values outside of its "
                       "data arrays, at byte %zu",
                       WALK_MAX_VALUES, (size_t)(w->at - w->text));
}

static bool read_string(struct walk *w)
{
    const char *start = w->at + 1;
    const char *after = scan_string_end(start, w->end);
    enum document_key key = w->wants_key ? DOCUMENT_KEY_OTHER : w->key;

    if (!after)
        return walk_fail(w, "a string is not closed");
    w->key = DOCUMENT_KEY_OTHER;
    if (w->wants_key)
        w->key = keys_identify(start, (size_t)(after - 1 - start), w->depth,
                               w->in_inputs);
    else if (!count_value(w))
        return false;
    if (key == DOCUMENT_KEY_ID)
        w->stripped->id = (struct data_span){
            .start = (size_t)(w->at - w->text),
            .len = (size_t)(after - w->at),
        };
    if (key == DOCUMENT_KEY_DATATYPE) {
        w->open.datatype = (size_t)(start - w->text);
        w->open.datatype_len = (size_t)(after - 1 - start);
    }
    w->wants_key = false;
    w->at = after;
    return true;
}

/* Passes a number, a word or garbage, which jansson will judge. Only a NUL byte
 * behind a number must be found here: jansson 2.14 reads [1\0] as [1]. */
static bool read_scalar(struct walk *w)
{
    if (w->depth == 0)
        return walk_fail(w, "'{' is expected");
    if (!count_value(w))
        return false;
    w->key = DOCUMENT_KEY_OTHER;
    for (; w->at < w->end && !value_is_terminator(*w->at); w->at++)
        if (*w->at == '\0')
            return walk_fail(w, "a NUL byte");
    return true;
}

static bool open_level(struct walk *w, bool object)
{
    if (w->depth == WALK_MAX_DEPTH)
        return status_fail(w->st, STATUS_INVALID,
                           "the document is nested more than %d deep, at byte "
                           "%zu",
                           WALK_MAX_DEPTH, (size_t)(w->at - w->text));
    if (!count_value(w))
        return false;
    if (w->depth == KEYS_TOP_LEVEL) {
        w->in_inputs = !object && w->key == DOCUMENT_KEY_INPUTS;
        w->input = 0;
    }
    w->depth++;
    w->objects[w->depth] = object;
    w->wants_key = object;
    w->key = DOCUMENT_KEY_OTHER;
    w->at++;
    return true;
}

static bool close_level(struct walk *w, bool object)
{
    if (w->depth == 0)
        return walk_fail(w, "'{' is expected");
    if (w->objects[w->depth] != object)
        return walk_fail(w, object ? "'}' closes an array"
                                   : "']' closes an object");
    w->depth--;
    w->wants_key = false;
    w->at++;
    return true;
}

static bool pass_comma(struct walk *w)
{
    if (w->depth == 0)
        return walk_fail(w, "'{' is expected");
    w->wants_key = w->objects[w->depth];
    w->key = DOCUMENT_KEY_OTHER;
    if (w->depth == KEYS_INPUTS_LEVEL) {
        w->input++;
        w->open.datatype = w->open.datatype_len = 0;
    }
    w->at++;
    return true;
}

static bool pass_data_array(struct walk *w)
{
    const char *after = value_array_end(w->text, w->at, w->end, w->validated);
    struct stripped_document *stripped = w->stripped;

    if (!after) {
        w->open.start = (size_t)(w->at - w->text);
        return walk_fail(w, "the array is not closed");
    }
    if (stripped->span_count == STRIPPED_MAX_SPANS)
        return status_fail(w->st, STATUS_INVALID,
                           "the document has more than %d data arrays, at byte "
                           "%zu",
                           STRIPPED_MAX_SPANS, (size_t)(w->at - w->text));
    stripped->spans[stripped->span_count++] = (struct data_span){
        .start = (size_t)(w->at - w->text),
        .len = (size_t)(after - w->at),
    };
    w->span_bytes += (size_t)(after - w->at);
    w->at = after;
    return count_value(w);
}

/* At the colon behind a key. null, and bytes that start no value, are left to
 * jansson. */
static bool read_value(struct walk *w)
{
    const char *name;

    w->at++;
    if (w->key != DOCUMENT_KEY_DATA)
        return true;
    walk_skip_space(w);
    if (w->at == w->end)
        return true;
    if (*w->at == '[')
        return pass_data_array(w);
    name = value_type_name(*w->at);
    if (!name)
        return true;
    return status_fail(w->st, STATUS_INVALID,
                       "inputs[%zu].data at byte %zu is %s, but it must be an "
                       "array",
                       w->input, (size_t)(w->at - w->text), name);
}

bool walk_step(struct walk *w)
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
