#include "server/work/job.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/core/require.h"
#include "server/base/clock.h"

enum {
    /* Nanoseconds for a byte, of what was measured. */
    READ_NS = 1,     /* of a document */
    MOVED = 4,       /* bytes of values that move in one */
    INFLATE_NS = 2,  /* of the inflated body */
    DEFLATE_NS = 10, /* of the reply; up to 25 where it is hard to compress */

    INFLATED_FIRST = 8 << 10, /* bytes of the first buffer */
    USUAL_RATIO = 4,          /* of an inflated body to a coded one */
};

void job_init(struct job *job, struct job_context *context)
{
    *job = (struct job){.context = context, .rejection = -1};
}

enum lease_verdict job_reserve(struct job *job, size_t bytes)
{
    enum lease_verdict verdict = lease_take(job->lease, bytes);

    if (verdict == LEASE_OK)
        job->reserved += bytes;
    return verdict;
}

size_t job_body_limit(const struct job *job, const char **name)
{
    size_t most = (size_t)job->context->options->http_max_input_size;
    bool is_own = job->body_limit > 0 && job->body_limit < most;

    if (!is_own)
        *name = "http-max-input-size";
    else
        *name = job->limit_name ? job->limit_name : "the limit of this route";
    return is_own ? job->body_limit : most;
}

bool job_fail(struct job *job, int status, int rejection, const char *format,
              ...)
{
    char text[STATUS_MESSAGE_SIZE];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    api_reply_free(&job->reply);
    api_reply_error(&job->reply, status, text);
    job->rejection = rejection;
    return false;
}

bool job_fail_memory(struct job *job, const char *what)
{
    return job_fail(job, 503, METRICS_INFLIGHT_BYTES,
                    "no memory for %s: try again", what);
}

void job_fail_late(struct job *job)
{
    job_fail(job, 504, -1, "the request's timeout has passed");
}

void job_reply_text(struct job *job, job_print *print, const void *context,
                    const char *type, const char *what)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    bool failed = !out;

    if (out) {
        print(out, job, context);
        failed = ferror(out) != 0;
        failed |= fclose(out) != 0;
    }
    if (failed) {
        free(text);
        job_fail_memory(job, what);
        return;
    }
    job->reply = (struct api_reply){
        .status = 200,
        .content_type = type,
        .piece_count = 1,
        .pieces = {{text, len}},
        .owned = text,
    };
}

/* The 413 of a request that can never hold as much. */
static bool fail_never(struct job *job, size_t bytes, const char *what)
{
    const struct budget *budget = &job->context->budget;
    size_t of_address = budget->addresses.limit;
    char also[80] = "";

    if (of_address > 0)
        snprintf(also, sizeof(also), ", or max-inflight-bytes-per-address, %zu",
                 of_address);
    return job_fail(
        job, 413, METRICS_INFLIGHT_BYTES,
        "%s needs %zu bytes besides %zu held before, but one request may hold "
        "%zu: 3/4 of max-inflight-bytes, %zu%s, and %d",
        what, bytes, job->lease->held, lease_most(job->lease), budget->limit,
        also, CONNECTION_COST_ALLOWANCE);
}

bool job_fail_reservation(struct job *job, enum lease_verdict verdict,
                          size_t bytes, const char *what)
{
    const struct budget *budget = &job->context->budget;
    bool by_address = verdict == LEASE_ADDRESS;

    if (verdict == LEASE_NEVER)
        return fail_never(job, bytes, what);
    return job_fail(job, 503, METRICS_INFLIGHT_BYTES,
                    "%s needs %zu bytes, but max-inflight-bytes%s, %zu, is "
                    "used up: try again",
                    what, bytes, by_address ? "-per-address" : "",
                    by_address ? budget->addresses.limit : budget->limit);
}

/* What the rest of a job costs. */

/* The length that a coded body will probably have when it is inflated: what has
 * been inflated so far, and as much again for the same input. */
static size_t expected_len(const struct job *job)
{
    size_t all = job->request.body_len;
    size_t read = job->inflater ? inflater_read(job->inflater) : 0;

    if (read == 0)
        return all * USUAL_RATIO;
    return (size_t)((double)job->inflated_len / (double)read * (double)all);
}

/* A reply is about as long as the body, or as the plan allows. */
static uint64_t deflate_ns(const struct job *job, uint64_t reply_len)
{
    return job->reply_coding ? DEFLATE_NS * reply_len : 0;
}

/* Before it is prepared. */
static uint64_t whole_ns(const struct job *job, uint64_t len)
{
    return (api_only_moves(&job->request) ? len / MOVED : READ_NS * len) +
           deflate_ns(job, len);
}

uint64_t job_cost_ns(const struct job *job)
{
    uint64_t inflated;

    switch (job->step) {
    case JOB_INFLATE:
        if (!job->body_coding)
            return whole_ns(job, job->request.body_len);
        inflated = expected_len(job);
        return INFLATE_NS * inflated + whole_ns(job, inflated);
    case JOB_PREPARE:
        return whole_ns(job, job->request.body_len);
    case JOB_EXECUTE:
        return job->plan.cost_ns +
               deflate_ns(job, job->plan.memory - job->plan.scratch_bytes);
    case JOB_DEFLATE:
        return deflate_ns(job, api_reply_bytes(&job->reply));
    case JOB_DONE:
        break;
    }
    return 0;
}

/* Content codings. */

static bool fail_body(struct job *job, int status, const char *what)
{
    job_fail(job, status, status == 413 ? METRICS_BODY_TOO_LARGE : -1,
             "the %s body %s", content_coding_name(job->body_coding), what);
    job->reply.malformed = status == 400;
    return false;
}

static bool fail_body_limit(struct job *job)
{
    char text[120];
    const char *name;
    size_t limit = job_body_limit(job, &name);

    snprintf(text, sizeof(text), "becomes more than the %zu bytes of %s", limit,
             name);
    return fail_body(job, 413, text);
}

/* Doubles the reservation and the buffer. The limit plus one byte is enough to
 * see that a body exceeds it. */
static bool grow_inflated(struct job *job)
{
    const char *name;
    size_t max = job_body_limit(job, &name), held = job->inflated_size;
    size_t size = held ? 2 * held : INFLATED_FIRST;
    enum lease_verdict verdict;

    size = size > max ? max + 1 : size;
    verdict = job_reserve(job, held ? size - held : size + INFLATER_STATE);
    if (verdict != LEASE_OK)
        return job_fail_reservation(job, verdict, size, "the inflated body");
    job->inflated_size = size;
    return buffer_grow(&job->context->budget, &job->inflated, job->inflated_len,
                       size) ||
           job_fail_memory(job, "the inflated body");
}

static bool fail_inflater(struct job *job)
{
    return job_fail(job, 503, METRICS_INFLIGHT_BYTES,
                    "no memory to inflate the body: try again");
}

static bool start_inflation(struct job *job)
{
    if (job->request.body_len > UINT32_MAX)
        return fail_body(job, 413, "has 4 GiB or more");
    job->inflater = inflater_new(job->body_coding, job->request.body,
                                 job->request.body_len);
    return job->inflater || fail_inflater(job);
}

static bool fail_cancelled(struct job *job)
{
    return job_fail(job, 503, -1, "the request was cancelled");
}

/* Inflates one slice. When it is whole, `done`, the inflated body takes the
 * place of the body. */
static bool inflate_slice(struct job *job, bool *done)
{
    enum inflate_result result;
    char why[120];
    const char *name;
    size_t written;

    *done = job->body_coding == CODING_IDENTITY || job->request.body_len == 0;
    if (*done)
        return true;
    if (!job->inflater && !start_inflation(job))
        return false;
    if (cancel_requested(&job->cancel))
        return fail_cancelled(job);
    if (job->inflated_len == job->inflated_size && !grow_inflated(job))
        return false;
    result =
        inflater_next(job->inflater, job->inflated.data + job->inflated_len,
                      job->inflated_size - job->inflated_len, &written, why);
    job->inflated_len += written;
    REQUIRE(job->inflated_len <= job->inflated_size);
    if (result == INFLATE_DAMAGED)
        return fail_body(job, 400, why);
    if (result == INFLATE_NO_MEMORY)
        return fail_inflater(job);
    if (job->inflated_len > job_body_limit(job, &name))
        return fail_body_limit(job);
    *done = result == INFLATE_WHOLE;
    if (*done) {
        job->request.body = job->inflated.data;
        job->request.body_len = job->inflated_len;
    }
    return true;
}

bool job_inflate(struct job *job)
{
    bool done = false;

    while (!done)
        if (!inflate_slice(job, &done))
            return false;
    return true;
}

void job_deflate(struct job *job)
{
    struct api_reply *reply = &job->reply;
    size_t len = api_reply_bytes(reply), size = content_coding_bound(len);

    if (job->reply_coding == CODING_IDENTITY)
        return;
    REQUIRE(!job->coded && !job->deflated.data);
    if (reply->gzip) { /* it is stored as gzip too */
        reply->pieces[0] = *reply->gzip;
        job->coded = true;
        return;
    }
    if (reply->status >= 300 || len == 0 || len >= UINT32_MAX / 2 ||
        job_reserve(job, size + DEFLATER_STATE) != LEASE_OK ||
        !buffer_get(&job->context->budget, size, &job->deflated))
        return;
    len = content_coding_gzip(reply->pieces, reply->piece_count,
                              job->deflated.data, job->deflated.capacity,
                              &job->cancel);
    if (len == 0)
        return;
    reply->piece_count = 1;
    reply->pieces[0] = (struct api_piece){job->deflated.data, len};
    job->coded = true;
}

/* The steps. */

/* The heap that api_prepare() asks for. */
struct heap {
    struct job *job;
    size_t taken;               /* bytes */
    size_t refused;             /* bytes of a lease that failed; 0: none */
    enum lease_verdict verdict; /* of that lease */
};

static bool take_heap(void *context, size_t bytes)
{
    struct heap *heap = context;

    heap->verdict = job_reserve(heap->job, bytes);
    if (heap->verdict == LEASE_OK)
        heap->taken += bytes;
    else
        heap->refused = bytes;
    return heap->verdict == LEASE_OK;
}

static bool prepare_plan(struct job *job)
{
    struct heap heap = {.job = job};
    const struct api_heap ask = {take_heap, &heap};
    bool planned;
    size_t held;

    job->request.heap = &ask;
    planned = api_prepare(&job->request, &job->plan, &job->reply);
    job->request.heap = NULL;
    held = job->plan.heap_bytes;
    if (planned && held > heap.taken) /* the plan holds more from now on */
        planned = take_heap(&heap, held - heap.taken);
    /* A malformed document stays one, also when its error's text has wanted
     * memory. */
    if (!planned && heap.refused > 0 &&
        (job->reply.status == 0 || job->reply.status == 503))
        job_fail_reservation(job, heap.verdict, heap.refused, "the document");
    return planned;
}

/* After JOB_PREPARE: the plan and the regions are not needed any more. */
static void release(struct job *job)
{
    struct status st;

    job->request.regions = NULL;
    api_plan_free(&job->plan);
    job->plan = (struct api_plan){.memory = 0};
    if (!shm_use_end(&job->regions, &st))
        job_fail(job, 400, -1, "%s", st.message);
    job->regions.shm = NULL;
}

static void execute(struct job *job)
{
    struct api_plan *plan = &job->plan;
    uint64_t timeout_us = job_timeout_us(job, plan->timeout_us);
    enum lease_verdict verdict;

    REQUIRE(!job->result.data);
    verdict = job_reserve(job, plan->memory);
    if (verdict != LEASE_OK) {
        job_fail_reservation(job, verdict, plan->memory, "the answer");
        return;
    }
    if (!buffer_get(&job->context->budget, plan->memory, &job->result)) {
        job_fail_memory(job, "the answer");
        return;
    }
    job->times.prepared = clock_now_ns();
    if (timeout_us > 0 &&
        clock_now_us() - job->times.arrived / 1000 >= timeout_us)
        job_fail_late(job);
    else if (cancel_requested(&job->cancel))
        fail_cancelled(job);
    else
        api_execute(plan, job->result.data, &job->cancel, &job->reply);
    job->times.executed = clock_now_ns();
}

static void run_step(struct job *job)
{
    bool whole, planned;

    switch (job->step) {
    case JOB_INFLATE:
        if (job->times.started == 0)
            job->times.started = clock_now_ns();
        if (!inflate_slice(job, &whole))
            job->step = JOB_DONE;
        else if (whole)
            job->step = JOB_PREPARE;
        break;
    case JOB_PREPARE:
        job->request.regions = shm_use_begin(&job->regions, &job->context->shm);
        planned = prepare_plan(job);
        job->model = job->plan.model;
        job->step = planned ? JOB_EXECUTE : JOB_DEFLATE;
        if (!planned)
            release(job);
        break;
    case JOB_EXECUTE:
        execute(job);
        release(job);
        job->step = JOB_DEFLATE;
        break;
    case JOB_DEFLATE:
        job_deflate(job);
        job->step = JOB_DONE;
        break;
    case JOB_DONE:
        break;
    }
}

/* A job that waits again waits in the queue, whichever step comes next. */
static void end_pause(struct model_times *times)
{
    uint64_t *const moments[] = {&times->started, &times->prepared,
                                 &times->executed};
    uint64_t waited_ns;

    if (times->paused == 0)
        return;
    waited_ns = clock_now_ns() - times->paused;
    for (int i = 0; i < 3; i++)
        if (*moments[i] > 0)
            *moments[i] += waited_ns;
    times->paused = 0;
}

bool job_run(struct job *job, uint64_t limit_ns)
{
    end_pause(&job->times);
    shm_use_resume(&job->regions);
    do
        run_step(job);
    while (job->step != JOB_DONE && job_cost_ns(job) <= limit_ns);
    shm_use_pause(&job->regions);
    if (job->step != JOB_DONE)
        job->times.paused = clock_now_ns();
    return job->step == JOB_DONE;
}

void job_stop(struct job *job)
{
    end_pause(&job->times);
    inflater_free(job->inflater);
    job->inflater = NULL;
    if (job->step == JOB_EXECUTE)
        release(job);
    job->step = JOB_DONE;
}

void job_clear(struct job *job)
{
    struct lease *lease = job->lease;

    job_stop(job);
    api_reply_free(&job->reply);
    lease_give(lease, job->reserved);
    buffer_put(&job->context->budget, &job->result);
    buffer_put(&job->context->budget, &job->inflated);
    buffer_put(&job->context->budget, &job->deflated);
    api_models_unref(job->models);
    job_init(job, job->context);
    job->lease = lease;
}
