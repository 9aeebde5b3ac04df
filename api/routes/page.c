#include "api/routes/page.h"

#include "api/routes/page_text.h"

void page_answer(struct api_reply *reply)
{
    *reply = (struct api_reply){
        .status = 200,
        .content_type = "text/html; charset=utf-8",
        .policy = page_policy,
        .piece_count = 1,
        .pieces = {{page_html, page_html_len}},
    };
}

void page_contract(struct api_reply *reply)
{
    *reply = (struct api_reply){
        .status = 200,
        .content_type = "application/yaml",
        .piece_count = 1,
        .pieces = {{page_contract_yaml, page_contract_yaml_len}},
    };
}
