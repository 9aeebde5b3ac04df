/* flipd: see options.h for what can be asked of it. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "server/config/options.h"
#include "server/net/listen.h"
#include "server/probe/probe.h"
#include "server/process/start.h"

enum { EXIT_BAD_OPTION = 2 };

/* Whoever started us may have closed these. A socket that got such a number
 * would have our log written into it. */
static void open_standard_files(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

static int probe(const struct options *options)
{
    struct status st;

    if (probe_run(options, &st))
        return 0;
    fprintf(stderr, "flipd: %s\n", st.message);
    return 1;
}

/* Refuses an address that no socket can have, as any other bad value. */
static bool check_address(const struct options *options, struct status *st)
{
    struct listen_address address;

    return listen_parse(options, &address, st);
}

static int refuse(const struct status *st)
{
    fprintf(stderr, "flipd: %s\n", st->message);
    return EXIT_BAD_OPTION;
}

int main(int argc, char *argv[])
{
    struct options options;
    struct status st;

    open_standard_files();
    if (!options_load(&options, argc, argv, &st))
        return refuse(&st);
    switch (options.action) {
    case OPTIONS_HELP:
        options_help(stdout);
        return 0;
    case OPTIONS_VERSION:
        puts("flipd " FLIPD_VERSION);
        return 0;
    case OPTIONS_PROBE:
        return probe(&options);
    case OPTIONS_SERVE:
        break;
    }
    if (!check_address(&options, &st))
        return refuse(&st);
    return server_run(&options);
}
