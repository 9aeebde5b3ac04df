#include <limits.h>

#include "api/models/file_entry.h"

/* Puts the line of the byte at `start`, and where it is, before the status's
 * message; returns false. */
static bool fail_at(const char *text, size_t start, const char *where,
                    struct status *st)
{
    const struct status what = *st;
    size_t line = 1;

    for (size_t i = 0; i < start; i++)
        line += text[i] == '\n';
    return status_fail(st, what.code, "line %zu: %s%s%s", line, where,
                       *where ? ": " : "", what.message);
}

static bool read_list(const char *text, const struct tree_value *root,
                      struct model_set *set, struct status *st)
{
    const struct tree_value *list = tree_get(root, "models"), *v;
    size_t index = 0;

    if (!list || list->kind != TREE_ARRAY) {
        status_fail(st, STATUS_INVALID,
                    "the file must be an object with an array 'models'");
        return fail_at(text, list ? list->start : root->start, "", st);
    }
    for (v = list->first; v; v = v->next) {
        struct file_entry entry = {.object = v,
                                   .model = model_set_add(set),
                                   .set = set,
                                   .index = index++};

        if (!file_entry_read(&entry, st))
            return fail_at(text, entry.part->start, entry.path, st);
        if (!model_set_assign_slot(set, entry.model, st))
            return false;
    }
    return true;
}

struct model_set *api_models_read(const char *text, size_t len,
                                  const struct model_set *previous,
                                  struct status *st)
{
    const struct tree_text file = {
        .text = text, .len = len, .name = "file", .most_values = INT_MAX};
    struct model_set *set = model_set_new(previous, st);
    bool ok = set != NULL;

    if (ok)
        tree_init(&set->tree, NULL, 0);
    if (ok && !tree_read(&set->tree, &file, st))
        ok = st->code == STATUS_INVALID &&
             fail_at(text, set->tree.fault, "", st);
    else if (ok)
        ok = read_list(text, set->tree.root, set, st);
    if (ok)
        return set;
    api_models_unref(set);
    return NULL;
}
