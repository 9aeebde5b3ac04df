/* A request answered without a server: in two steps, with memory of its own. */
#pragma once

#include <stdlib.h>

#include "api/api.h"

static inline void api_answer(const struct api_request *request,
                              struct api_reply *reply)
{
    struct api_plan plan;
    void *buffer;

    if (!api_prepare(request, &plan, reply))
        return;
    buffer = malloc(plan.memory);
    if (buffer)
        api_execute(&plan, buffer, NULL, reply);
    else
        api_reply_error(reply, 503, "out of memory");
    api_plan_free(&plan);
    if (reply->owned)
        free(buffer);
    else
        reply->owned = buffer;
}
