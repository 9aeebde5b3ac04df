#include "server/answer.h"

#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "server/coding.h"
#include "server/shm_use.h"

const char answer_late[] = "the request's timeout has passed";

uint64_t service_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t service_now_us(void)
{
    return service_now_ns() / 1000;
}

void answer_init(struct answer *answer, struct service *service)
{
    *answer = (struct answer){.service = service, .rejection = -1};
}

void answer_fail(struct answer *answer, int status, int rejection,
                 const char *text)
{
    api_reply_free(&answer->reply);
    api_reply_error(&answer->reply, status, text);
    answer->rejection = rejection;
}

void answer_text(struct answer *answer, char *text, size_t len,
                 const char *type, const char *what)
{
    char error[80];

    if (text) {
        answer->reply = (struct api_reply){
            .status = 200,
            .content_type = type,
            .piece_count = 1,
            .pieces = {{text, len}},
            .owned = text,
        };
        return;
    }
    snprintf(error, sizeof(error), "no memory for %s: try again", what);
    answer_fail(answer, 503, -1, error);
}

void answer_refuse_bytes(struct answer *answer, enum admission_verdict verdict,
                         size_t bytes, const char *what)
{
    char text[200];
    size_t limit = answer->service->admission.bytes_limit;

    if (verdict == ADMISSION_NEVER) {
        snprintf(text, sizeof(text),
                 "%s needs %zu bytes beside the %zu held, but "
                 "max-inflight-bytes is %zu",
                 what, bytes, answer->body_reserved, limit);
        answer_fail(answer, 413, METRICS_INFLIGHT_BYTES, text);
    } else {
        snprintf(text, sizeof(text),
                 "%s needs %zu bytes and max-inflight-bytes, %zu, is taken "
                 "up: try again",
                 what, bytes, limit);
        answer_fail(answer, 503, METRICS_INFLIGHT_BYTES, text);
    }
}

static bool is_late(const struct answer *answer, uint64_t timeout_us)
{
    return timeout_us > 0 &&
           service_now_us() - answer->times.arrived / 1000 >= timeout_us;
}

static bool reserve(struct answer *answer, const struct api_plan *plan)
{
    struct service *service = answer->service;
    size_t bytes = plan->memory;
    enum admission_verdict verdict;

    if (plan->held > SIZE_MAX - bytes) {
        answer_refuse_bytes(answer, ADMISSION_NEVER, SIZE_MAX, "the answer");
        return false;
    }
    bytes += plan->held;
    verdict = admission_reserve(&service->admission,
                                answer->body_reserved + answer->coded_reserved,
                                bytes);
    if (verdict != ADMISSION_OK) {
        answer_refuse_bytes(answer, verdict, bytes, "the answer");
        return false;
    }
    answer->reserved = bytes;
    if (!buffers_get(&service->buffers, plan->memory, &answer->result)) {
        answer_fail(answer, 503, METRICS_INFLIGHT_BYTES,
                    "no memory for the answer: try again");
        return false;
    }
    return true;
}

static void execute(struct answer *answer, struct api_plan *plan)
{
    if (!reserve(answer, plan))
        return;
    answer->times.prepared = service_now_ns();
    if (is_late(answer, plan->timeout_us))
        answer_fail(answer, 504, -1, answer_late);
    else if (atomic_load_explicit(&answer->cancel, memory_order_relaxed))
        answer_fail(answer, 503, -1, "the request was cancelled");
    else
        api_execute(plan, answer->result.data, &answer->cancel, &answer->reply);
    answer->times.executed = service_now_ns();
}

static void prepare_and_execute(struct answer *answer)
{
    struct api_plan plan = {0};
    bool planned;

    planned = api_prepare(&answer->request, &plan, &answer->reply);
    answer->model = plan.model;
    if (planned)
        execute(answer, &plan);
    api_plan_free(&plan);
}

void answer_run(struct answer *answer)
{
    struct shm_use use;
    struct status st;

    answer->times.started = service_now_ns();
    if (!coding_read_body(answer))
        return;
    answer->request.regions = shm_use_begin(&use, &answer->service->shm);
    prepare_and_execute(answer);
    answer->request.regions = NULL;
    if (!shm_use_end(&use, &st))
        answer_fail(answer, 400, -1, st.message);
    coding_write_reply(answer);
}

void answer_clear(struct answer *answer, uint64_t now_ms)
{
    api_reply_free(&answer->reply);
    buffers_put(&answer->service->buffers, &answer->result, now_ms);
    buffers_put(&answer->service->buffers, &answer->inflated, now_ms);
    buffers_put(&answer->service->buffers, &answer->deflated, now_ms);
    admission_release(&answer->service->admission,
                      answer->reserved + answer->coded_reserved);
    model_set_drop(answer->models);
    answer_init(answer, answer->service);
}
