#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/core/require.h"
#include "tests/unit.h"

static void require_plain(int value)
{
    REQUIRE(value < 3);
}

static void require_values(int value)
{
    REQUIRE_WITH(value < 3, "value %d of %s", value, "it");
}

static const struct {
    void (*require)(int value);
    const char *text; /* behind the line */
} rows[] = {
    {require_plain, ": not so: value < 3; \n"},
    {require_values, ": not so: value < 3; value 3 of it\n"},
};

LOOP_TEST(a_condition_that_holds_does_nothing, COUNT(rows))
{
    rows[_i].require(2);
}

/* How a child ends that requires what is not so, and what it writes. */
static int run_child(void (*require)(int value), char *text, size_t size)
{
    int pipe_fds[2], status;
    ssize_t len;
    pid_t child;

    ck_assert_int_eq(pipe(pipe_fds), 0);
    child = fork();
    if (child == 0) {
        dup2(pipe_fds[1], STDERR_FILENO);
        require(3);
        _exit(0);
    }
    ck_assert_int_gt(child, 0);
    close(pipe_fds[1]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    len = read(pipe_fds[0], text, size - 1);
    close(pipe_fds[0]);
    text[len > 0 ? len : 0] = '\0';
    return status;
}

LOOP_TEST(one_that_does_not_hold_aborts, COUNT(rows))
{
    char text[400];
    int status = run_child(rows[_i].require, text, sizeof(text));
    const char *file = strstr(text, "test_require.c:");

    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    ck_assert_ptr_nonnull(file);
    ck_assert_ptr_nonnull(strstr(file, rows[_i].text));
}
