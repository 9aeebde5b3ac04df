/* The state of fuzz_shm.c: a registry of regions in a context of jobs, the
 * model beside it, and the input. One thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "server/work/job.h"
#include "tests/fuzz/regions.h"

enum { SHM_BODY_SIZE = 700, SHM_PATH_SIZE = 100 };

/* A request with all that must live as long as its job. */
struct shm_call {
    struct job job;
    struct lease lease;
    struct api_route route;
    char path[SHM_PATH_SIZE], body[SHM_BODY_SIZE];
    bool runs; /* between two steps of the job */
};

struct shm_world {
    struct options options;
    struct log log;
    struct job_context context;
    struct regions regions;
    struct shm_call now, later;
    const uint8_t *at, *end;
};

extern struct shm_world shm_world;

void shm_world_make(void);

/* The next byte of the input; 0 behind its end. */
uint8_t shm_world_next(void);

/* Numbers of bytes, chosen by the next byte: the ends of things, and those near
 * 2^63 and 2^64. */
uint64_t shm_world_next_offset(void);
uint64_t shm_world_next_size(void);

/* Makes the call's job; path and body are written. */
void shm_call_begin(struct shm_call *call, const char *method);

/* Expects that the reply is no error, or one that the client can have made. */
void shm_call_check_error(const struct shm_call *call);

/* Steps: an inference, and one that other steps may interrupt. */
void shm_infer_step(void);
void shm_infer_step_later(void);
