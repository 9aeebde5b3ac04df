#include "server/config/options_table.h"
#include "server/manual/manual.h"

static const char beginning[] =
    ".\\\" Written from the table of options by the target `manual`.\n"
    ".TH FLIPD 8 2026-11-23 \"flipd " FLIPD_VERSION "\"\n"
    ".SH NAME\n"
    "flipd \\- reverse tensors over HTTP\n"
    ".SH SYNOPSIS\n"
    ".B flipd\n"
    "[\\fB\\-\\-\\fIname value\\fR |\n"
    "\\fB\\-\\-\\fIname\\fB=\\fIvalue\\fR |\n"
    "\\fB\\-\\-\\fIflag\\fR]...\n"
    ".SH DESCRIPTION\n"
    "The daemon answers requests of the Open Inference Protocol v2 over HTTP.\n"
    "Its models reverse tensors:\n"
    "ReverseSequence of ONNX and OpenVINO, Reverse of OpenVINO,\n"
    "and ReverseSequence of Graiphic with its backward pass.\n"
    "It runs in the foreground and writes its log to standard error.\n"
    ".PP\n"
    "Every option can be given as an environment variable, whose name stands\n"
    "with the option; the command line wins.\n"
    "An empty variable counts as absent.\n";

static const char ending[] =
    ".SH EXAMPLES\n"
    "Check the options and the files that they name, then serve:\n"
    ".PP\n"
    ".nf\n"
    ".RS\n"
    "flipd \\-\\-models /etc/flipd/models.json \\-\\-check &&\n"
    "    flipd \\-\\-models /etc/flipd/models.json \\-\\-http\\-port 8000\n"
    ".RE\n"
    ".fi\n"
    ".PP\n"
    "Ask whether the daemon is ready:\n"
    ".PP\n"
    ".nf\n"
    ".RS\n"
    "flipd \\-\\-probe \\-\\-http\\-port 8000\n"
    ".RE\n"
    ".fi\n";

/* A text in which '-' is a minus, as it is typed, and nothing is markup. */
static void print_text(FILE *out, const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", out);
    for (; *text; text++) {
        if (*text == '-')
            fputc('\\', out);
        fputs(*text == '\\' ? "\\e" : (const char[]){*text, '\0'}, out);
    }
}

static void print_bold(FILE *out, const char *before, const char *text)
{
    fputs(".TP\n.B ", out);
    print_text(out, before);
    print_text(out, text);
    fputc('\n', out);
}

static void print_values(FILE *out, const struct option *option)
{
    char variable[OPTION_VARIABLE_SIZE], values[OPTION_VALUES_SIZE];

    option_variable(option, variable);
    fprintf(out, ".br\n.BR %s :\n", variable);
    print_text(out, option_values(option, "|", values));
    fprintf(out, "%s;\ndefault ", option_number_hint(option->unit));
    print_text(out, option->fallback ? option->fallback : option->computed);
    fputc('\n', out);
}

static void print_option(FILE *out, const struct option *option)
{
    print_bold(out, "--", option->name);
    print_text(out, option->help);
    fputc('\n', out);
    if (option->kind != OPTION_ACTION)
        print_values(out, option);
}

static void print_notes(FILE *out, const char *title,
                        const struct option_note *notes)
{
    fprintf(out, ".SH %s\n", title);
    for (; notes->name; notes++) {
        print_bold(out, "", notes->name);
        print_text(out, notes->text);
        fputc('\n', out);
    }
}

static void print_group(FILE *out, enum option_group group)
{
    fprintf(out, ".SS %s\n", option_groups[group]);
}

void manual_page(FILE *out)
{
    static const struct options_table_form form = {print_group, print_option};

    fprintf(out, "%s.SH OPTIONS\n%s", beginning, option_number_note);
    options_table_write(out, &form);
    print_notes(out, "ENVIRONMENT", option_variables);
    print_notes(out, "SIGNALS", option_signals);
    print_notes(out, "EXIT STATUS", option_exit_codes);
    fputs(ending, out);
}
