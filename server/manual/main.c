/* Writes a text that is made from the table of options to standard output:
 *
 *   flipd_manual markdown FILE    FILE, with the tables between its two marks
 *   flipd_manual page             flipd(8)
 *   flipd_manual bash | zsh       a completion */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "server/manual/manual.h"

static const char begins[] = "<!-- options: written by the target `manual` -->";
static const char ends[] = "<!-- end of options -->";

static bool is_mark(const char *line, const char *mark)
{
    size_t len = strlen(mark);

    return strncmp(line, mark, len) == 0 && strcmp(line + len, "\n") == 0;
}

/* Copies the lines up to the mark and the mark itself, or all when `mark` is
 * NULL; without `out` they are left out. False when there is no such mark. */
static bool copy_to_mark(FILE *in, const char *mark, FILE *out)
{
    char *line = NULL;
    size_t size = 0;
    bool found = false;

    while (!found && getline(&line, &size, in) > 0) {
        found = mark && is_mark(line, mark);
        if (out)
            fputs(line, out);
    }
    free(line);
    return found;
}

static int write_markdown(const char *path)
{
    FILE *in = fopen(path, "r");
    bool found = false;

    if (!in) {
        perror(path);
        return EXIT_FAILURE;
    }
    if (copy_to_mark(in, begins, stdout)) {
        putchar('\n');
        manual_markdown(stdout);
        printf("\n%s\n", ends);
        found = copy_to_mark(in, ends, NULL);
        copy_to_mark(in, NULL, stdout);
    }
    fclose(in);
    if (!found)
        fprintf(stderr, "%s: a line %s or %s is missing\n", path, begins, ends);
    return found ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char *argv[])
{
    static const struct {
        const char *name;
        void (*write)(FILE *out);
    } forms[] = {
        {"page", manual_page}, {"bash", manual_bash}, {"zsh", manual_zsh}};

    if (argc == 3 && strcmp(argv[1], "markdown") == 0)
        return write_markdown(argv[2]);
    for (size_t i = 0; argc == 2 && i < sizeof(forms) / sizeof(forms[0]); i++)
        if (strcmp(argv[1], forms[i].name) == 0) {
            forms[i].write(stdout);
            return EXIT_SUCCESS;
        }
    fputs("usage: flipd_manual markdown FILE | page | bash | zsh\n", stderr);
    return EXIT_FAILURE;
}
