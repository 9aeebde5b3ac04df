#include "api/models/file_entry.h"

#include <string.h>

#include "api/document/line.h"

bool file_entry_fail_at(const struct file_entry *entry, const char *path,
                        const char *key, struct status *st)
{
    struct status what = *st;

    return status_fail(st, what.code, "line %zu: %s: %s",
                       line_of_value(entry->text, path, key), path,
                       what.message);
}

bool file_entry_fail(const struct file_entry *entry, const char *key,
                     struct status *st)
{
    return file_entry_fail_at(entry, entry->path, key, st);
}

bool file_entry_is_name(const char *text)
{
    size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyz"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");

    return len > 0 && len <= MODEL_NAME_MAX && text[len] == '\0';
}
