#include <string.h>

#include "server/config/options_table.h"
#include "server/manual/manual.h"

static const char note[] = "# Written from the table of options by the target "
                           "`manual`.\n";

static bool stands_for(const struct option *option, const char *value)
{
    return option->stands_for && strcmp(option->stands_for, value) == 0;
}

/* The values that can be offered, with blanks between; "" when there are none.
 */
static const char *words_of(const struct option *option,
                            char text[OPTION_VALUES_SIZE])
{
    if (stands_for(option, "ADDRESS"))
        return "localhost 127.0.0.1 0.0.0.0";
    if (option->kind == OPTION_CHOICE || option->kind == OPTION_FLAG)
        return option_values(option, " ", text);
    return "";
}

static const char bash_beginning[] =
    "\n"
    "_flipd_words() { # WORDS BEGINNING\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$2\")\n"
    "}\n"
    "\n"
    "_flipd_files() { # BEGINNING\n"
    "    mapfile -t COMPREPLY < <(compgen -f -- \"$1\")\n"
    "    compopt -o filenames 2>/dev/null\n"
    "}\n"
    "\n"
    "_flipd() {\n"
    "    local word=${COMP_WORDS[COMP_CWORD]}\n"
    "    local option=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "\n"
    "    # The '=' of --name=value is a word of its own.\n"
    "    if [ \"$word\" = = ]; then\n"
    "        option+== word=\n"
    "    elif [ \"$option\" = = ]; then\n"
    "        option=${COMP_WORDS[COMP_CWORD - 2]}=\n"
    "    fi\n"
    "    COMPREPLY=()\n"
    "    case $option in\n";

/* A flag has a value behind a '=' only. */
static void print_bash_case(FILE *out, const struct option *option)
{
    char text[OPTION_VALUES_SIZE];
    const char *words = words_of(option, text);

    if (option->kind == OPTION_ACTION)
        return;
    if (option->kind != OPTION_FLAG)
        fprintf(out, "    --%s | ", option->name);
    else
        fputs("    ", out);
    fprintf(out, "--%s=) ", option->name);
    if (stands_for(option, "FILE"))
        fputs("_flipd_files \"$word\" ", out);
    else if (*words)
        fprintf(out, "_flipd_words \"%s\" \"$word\" ", words);
    fputs(";;\n", out);
}

void manual_bash(FILE *out)
{
    fprintf(out, "# Completion of flipd for bash.\n%s%s", note, bash_beginning);
    for (const struct option *o = option_table; o->name; o++)
        print_bash_case(out, o);
    fputs("    *) _flipd_words \"-h", out);
    for (const struct option *o = option_table; o->name; o++)
        fprintf(out, " --%s", o->name);
    fputs("\" \"$word\" ;;\n    esac\n}\n\ncomplete -F _flipd flipd\n", out);
}

/* A text within brackets and single quotes. */
static void print_explanation(FILE *out, const char *text)
{
    fputc('[', out);
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\'", out);
        else if (*text == '[' || *text == ']' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
    fputs("]", out);
}

static void print_zsh_value(FILE *out, const struct option *option)
{
    char values[OPTION_VALUES_SIZE], text[OPTION_VALUES_SIZE];
    const char *words = words_of(option, text);

    if (option->kind == OPTION_ACTION)
        return;
    fputs(option->kind == OPTION_FLAG ? "::" : ":", out);
    fputs(option_values(option, " or ", values), out);
    if (stands_for(option, "FILE"))
        fputs(":_files", out);
    else if (*words)
        fprintf(out, ":(%s)", words);
    else
        fputs(": ", out);
}

static void print_zsh(FILE *out, const struct option *option)
{
    bool takes_more = option->kind == OPTION_TEXTS;

    if (option->kind == OPTION_ACTION)
        fprintf(out, " \\\n    '(- *)--%s", option->name);
    else
        fprintf(out, " \\\n    '%s--%s=%s", takes_more ? "*" : "", option->name,
                option->kind == OPTION_FLAG ? "-" : "");
    print_explanation(out, option->help);
    print_zsh_value(out, option);
    fputc('\'', out);
}

void manual_zsh(FILE *out)
{
    fprintf(out, "#compdef flipd\n# Completion of flipd for zsh.\n%s\n", note);
    fputs("_arguments", out);
    for (const struct option *o = option_table; o->name; o++)
        print_zsh(out, o);
    fputs(" \\\n    '(- *)-h[the same as --help]'\n", out);
}
