#include <stdlib.h>
#include <string.h>

#include "api/document/field.h"
#include "api/document/json_load.h"
#include "api/models/file_entry.h"
#include "api/prescan/foreign.h"

static const char *skip_space(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* The text behind the value, or the key, at `at` in a valid document. */
static const char *skip_value(const char *at)
{
    const size_t flags =
        JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL;
    json_error_t end;

    json_decref(json_loads(at, flags, &end));
    return at + end.position;
}

static const char *value_of(const char *key)
{
    return skip_space(skip_space(skip_value(key)) + 1);
}

/* The entry of the object or array at `at` that `step` of `len` bytes names: a
 * key, or "[1]". NULL when there is none. */
static const char *find_entry(const char *at, const char *step, size_t len)
{
    bool object = *at == '{';
    size_t index = object ? 0 : strtoul(step + 1, NULL, 10);

    if (!object && (*at != '[' || *step != '['))
        return NULL;
    do {
        at = skip_space(at + 1);
        if (*at == '}' || *at == ']')
            return NULL;
        if (object ? strncmp(at + 1, step, len) == 0 && at[len + 1] == '"'
                   : index-- == 0)
            return at;
        at = skip_space(skip_value(object ? value_of(at) : at));
    } while (*at == ',');
    return NULL;
}

/* The line of the value at `path`, "models[1].shape[0]" or "" for the whole
 * document, or of its entry `key` when that is not NULL; for a value that is
 * missing, of the object or array that would hold it. */
static size_t line_of(const char *text, const char *path, const char *key)
{
    const char *at = skip_space(text), *found = at;
    size_t line = 1;

    while (found && *path) {
        size_t len = 1 + strcspn(path + 1, ".[");

        found = find_entry(at, path, len);
        if (found)
            at = *at == '{' ? value_of(found) : found;
        path += len;
        path += *path == '.';
    }
    if (found && key)
        found = find_entry(at, key, strlen(key));
    for (found = found ? found : at; text < found; text++)
        line += *text == '\n';
    return line;
}

/* Puts line and path before the status's message; returns false. */
static bool fail_at(const char *text, const char *path, const char *key,
                    struct status *st)
{
    struct status what = *st;

    return status_fail(st, what.code, "line %zu: %s: %s",
                       line_of(text, path, key), path, what.message);
}

static bool read_list(const char *text, const json_t *list,
                      struct model_set *set, struct status *st)
{
    if (!json_is_array(list)) {
        status_fail(st, STATUS_INVALID,
                    "the file must be an object with an array 'models'");
        return fail_at(text, "", "models", st);
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct file_entry entry = {.object = json_array_get(list, i),
                                   .model = model_set_add(set),
                                   .set = set,
                                   .index = i};

        if (!file_entry_read(&entry, st))
            return fail_at(text, entry.path, entry.key, st);
        if (!model_set_assign_slot(set, entry.model, st))
            return false;
    }
    return true;
}

static bool read_file(const char *text, size_t len, struct model_set *set,
                      struct status *st)
{
    json_error_t error;

    if (!foreign_is_object(text, len))
        return foreign_refuse("file", text, len, st) ||
               fail_at(text, "", NULL, st);
    set->tree = json_load_text(text, len, true, &error);
    if (!set->tree && error.line < 0)
        return status_fail(st, STATUS_NO_MEMORY, "out of memory");
    if (!set->tree)
        return status_fail(st, STATUS_INVALID, "line %d: malformed JSON: %s%s",
                           error.line, error.text,
                           json_load_hint(text, len, &error));
    return read_list(text, field_get(set->tree, "models"), set, st);
}

struct model_set *api_models_read(const char *text, size_t len,
                                  const struct model_set *previous,
                                  struct status *st)
{
    struct model_set *set = model_set_new(previous, st);
    size_t mark = foreign_mark(text, len);

    if (set && read_file(text + mark, len - mark, set, st))
        return set;
    api_models_unref(set);
    return NULL;
}
