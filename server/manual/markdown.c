#include "server/config/options_table.h"
#include "server/manual/manual.h"

/* A cell of a table: no character of it is markup. */
static void print_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '|' || *text == '*' || *text == '_' || *text == '<')
            fputc('\\', out);
        fputc(*text, out);
    }
}

static void print_default(FILE *out, const struct option *option)
{
    if (option->fallback)
        fprintf(out, "`%s`", option->fallback);
    else if (option->computed)
        print_text(out, option->computed);
}

static void print_values(FILE *out, const struct option *option)
{
    char variable[OPTION_VARIABLE_SIZE], values[OPTION_VALUES_SIZE];

    option_variable(option, variable);
    fprintf(out, "`%s` | ", variable);
    print_default(out, option);
    fprintf(out, " | %s | %s | ", option_number_unit(option->unit),
            option_values(option, ", ", values));
}

static void print_option(FILE *out, const struct option *option)
{
    fprintf(out, "| `--%s` | ", option->name);
    if (option->kind != OPTION_ACTION)
        print_values(out, option);
    print_text(out, option->help);
    fputs(" |\n", out);
}

static void print_notes(FILE *out, const char *title, const char *name,
                        const struct option_note *notes)
{
    fprintf(out, "\n### %s\n\n| %s | meaning |\n| --- | --- |\n", title, name);
    for (; notes->name; notes++) {
        fprintf(out, "| `%s` | ", notes->name);
        print_text(out, notes->text);
        fputs(" |\n", out);
    }
}

static void print_group(FILE *out, enum option_group group)
{
    fprintf(out, "%s### %s\n\n%s", group ? "\n" : "", option_groups[group],
            group == OPTION_ACTIONS
                ? "| option | meaning |\n| --- | --- |\n"
                : "| option | variable | default | unit | values | meaning "
                  "|\n| --- | --- | --- | --- | --- | --- |\n");
}

void manual_markdown(FILE *out)
{
    static const struct options_table_form form = {print_group, print_option};

    options_table_write(out, &form);
    print_notes(out, "Other environment variables", "variable",
                option_variables);
    print_notes(out, "Signals", "signal", option_signals);
    print_notes(out, "Exit codes", "code", option_exit_codes);
}
