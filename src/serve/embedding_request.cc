#include "tilewright/serve/embedding_request.h"

#include <fmt/format.h>

#include "tilewright/serve/api_error.h"

namespace tilewright::serve {

EmbeddingRequest read_embedding_request(std::string_view body, const ServedModel& model) {
  const Value root = parse_body(body);
  Fields fields(root);
  EmbeddingRequest r;
  r.texts = read_texts(fields.needed("input"), model.vocab(), "input");
  fields.text("model");
  if (const auto format = fields.text("encoding_format"))
    r.base64 = one_of(*format, {"float", "base64"}, "encoding_format") == 1;
  const int64_t width = model.checkpoint.config.hidden;
  if (const auto d = fields.integer("dimensions", 1, INT32_MAX); d && *d != width)
    refuse("dimensions", fmt::format("dimensions is {}; vectors of this model have {}", *d, width),
           "unsupported_value");
  fields.ignore({"user"});
  fields.finish();
  return r;
}

}  // namespace tilewright::serve
