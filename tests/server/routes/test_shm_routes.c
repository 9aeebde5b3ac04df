/* The routes of shared memory: the system's, on and off, and those of CUDA. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/server/routes/route_case.h"
#include "tests/unit.h"

enum { SIZE = 8192, LIMIT = 1 << 20 };

#define SYSTEM "/v2/systemsharedmemory/"
#define CUDA "/v2/cudasharedmemory/"
#define R "{\"name\":\"r\",\"key\":\"@\",\"offset\":100,\"byte_size\":200}"
#define S "{\"name\":\"s\",\"key\":\"@\",\"offset\":0,\"byte_size\":8192}"
#define UNKNOWN(name)                                                          \
    "{\"error\":\"no shared memory region '" name "' is registered\"}"
#define NO_CUDA                                                                \
    "{\"error\":\"there is no CUDA shared memory: flipd computes without a "   \
    "GPU\"}"
#define OFF                                                                    \
    "{\"error\":\"shared memory is not enabled on this server: it is started " \
    "with --allow-client-shm for that\"}"

struct step {
    const char *path, *body; /* without one it is a GET */
    int status;
    const char *reply;
};

/* One after the other; '@' stands for the object's key. */
static const struct step enabled[] = {
    {SYSTEM "status", NULL, 200, "[]"},
    {SYSTEM "region/r/status", NULL, 404, UNKNOWN("r")},
    {SYSTEM "region/r/register",
     "{\"key\":\"@\",\"offset\":100,\"byte_size\":200}", 200, "{}"},
    {SYSTEM "region/s/register", "{\"key\":\"@\",\"byte_size\":8192}", 200,
     "{}"},
    {SYSTEM "status", NULL, 200, "[" R "," S "]"},
    {SYSTEM "region/s/status", NULL, 200, "[" S "]"},
    {SYSTEM "region/%73/status", NULL, 200, "[" S "]"},
    {SYSTEM "region/t%20u/status", NULL, 404, UNKNOWN("t u")},
    {SYSTEM "region/t/register", "{\"key\":\"@\"}", 400,
     "{\"error\":\"byte_size is missing, but a region has 1 byte or more\"}"},
    {SYSTEM "region/t/status", NULL, 404, UNKNOWN("t")},
    {SYSTEM "region/%FF/unregister", "", 400,
     "{\"error\":\"the region's name must be UTF-8 text of at most 255 "
     "bytes\"}"},
    {SYSTEM "region/t/unregister", "{}", 200, "{}"},
    {SYSTEM "region/r/unregister", "{}", 200, "{}"},
    {SYSTEM "status", NULL, 200, "[" S "]"},
    {CUDA "status", NULL, 200, "[]"},
    {CUDA "region/s/status", NULL, 404, UNKNOWN("s")},
    {CUDA "region/s/register", "{}", 501, NO_CUDA},
    {CUDA "region/s/unregister", "{}", 200, "{}"},
    {CUDA "unregister", "", 200, "{}"},
    {CUDA "region/%FF/unregister", "", 400,
     "{\"error\":\"the region's name must be UTF-8 text of at most 255 "
     "bytes\"}"},
    {SYSTEM "region/s/status", NULL, 200, "[" S "]"},
    {SYSTEM "unregister", "", 200, "{}"},
    {SYSTEM "status", NULL, 200, "[]"},
};

static const struct step disabled[] = {
    {SYSTEM "status", NULL, 200, "[]"},
    {SYSTEM "region/r/status", NULL, 200, "[]"},
    {SYSTEM "region/r/register", "{\"key\":\"@\",\"byte_size\":8}", 501, OFF},
    {SYSTEM "region/r/unregister", "", 501, OFF},
    {SYSTEM "unregister", "", 501, OFF},
    {CUDA "status", NULL, 200, "[]"},
    {CUDA "region/r/status", NULL, 404, UNKNOWN("r")},
    {CUDA "region/r/register", "{}", 501, NO_CUDA},
    {CUDA "region/r/unregister", "{}", 200, "{}"},
    {CUDA "unregister", "{}", 200, "{}"},
};

static char key[40]; /* of an object of this process */
static struct lease lease;

static void set_up(void)
{
    struct job_context *context = &route_case.context;
    int fd;

    route_case_open();
    route_case.options.http_max_input_size = LIMIT;
    log_init(&route_case.log, open("/dev/null", O_WRONLY), LOG_INFO, false);
    budget_init(&context->budget, LIMIT, 0);
    lease_init(&lease, &context->budget, NULL);
    route_case.job.lease = &lease;
    snprintf(key, sizeof(key), "/flipd-%d-routes", (int)getpid());
    fd = shm_open(key, O_RDWR | O_CREAT | O_EXCL, 0600);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(ftruncate(fd, SIZE), 0);
    close(fd);
}

static void start(bool allowed)
{
    struct status st;

    ck_assert(shm_init(&route_case.context.shm, allowed, "/", LIMIT, &st));
}

static void tear_down(void)
{
    shm_unlink(key);
    shm_free(&route_case.context.shm);
    budget_free(&route_case.context.budget);
    ck_assert_uint_eq(atomic_load(&route_case.context.shm.maps), 0);
}

/* Puts the object's key in the place of each '@'. */
static char *fill(const char *from, char text[600])
{
    char *to = text;

    for (; *from; from++) {
        if (*from == '@')
            to = stpcpy(to, key);
        else
            *to++ = *from;
    }
    *to = '\0';
    return text;
}

static void check(const struct step *step)
{
    char text[600], *reply;
    int status;

    reply = route_case_ask(step->path, step->body ? fill(step->body, text) : "",
                           step->body ? "POST" : "GET", &status);
    fill(step->reply, text);
    if (status != step->status || strcmp(reply, text) != 0)
        ck_abort_msg("%s: %d %s, but %d %s is expected", step->path, status,
                     reply, step->status, text);
    free(reply);
}

UNIT_TEST(regions_are_registered_and_listed)
{
    start(true);
    for (size_t i = 0; i < COUNT(enabled); i++)
        check(&enabled[i]);
}

UNIT_TEST(regions_without_the_option_are_none)
{
    start(false);
    for (size_t i = 0; i < COUNT(disabled); i++)
        check(&disabled[i]);
}

/* It is inflated before it is read; of CUDA's nothing is read. */
UNIT_TEST(region_in_a_damaged_coding_is_refused)
{
    char *reply;
    int status;

    start(true);
    route_case.job.body_coding = CODING_GZIP;
    reply = route_case_ask(SYSTEM "region/r/register", "{}", "POST", &status);
    ck_assert_int_eq(status, 400);
    ck_assert_msg(strstr(reply, "the gzip body is damaged"), "%s", reply);
    free(reply);
    check(&(struct step){CUDA "unregister", "{}", 200, "{}"});
    job_clear(&route_case.job);
}

/* Reads the line that was logged last, without its time. */
static void expect_line(int fd, const char *end)
{
    char line[LOG_LINE_SIZE + 1], text[600];
    ssize_t len = read(fd, line, sizeof(line) - 1);

    ck_assert_int_gt(len, 0);
    line[len] = '\0';
    ck_assert_str_eq(line + strcspn(line, " "), fill(end, text));
}

UNIT_TEST(regions_are_logged)
{
    int ends[2];

    start(true);
    ck_assert_int_eq(pipe(ends), 0);
    log_init(&route_case.log, ends[1], LOG_INFO, false);
    check(&enabled[2]);
    expect_line(ends[0], " info shared memory registered region=r key=@ "
                         "offset=100 bytes=200\n");
    check(&(struct step){SYSTEM "region/r/unregister", "", 200, "{}"});
    expect_line(ends[0], " info shared memory unregistered region=r\n");
    check(&(struct step){SYSTEM "unregister", "", 200, "{}"});
    expect_line(ends[0], " info shared memory unregistered region=*\n");
    close(ends[0]);
    close(ends[1]);
}

FIXTURE(set_up, tear_down)
