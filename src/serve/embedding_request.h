// POST /v1/embeddings, read: texts whose vectors are asked for.
#pragma once

#include <string_view>
#include <vector>

#include "tilewright/serve/completion_request.h"

namespace tilewright::serve {

struct EmbeddingRequest {
  std::vector<TextOrTokens> texts;
  bool base64 = false;  // of the floats' bytes, little-endian
};

// Throws Refused.
EmbeddingRequest read_embedding_request(std::string_view body, const ServedModel& model);

}  // namespace tilewright::serve
