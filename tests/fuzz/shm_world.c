#include "tests/fuzz/shm_world.h"

#include <fcntl.h>
#include <unistd.h>

#include "tests/fuzz/expect.h"

static const uint64_t offsets[] = {0,
                                   1,
                                   8,
                                   100,
                                   2048,
                                   4096,
                                   8191,
                                   8192,
                                   8193,
                                   INT64_MAX - 8,
                                   INT64_MAX,
                                   (uint64_t)INT64_MAX + 1,
                                   UINT64_MAX - 4095,
                                   UINT64_MAX};
static const uint64_t sizes[] = {1,    7,    64,   100, 1000,      4096,
                                 8000, 8192, 8193, 0,   INT64_MAX, UINT64_MAX};

struct shm_world shm_world;

uint8_t shm_world_next(void)
{
    return shm_world.at < shm_world.end ? *shm_world.at++ : 0;
}

uint64_t shm_world_next_offset(void)
{
    return offsets[shm_world_next() % (sizeof(offsets) / sizeof(offsets[0]))];
}

uint64_t shm_world_next_size(void)
{
    return sizes[shm_world_next() % (sizeof(sizes) / sizeof(sizes[0]))];
}

void shm_world_make(void)
{
    char *args[] = {(char[]){"flipd"}, (char[]){"--allow-client-shm"},
                    (char[]){"--max-inflight-bytes=1048576"}};
    struct status st;

    EXPECT(options_load(&shm_world.options, 3, args, &st));
    log_init(&shm_world.log, open("/dev/null", O_WRONLY | O_CLOEXEC), LOG_INFO,
             false);
    EXPECT(job_context_init(&shm_world.context, &shm_world.options,
                            &shm_world.log, &st));
    shm_world.context.shm.bytes_limit = REGIONS_BYTES;
}

void shm_call_begin(struct shm_call *call, const char *method)
{
    struct api_reply reply = {0};

    lease_init(&call->lease, &shm_world.context.budget, NULL);
    job_init(&call->job, &shm_world.context);
    call->job.lease = &call->lease;
    EXPECT(api_route(method, call->path, &call->route, &reply));
    call->job.request =
        (struct api_request){.method = method,
                             .path = call->path,
                             .route = &call->route,
                             .body = (unsigned char *)call->body,
                             .body_len = strlen(call->body),
                             .ready = true};
}

void shm_call_check_error(const struct shm_call *call)
{
    const struct api_reply *reply = &call->job.reply;

    if (reply->status < 400)
        return;
    EXPECT(reply->status == 400 || reply->status == 404 ||
           reply->status == 413 || reply->status == 503);
    EXPECT(strcmp(reply->content_type, "application/json") == 0);
    EXPECT(memcmp(reply->pieces[0].data, "{\"error\":\"", 10) == 0);
}
