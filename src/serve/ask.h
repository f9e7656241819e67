// What a request that was read becomes: sequences for the worker, and the form of their answer.
#pragma once

#include "tilewright/serve/chat_request.h"
#include "tilewright/serve/completion_request.h"
#include "tilewright/serve/exchange.h"
#include "tilewright/serve/structure.h"

namespace tilewright::serve {

// Both throw Refused and UserError.
Exchange::Asked ask(ChatRequest request, const ServedModel& model, Structures& structures,
                    AnswerHead head);
Exchange::Asked ask(CompletionRequest request, const ServedModel& model, AnswerHead head);

}  // namespace tilewright::serve
