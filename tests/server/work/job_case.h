/* A small inference request for tests of jobs. */
#pragma once

#include <check.h>
#include <stdio.h>

#include "server/base/clock.h"
#include "server/work/job.h"

/* Gives the job a request that arrives now and reverses [1, 2]. `more` is added
 * to the members of its JSON object. The request is valid until the next
 * call. */
static inline void job_case_set_request(struct job *job, const char *more)
{
    static const char format[] =
        "{\"inputs\":["
        "{\"name\":\"input\",\"datatype\":\"FP32\",\"shape\":[2,1],"
        "\"data\":[1,2]},"
        "{\"name\":\"sequence_lens\",\"datatype\":\"INT64\",\"shape\":[1],"
        "\"data\":[2]}]%s}";
    static const char path[] = "/v2/models/onnx.ReverseSequence/infer";
    static struct api_route route;
    static char body[8192];
    struct api_reply reply = {.status = 0};
    int len = snprintf(body, sizeof(body), format, more);

    ck_assert(api_route("POST", path, &route, &reply));
    job->request = (struct api_request){.method = "POST",
                                        .path = path,
                                        .route = &route,
                                        .body = (unsigned char *)body,
                                        .body_len = (size_t)len,
                                        .ready = true};
    job->times.arrived = clock_now_ns();
}
