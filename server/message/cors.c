#include "server/message/cors.h"

#include <string.h>

const char *cors_origin(const char *allowed, const struct headers *headers)
{
    const char *origin = headers->origin;

    if (!allowed || !origin)
        return NULL;
    if (strcmp(allowed, "*") == 0)
        return allowed;
    while (*allowed) {
        size_t len = strcspn(allowed, ",");

        if (strlen(origin) == len && memcmp(origin, allowed, len) == 0)
            return origin;
        allowed += len;
        allowed += strspn(allowed, ", ");
    }
    return NULL;
}

void cors_preflight(const char *allowed, const struct headers *headers,
                    struct api_reply *reply)
{
    const char *methods = reply->allow;

    if (reply->status != 405 || !headers->cors_method ||
        !cors_origin(allowed, headers))
        return;
    api_reply_free(reply);
    *reply = (struct api_reply){.status = 204, .allow = methods};
}
