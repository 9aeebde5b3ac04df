#include "tests/bench/programs/simdjson_parse.h"

#include <simdjson.h>

#include <string>

bool simdjson_parse_document(const char *text, size_t len)
{
    static simdjson::dom::parser parser;
    simdjson::dom::element tree;

    return !parser.parse(text, len, false).get(tree);
}

const char *simdjson_parse_kernel()
{
    static const std::string name =
        simdjson::get_active_implementation()->name();

    return name.c_str();
}
