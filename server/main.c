/* flipd: see options.h for what can be asked of it. */
#include <stdio.h>

#include "server/options.h"
#include "server/probe.h"
#include "server/server.h"

enum { EXIT_BAD_OPTION = 2 };

static int probe(const struct options *options)
{
    struct status st;

    if (probe_run(options, &st))
        return 0;
    fprintf(stderr, "flipd: %s\n", st.message);
    return 1;
}

int main(int argc, char *argv[])
{
    struct options options;
    struct status st;

    if (!options_load(&options, argc, argv, &st)) {
        fprintf(stderr, "flipd: %s\n", st.message);
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
        return probe(&options);
    case OPTIONS_SERVE:
        break;
    }
    return server_run(&options);
}
