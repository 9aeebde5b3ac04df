#include <inttypes.h>
#include <string.h>

#include "server/config/options.h"
#include "server/config/options_table.h"

static void print_default(FILE *out, const struct option *option)
{
    if (option->fallback)
        fprintf(out, "; default %s", option->fallback);
    else if (!option->compute)
        fprintf(out, "; default %s", option->computed);
    else
        fprintf(out, "; default %" PRId64 " (%s)", option_compute(option),
                option->computed);
}

static void print_option(FILE *out, const struct option *option)
{
    char variable[OPTION_VARIABLE_SIZE], values[OPTION_VALUES_SIZE];

    fprintf(out, "  --%s\n      %s\n", option->name, option->help);
    if (option->kind == OPTION_ACTION)
        return;
    option_variable(option, variable);
    fprintf(out, "      %s: %s%s", variable, option_values(option, "|", values),
            option_number_hint(option->unit));
    print_default(out, option);
    fputc('\n', out);
}

static void print_notes(FILE *out, const char *title,
                        const struct option_note *notes)
{
    fprintf(out, "\n%s:\n", title);
    for (; notes->name; notes++)
        fprintf(out, "  %s\n      %s\n", notes->name, notes->text);
}

static void print_group(FILE *out, enum option_group group)
{
    fprintf(out, "\n%s:\n", option_groups[group]);
}

void options_help(FILE *out)
{
    static const struct options_table_form form = {print_group, print_option};

    fprintf(out,
            "flipd answers tensor-reversal requests over HTTP (Open Inference "
            "Protocol v2).\n\n"
            "Usage: flipd [--name value | --name=value | --flag]...\n\n"
            "Every option can be given as an environment variable; the command "
            "line wins.\n%s",
            option_number_note);
    options_table_write(out, &form);
    print_notes(out, "Other environment variables", option_variables);
    print_notes(out, "Signals", option_signals);
    print_notes(out, "Exit codes", option_exit_codes);
}
