/* What the rest of a job costs. */
#include "server/work/job.h"

/* Nanoseconds for a byte, of what was measured. */
enum {
    READ_NS = 1,     /* of a document */
    MOVED = 4,       /* bytes of values that move in one */
    INFLATE_NS = 2,  /* of the inflated body */
    DEFLATE_NS = 10, /* of the reply; up to 25 where it is hard to compress */
};

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
    case JOB_BEGIN:
    case JOB_INFLATE:
        if (!job->body_coding)
            return whole_ns(job, job->request.body_len);
        inflated = coded_body_expected(job);
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
