/* flipd: reads the options, then serves, checks, probes or prints. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "server/config/options.h"
#include "server/net/listen.h"
#include "server/process/probe.h"
#include "server/process/process.h"

enum { EXIT_BAD_OPTION = 2 };

/* Opens /dev/null for standard descriptors that are closed. Otherwise a socket
 * could get number 2, and the log would be written into it. */
static void open_standard_files(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

int main(int argc, char *argv[])
{
    struct options options;
    struct status st;

    open_standard_files();
    if (!options_load(&options, argc, argv, &st)) {
        process_refuse(&options, &st);
        return EXIT_BAD_OPTION;
    }
    switch (options.action) {
    case OPTIONS_HELP:
        options_help(stdout);
        return 0;
    case OPTIONS_VERSION:
        puts("flipd " FLIPD_VERSION);
        return 0;
    case OPTIONS_PROBE:
        if (probe_run(&options, &st))
            return 0;
        fprintf(stderr, "flipd: %s\n", st.message);
        return 1;
    case OPTIONS_CHECK:
    case OPTIONS_SERVE:
        break;
    }
    /* An invalid address is a bad option too. */
    if (listen_check(&options, &st))
        return process_run(&options);
    process_refuse(&options, &st);
    return EXIT_BAD_OPTION;
}
