#include "server/grpc/fields.h"

#include <stdio.h>
#include <string.h>

#include "server/message/headers.h"

/* `name` is a literal. nghttp2 copies the value. */
static void add(struct fields *fields, const char *name, const char *value)
{
    fields->all[fields->count++] = (nghttp2_nv){
        .name = (unsigned char *)(uintptr_t)name,
        .value = (unsigned char *)(uintptr_t)value,
        .namelen = strlen(name),
        .valuelen = strlen(value),
        .flags = NGHTTP2_NV_FLAG_NO_COPY_NAME,
    };
}

void fields_add_status(struct fields *fields, const struct call *call)
{
    snprintf(fields->number, sizeof(fields->number), "%d", (int)call->code);
    add(fields, "grpc-status", fields->number);
    if (call->text)
        add(fields, "grpc-message", call->text);
}

static void add_id(struct fields *fields, struct call *call)
{
    const char *id = metadata_find(&call->metadata, "x-request-id");

    if (id && headers_is_safe_id(id))
        add(fields, "x-request-id", id);
}

void fields_add_head(struct fields *fields, struct call *call)
{
    bool unsupported = call->code == API_GRPC_UNIMPLEMENTED;

    add(fields, ":status", "200");
    add(fields, "content-type", "application/grpc");
    if (call->reply_coding)
        add(fields, "grpc-encoding", content_coding_name(call->reply_coding));
    if (unsupported || call->coding)
        add(fields, "grpc-accept-encoding", "identity,gzip,deflate");
    add_id(fields, call);
}

void fields_add_plain_head(struct fields *fields, const struct call *call)
{
    const struct api_reply *reply = &call->task.job.reply;

    snprintf(fields->number, sizeof(fields->number), "%d", reply->status);
    add(fields, ":status", fields->number);
    add(fields, "content-type", reply->content_type);
    if (reply->status == 405)
        add(fields, "allow", "POST");
}
