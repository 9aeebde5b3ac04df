#include "server/mhd/parser_error.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct row {
    const char *part; /* of libmicrohttpd's page */
    const char *text; /* ours */
    bool limited;     /* by the memory of a connection, which the text names */
};

static const struct row by_page[] = {
    {"more then two whitespaces",
     "the request line has more than three words: METHOD /path HTTP/1.1",
     false},
    {"bare CR", "the request has a CR without an LF behind it", false},
    {"bare LF", "the request has an LF without a CR before it", false},
    {"invalid characters in the request-target",
     "the path has a space, which is to be percent-encoded", false},
    {"request path contains invalid", "the path has a NUL", false},
    {"Obsolete line folding",
     "a header goes on in the next line: folded lines are not supported",
     false},
    {"between the request line and the first header",
     "the first header begins with a space", false},
    {"First HTTP footer line has whitespace",
     "the first trailer begins with a space", false},
    {"whitespace before the first colon",
     "a header has a space before its colon", false},
    {"invalid character in field name",
     "the name of a header has a character that no name may have", false},
    {"invalid character in header", "a header has a NUL", false},
    {"invalid character in footer", "a trailer has a NUL", false},
    {"header line has no colon", "a header has no colon", false},
    {"footer line has no colon", "a trailer has no colon", false},
    {"empty header name", "a header has no name", false},
    {"empty footer name", "a trailer has no name", false},
    {"request without <b>&quot;Host",
     "HTTP/1.1 requires the header Host, which is absent", false},
    {"several <b>&quot;Host", "the header Host was given twice", false},
    {"multiple <b>&quot;Content-Length",
     "the header Content-Length was given twice", false},
    {"wrong value for <b>Content-Length",
     "the header Content-Length is no integer of at most 18446744073709551614",
     false},
    {"too large value for <b>Content-Length",
     "the header Content-Length is above 18446744073709551614", false},
    {"both Transfer-Encoding and Content-Length",
     "Transfer-Encoding and Content-Length exclude each other", false},
    {"must not be used with HTTP/1.0",
     "HTTP/1.0 knows no Transfer-Encoding: send Content-Length", false},
    {"Transfer-Encoding used in request is not supported",
     "the only Transfer-Encoding that is supported is chunked, once", false},
    {"chunked encoding is syntactically",
     "the chunked body is malformed: a chunk is its size in hexadecimal "
     "digits, CR LF, as many bytes, CR LF",
     false},
    {"chunk size used in", "the size of a chunk is above 18446744073709551615",
     false},
    {"the chunk size line exceeds",
     "the line with the size of a chunk is too long", true},
    {"trailer section exceeds", "the trailers are too long", true},
};

/* What the page does not tell. */
static const struct {
    int status;
    struct row row;
} by_status[] = {
    {413, {"", "the body is too long", false}},
    {414, {"", "the request line is too long", true}},
    {431, {"", "the headers are too long", true}},
    {501, {"", "the method is too long", true}},
    {505, {"", "the versions that are supported are HTTP/1.1 and 1.0", false}},
};

static const struct row other = {
    "",
    "the request line cannot be read: METHOD /path HTTP/1.1 comes first, "
    "without a NUL",
    false};

static const struct row *find(int status, const char *page, size_t len)
{
    for (size_t i = 0; i < sizeof(by_page) / sizeof(by_page[0]); i++)
        if (memmem(page, len, by_page[i].part, strlen(by_page[i].part)))
            return &by_page[i];
    for (size_t i = 0; i < sizeof(by_status) / sizeof(by_status[0]); i++)
        if (by_status[i].status == status)
            return &by_status[i].row;
    return &other;
}

void parser_error_print(int status, const char *page, size_t len, size_t memory,
                        char text[PARSER_ERROR_SIZE])
{
    const struct row *row = find(status, page, len);

    if (row->limited)
        snprintf(text, PARSER_ERROR_SIZE,
                 "%s: a request's line and headers may take %zu bytes, with "
                 "64 more for each header",
                 row->text, memory);
    else
        snprintf(text, PARSER_ERROR_SIZE, "%s", row->text);
}
