#include <inttypes.h>

#include "server/config/options.h"
#include "server/config/options_table.h"

static void print_values(FILE *out, const struct option *option)
{
    switch (option->kind) {
    case OPTION_NUMBER:
        fprintf(out, "%" PRId64 "..%" PRId64 "%s%s", option->min, option->max,
                option->unit ? " " : "", option->unit ? option->unit : "");
        break;
    case OPTION_CHOICE:
        for (int i = 0; option->choices[i]; i++)
            fprintf(out, "%s%s", i ? "|" : "", option->choices[i]);
        break;
    case OPTION_FLAG:
        fputs("true|false", out);
        break;
    case OPTION_TEXT:
    case OPTION_TEXTS:
        fputs("text", out);
        break;
    case OPTION_ACTION:
        break;
    }
}

static void print_default(FILE *out, const struct option *option)
{
    if (option->fallback)
        fprintf(out, "; default %s", option->fallback);
    else if (!option->compute)
        fprintf(out, "; default %s", option->computed);
    else
        fprintf(out, "; default %" PRId64 " (%s)", option->compute(),
                option->computed);
}

static void print_option(FILE *out, const struct option *option)
{
    char variable[OPTION_VARIABLE_SIZE];

    fprintf(out, "  --%s\n      %s\n", option->name, option->help);
    if (option->kind == OPTION_ACTION)
        return;
    option_variable(option, variable);
    fprintf(out, "      %s: ", variable);
    print_values(out, option);
    print_default(out, option);
    fputc('\n', out);
}

static const char ending[] =
    "\n"
    "Signals: SIGTERM and SIGINT drain and stop; a second one stops at once.\n"
    "         SIGHUP reads the models file and the certificates again.\n"
    "\n"
    "Exit codes: 0 stopped cleanly, or the probe found a ready daemon;\n"
    "            1 could not start, or running requests were cut off, or\n"
    "              the probe found no ready daemon;\n"
    "            2 a bad option.\n";

void options_help(FILE *out)
{
    fputs("flipd answers tensor-reversal requests over HTTP (Open Inference "
          "Protocol v2).\n\n"
          "Usage: flipd [--name value | --name=value | --flag]...\n\n"
          "Every option can be given as an environment variable; the command "
          "line wins.\n\nOptions:\n",
          out);
    for (const struct option *option = option_table; option->name; option++)
        print_option(out, option);
    fputs(ending, out);
}
