#include "tilewright/serve/form.h"

#include <algorithm>

namespace tilewright::serve {

Value Form::object(const char* kind) const {
  return {{"id", head_.id},
          {"object", kind},
          {"created", head_.created},
          {"model", head_.model},
          {"system_fingerprint", head_.fingerprint},
          {"seed", head_.seed}};
}

Value Form::counts(const Usage& usage) const {
  Value out = object(chunk_kind());
  out["choices"] = Value::array();
  out["usage"] = usage_json(usage);
  return out;
}

Value usage_json(const Usage& u) {
  return {{"prompt_tokens", u.prompt},
          {"completion_tokens", u.generated},
          {"total_tokens", u.prompt + u.generated},
          {"prompt_tokens_details", {{"cached_tokens", u.cached}}}};
}

// JSON has no infinity; the API's own servers write this number for a token that cannot come.
Value logprob_number(double logprob) { return std::max(logprob, -9999.0); }

}  // namespace tilewright::serve
