/* Requests and replies of the shared memory extension, declared in
 * server_state.h. The server owns the memory. */
#include <string.h>

#include "api/base/percent.h"
#include "api/base/utf8.h"
#include "api/document/field.h"
#include "api/routes/routes.h"

static bool is_text(const char *text, size_t len)
{
    for (size_t at = 0, step; at < len; at += step) {
        step = utf8_length((const unsigned char *)text + at, len - at);
        if (step == 0)
            return false;
    }
    return true;
}

bool api_shm_name(const char *path, const struct api_route *route,
                  char name[API_SHM_NAME], struct status *st)
{
    size_t len;

    if (!percent_decode(path + route->region, route->region_len, name,
                        API_SHM_NAME - 1, &len) ||
        !is_text(name, len))
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

static bool read_number(const struct tree_value *root, const char *key,
                        uint64_t *number, struct status *st)
{
    const struct tree_value *value = tree_get(root, key);

    *number = 0;
    return !value || field_size(value, "", key, number, st);
}

static bool read_fields(const struct tree_value *root, struct api_shm_part *r,
                        struct status *st)
{
    if (!read_key(root, r->key, st) ||
        !read_number(root, "offset", &r->offset, st) ||
        !read_number(root, "byte_size", &r->bytes, st))
        return false;
    if (r->bytes == 0)
        return status_fail(st, STATUS_INVALID,
                           "byte_size is %s, but a region has 1 byte or more",
                           tree_get(root, "byte_size") ? "0" : "missing");
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
    struct json_writer w;

    json_writer_grow(&w);
    json_writer_raw(&w, "[");
    for (size_t i = 0; i < count; i++) {
        json_writer_raw(&w, i > 0 ? "," : "");
        json_writer_print(&w,
                          "{\"name\":%s,\"key\":%s,\"offset\":%llu,"
                          "\"byte_size\":%llu}",
                          list[i].name, list[i].key,
                          (unsigned long long)list[i].offset,
                          (unsigned long long)list[i].bytes);
    }
    json_writer_raw(&w, "]");
    reply_text(reply, 200, &w);
}
