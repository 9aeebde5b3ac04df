/* The extensions whose state the server keeps: logging, as Triton's clients use
 * it, and shared memory. Declared in server_state.h. */
#include <string.h>

#include "api/base/text.h"
#include "api/document/field.h"
#include "api/routes/routes.h"

static const char *const formats[] = {[API_LOG_TEXT] = "text",
                                      [API_LOG_DEFAULT] = "default",
                                      [API_LOG_ISO8601] = "ISO8601",
                                      [API_LOG_JSON] = "json"};

/* The name is kept, so that a client reads what it has set. */
static bool set_format(const struct tree_value *value,
                       enum api_log_format *format, struct status *st)
{
    if (!field_is_string(value))
        return field_fail("", "log_format", value, "a string", st);
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (strcmp(value->text, formats[i]) == 0) {
            *format = (enum api_log_format)i;
            return true;
        }
    }
    return status_fail(st, STATUS_INVALID,
                       "log_format is '%.40s', but it must be text (also "
                       "called default, ISO8601) or json",
                       value->text);
}

/* A client that sends back the settings it got does not change the file. */
static bool check_file(const struct tree_value *value, struct status *st)
{
    if (!field_is_string(value))
        return field_fail("", "log_file", value, "a string", st);
    return !*value->text ||
           status_fail(st, STATUS_NOT_SUPPORTED,
                       "log_file cannot be set over the wire: the log goes to "
                       "standard error");
}

static bool set(const struct tree_value *value, struct api_logging *logging,
                struct status *st)
{
    const char *key = value->key;

    if (strcmp(key, "log_error") == 0)
        return field_bool(value, "", key, &logging->error, st);
    if (strcmp(key, "log_warning") == 0)
        return field_bool(value, "", key, &logging->warning, st);
    if (strcmp(key, "log_info") == 0)
        return field_bool(value, "", key, &logging->info, st);
    if (strcmp(key, "log_verbose_level") == 0)
        return field_size(value, "", key, &logging->verbose, st);
    if (strcmp(key, "log_format") == 0)
        return set_format(value, &logging->format, st);
    if (strcmp(key, "log_file") == 0)
        return check_file(value, st);
    return status_fail(st, STATUS_INVALID,
                       "'%.40s' is unknown; known are log_error, log_warning, "
                       "log_info, log_verbose_level, log_format, log_file",
                       key);
}

static void write_flag(struct writer *w, const char *name, bool flag)
{
    writer_text(w, name);
    writer_text(w, flag ? "true" : "false");
}

static void write(const struct api_logging *logging, struct api_reply *reply)
{
    struct writer w = {.grows = true};

    write_flag(&w, "{\"log_file\":\"\",\"log_info\":", logging->info);
    write_flag(&w, ",\"log_warning\":", logging->warning);
    write_flag(&w, ",\"log_error\":", logging->error);
    json_write_print(&w, ",\"log_verbose_level\":%llu,\"log_format\":%s}",
                     (unsigned long long)logging->verbose,
                     formats[logging->format]);
    reply_text(reply, 200, &w);
}

bool api_logging_update(const struct api_request *request,
                        struct api_logging *logging, struct api_reply *reply)
{
    struct api_logging wanted = *logging;
    const struct tree_value *value;
    struct status st;
    struct tree tree;
    bool ok = true;

    if (strcmp(request->method, "POST") == 0 && request->body_len > 0) {
        ok = tree_read_body(&tree, request, &st);
        value = ok ? tree.root->first : NULL;
        for (; ok && value; value = value->next)
            ok = value->kind == TREE_NULL || set(value, &wanted, &st);
        tree_free(&tree);
    }
    if (!ok) {
        api_reply_status(reply, &st);
        return false;
    }
    *logging = wanted;
    write(logging, reply);
    return true;
}

bool api_shm_name(const char *path, const struct api_route *route,
                  char name[API_SHM_NAME], struct status *st)
{
    size_t len, at = 0, step;
    bool ok = percent_decode(path + route->region.at, route->region.len, name,
                             API_SHM_NAME - 1, &len);

    for (; ok && at < len; at += step) {
        step = utf8_length((const unsigned char *)name + at, len - at);
        ok = step > 0;
    }
    if (!ok)
        return status_fail(st, STATUS_INVALID,
                           "the region's name must be UTF-8 text of at most %d "
                           "bytes",
                           API_SHM_NAME - 1);
    name[len] = '\0';
    return true;
}

static bool read_key(const struct tree_value *root, char key[API_SHM_KEY],
                     struct status *st)
{
    const struct tree_value *value = tree_get(root, "key");

    if (!field_is_string(value))
        return field_fail("", "key", value,
                          "the name of a shared memory object", st);
    if (value->len >= API_SHM_KEY || memchr(value->text, '\0', value->len))
        return status_fail(st, STATUS_INVALID,
                           "key has %zu bytes or a NUL among them, but it may "
                           "have at most %d and no NUL",
                           value->len, API_SHM_KEY - 1);
    memcpy(key, value->text, value->len + 1);
    return true;
}

static bool read_fields(const struct tree_value *root, struct api_shm_part *r,
                        struct status *st)
{
    const struct tree_value *offset = tree_get(root, "offset");
    const struct tree_value *size = tree_get(root, "byte_size");
    char text[FIELD_TYPE_SIZE];
    int64_t bytes;

    r->offset = 0;
    if (!read_key(root, r->key, st) ||
        (offset && !field_size(offset, "", "offset", &r->offset, st)))
        return false;
    if (!field_integer(size, &bytes) || bytes < 1)
        return status_fail(
            st, STATUS_INVALID,
            "byte_size is %s, but it must be an integer from 1 to 2^63 - 1",
            size && size->kind == TREE_INTEGER ? field_number(size, text)
                                               : field_type(size, text));
    r->bytes = (uint64_t)bytes;
    return r->offset <= INT64_MAX - r->bytes ||
           status_fail(st, STATUS_INVALID,
                       "offset %llu and byte_size %llu end past 2^63",
                       (unsigned long long)r->offset,
                       (unsigned long long)r->bytes);
}

bool api_shm_part_read(const struct api_request *request,
                       const struct api_route *route, struct api_shm_part *part,
                       struct status *st)
{
    struct tree tree;
    bool ok;

    if (!api_shm_name(request->path, route, part->name, st))
        return false;
    ok = tree_read_body(&tree, request, st) && read_fields(tree.root, part, st);
    tree_free(&tree);
    return ok;
}

void api_shm_list(const struct api_shm_part *list, size_t count,
                  struct api_reply *reply)
{
    struct writer w = {.grows = true};

    writer_text(&w, "[");
    for (size_t i = 0; i < count; i++) {
        writer_text(&w, i > 0 ? "," : "");
        json_write_print(&w,
                         "{\"name\":%s,\"key\":%s,\"offset\":%llu,"
                         "\"byte_size\":%llu}",
                         list[i].name, list[i].key,
                         (unsigned long long)list[i].offset,
                         (unsigned long long)list[i].bytes);
    }
    writer_text(&w, "]");
    reply_text(reply, 200, &w);
}
