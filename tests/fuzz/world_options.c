#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/expect.h"
#include "tests/fuzz/world.h"

enum { MAX_ARGS = 20 };

static const char models[] =
    "{\"models\":[{\"name\":\"m\",\"op\":\"onnx.ReverseSequence\","
    "\"attributes\":{\"time_axis\":1,\"batch_axis\":0}}]}";

static const char *const open_args[] = {"flipd",
                                        "--allow-client-shm",
                                        "--models",
                                        "(a path)",
                                        "--access-log",
                                        "--max-queue-size=2",
                                        "--max-inflight-bytes=8388608",
                                        "--cors-allow-origin=*",
                                        "--http-max-input-size=1048576",
                                        "--max-connections=8",
                                        "--inline-limit=300",
                                        NULL};

static const char *const guarded_args[] = {
    "flipd",
    "--http-restricted-api=health,metadata,statistics,metrics:X-Key=k",
    "--http-restricted-api=model-config,model-repository,logging:X-Key=k",
    "--http-restricted-api=inference,shared-memory:Authorization=Bearer t",
    "--http-response-compression=always",
    "--inline-limit=0",
    "--access-log",
    "--log-format=json",
    "--max-inflight-bytes=8388608",
    "--max-connections=8",
    NULL};

static const char *const narrow_args[] = {"flipd",
                                          "--http-max-input-size=4096",
                                          "--max-inflight-bytes=1048576",
                                          "--max-queue-size=1",
                                          "--inline-limit=0",
                                          "--header-timeout=1",
                                          "--body-timeout=1",
                                          "--idle-timeout=2",
                                          "--max-connections=8",
                                          "--max-connections-per-address=2",
                                          "--http-response-compression=never",
                                          NULL};

static const char *const admin_args[] = {
    "flipd", "--max-inflight-bytes=8388608", "--max-connections=8",
    "--log-level=debug", NULL};

static const char *const *const args[WORLD_KINDS] = {open_args, guarded_args,
                                                     narrow_args, admin_args};

/* Keeps the descriptor of the models file, whose path has its number. */
void world_load_options(enum world_kind kind, struct options *options)
{
    char *words[MAX_ARGS], path[40];
    struct status st;
    int count = 0, fd = memfd_create("models", MFD_CLOEXEC);

    EXPECT(write(fd, models, sizeof(models) - 1) == sizeof(models) - 1);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    for (; args[kind][count]; count++)
        words[count] = (char *)(uintptr_t)args[kind][count];
    EXPECT(options_load(options, count, words, &st));
    if (options->models)
        options->models = strdup(path);
}
