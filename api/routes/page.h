/* Pages for people. Static: the replies own nothing. */
#pragma once

#include "api/api.h"

/* GET /: page/page.html with its style and script in it. */
void page_answer(struct api_reply *reply);

/* GET /openapi.yaml */
void page_contract(struct api_reply *reply);
