#include "api/prescan/walk.h"

#include <string.h>

const char *walk_array_end(const struct document_text *text, const char *at,
                           const char *end)
{
    const struct validated_part *part = &text->validated;

    if (part->start > 0 && part->start == (size_t)(at - text->text))
        return scan_list_end(text->text + part->validated_end, end);
    return scan_list_end(at + 1, end);
}

bool walk_fail(struct walk *w, const char *reason)
{
    return status_fail(w->st, STATUS_INVALID, "malformed JSON at byte %zu: %s",
                       walk_offset(w), reason);
}

static bool fail_limit(struct walk *w, int limit, const char *what)
{
    return status_fail(w->st, STATUS_INVALID,
                       "the document has more than %d %s, at byte %zu", limit,
                       what, walk_offset(w));
}

/* True if the values passed are most likely those of instances. */
static bool has_instances(const struct walk *w)
{
    static const char first[] = "\"instances\"", second[] = "\"inputs\"";
    const char *text = w->document->text;
    const char *at = memmem(text, walk_offset(w), first, sizeof(first) - 1);

    return at && !memmem(text, (size_t)(at - text), second, sizeof(second) - 1);
}

static bool count_value(struct walk *w)
{
    if (++w->values <= WALK_MAX_VALUES)
        return true;
    if (has_instances(w))
        return status_fail(w->st, STATUS_INVALID, WALK_INSTANCES);
    return fail_limit(w, WALK_MAX_VALUES, "values outside of its data arrays");
}

/* The value from w->at to `end`, without `quotes` bytes at either end. */
static struct data_span span_to(const struct walk *w, const char *end,
                                size_t quotes)
{
    return (struct data_span){.start = walk_offset(w) + quotes,
                              .len = (size_t)(end - w->at) - 2 * quotes};
}

static void note_string(struct walk *w, const char *end)
{
    if (w->key == WALK_KEY_ID)
        w->stripped->id = span_to(w, end, 0);
    if (w->key == WALK_KEY_TIMEOUT)
        w->timeout = span_to(w, end, 1);
    if (w->key == WALK_KEY_DATATYPE)
        w->open.datatype = span_to(w, end, 1);
}

static bool read_string(struct walk *w)
{
    const char *start = w->at + 1;
    const char *after = scan_string_end(start, w->end);

    if (!after)
        return walk_fail(w, "a string is not closed");
    if (w->wants_key) {
        w->key = walk_identify(w, start, (size_t)(after - 1 - start));
    } else {
        if (!count_value(w))
            return false;
        note_string(w, after);
        w->key = WALK_KEY_OTHER;
    }
    w->wants_key = false;
    w->at = after;
    return true;
}

static bool is_number_start(char c)
{
    return c == '-' || scan_is_digit(c);
}

/* True for a number that jansson may not keep as it is. */
static bool is_inexact(const char *number, size_t len)
{
    for (size_t i = 1; i < len && len < WALK_LONG_NUMBER; i++)
        if (!scan_is_digit(number[i]))
            return true;
    return len >= WALK_LONG_NUMBER;
}

/* Notes where it will stand in the stripped text. */
static void note_number(struct walk *w, size_t len)
{
    struct stripped_document *stripped = w->stripped;
    size_t at = walk_offset(w) - w->span_bytes +
                WALK_REPLACED * (size_t)stripped->span_count;

    if (stripped->numbers.len == 0)
        stripped->numbers.start = at;
    stripped->numbers.len = at + len - stripped->numbers.start;
}

/* Bounds numbers: jansson takes 20 to 50 ns for each digit of one. */
static bool check_number(struct walk *w, size_t len)
{
    if (is_inexact(w->at, len))
        note_number(w, len);
    return len <= WALK_MAX_NUMBER ||
           status_fail(w->st, STATUS_INVALID,
                       "the number at byte %zu has %zu characters, but the "
                       "limit outside of data arrays is %d",
                       walk_offset(w), len, WALK_MAX_NUMBER);
}

/* Passes a number, a word or garbage, which jansson will judge. Only a NUL byte
 * behind a number must be found here: jansson 2.14 reads [1\0] as [1]. */
static bool read_scalar(struct walk *w)
{
    const char *after = w->at;

    if (!count_value(w))
        return false;
    while (after < w->end && !strchr("\",:[]{} \t\r\n", *after))
        after++;
    if (is_number_start(*w->at) && !check_number(w, (size_t)(after - w->at)))
        return false;
    if (w->key == WALK_KEY_TIMEOUT)
        w->timeout = span_to(w, after, 0);
    w->key = WALK_KEY_OTHER;
    w->at = after;
    return after == w->end || *after || walk_fail(w, "a NUL byte");
}

static bool open_level(struct walk *w, bool object)
{
    enum walk_key section = object ? WALK_KEY_PARAMETERS : WALK_KEY_INPUTS;

    if (w->depth == WALK_MAX_DEPTH)
        return status_fail(w->st, STATUS_INVALID,
                           "the document is nested more than %d deep, at byte "
                           "%zu",
                           WALK_MAX_DEPTH, walk_offset(w));
    if (!count_value(w))
        return false;
    if (w->depth == WALK_TOP_LEVEL) {
        w->section = w->key == section ? section : WALK_KEY_OTHER;
        w->input = 0;
    }
    w->depth++;
    w->objects[w->depth] = object;
    w->wants_key = object;
    w->key = WALK_KEY_OTHER;
    w->at++;
    return true;
}

static bool close_level(struct walk *w, bool object)
{
    if (w->objects[w->depth] != object)
        return walk_fail(w, object ? "'}' closes an array"
                                   : "']' closes an object");
    w->depth--;
    if (w->depth == WALK_TOP_LEVEL)
        w->section = WALK_KEY_OTHER;
    w->wants_key = false;
    w->at++;
    return true;
}

static bool pass_comma(struct walk *w)
{
    w->wants_key = w->objects[w->depth];
    w->key = WALK_KEY_OTHER;
    if (w->depth == WALK_MEMBER_LEVEL) {
        w->input++;
        w->open.datatype = (struct data_span){0};
    }
    w->at++;
    return true;
}

static bool pass_data_array(struct walk *w)
{
    const char *after = walk_array_end(w->document, w->at, w->end);
    struct stripped_document *stripped = w->stripped;

    if (!after) {
        w->open.start = walk_offset(w);
        return walk_fail(w, "the array is not closed");
    }
    if (stripped->span_count == WALK_MAX_SPANS)
        return fail_limit(w, WALK_MAX_SPANS, "data arrays");
    stripped->spans[stripped->span_count++] = span_to(w, after, 0);
    w->span_bytes += (size_t)(after - w->at);
    w->at = after;
    return count_value(w);
}

/* The name that errors give to the kind of value that starts with `c`; NULL for
 * null, and bytes that start no value. */
static const char *type_name(char c)
{
    if (c == '"')
        return "a string";
    if (c == '{')
        return "an object";
    if (c == 't' || c == 'f')
        return "a boolean";
    return is_number_start(c) ? "a number" : NULL;
}

/* At the colon behind a key. null, and bytes that start no value, are left to
 * jansson. */
static bool read_value(struct walk *w)
{
    const char *name;

    w->at++;
    if (w->key != WALK_KEY_DATA)
        return true;
    walk_skip_space(w);
    if (w->at == w->end)
        return true;
    if (*w->at == '[')
        return pass_data_array(w);
    name = type_name(*w->at);
    return !name ||
           status_fail(w->st, STATUS_INVALID,
                       "inputs[%zu].data at byte %zu is %s, but it must be an "
                       "array",
                       w->input, walk_offset(w), name);
}

bool walk_step(struct walk *w)
{
    char c = *w->at;

    if (scan_is_space(c)) {
        w->at++;
        return true;
    }
    if (c == '{' || c == '[')
        return open_level(w, c == '{');
    if (c == '"')
        return read_string(w);
    if (c == ':')
        return read_value(w);
    if (c == '}' || c == ']')
        return close_level(w, c == '}');
    return c == ',' ? pass_comma(w) : read_scalar(w);
}
