// What is wrong with a request, in the API's own form:
// {"error": {"message": ..., "type": ..., "param": ..., "code": ...}}.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>

#include "tilewright/base/diagnostic.h"
#include "tilewright/http/message.h"

namespace tilewright::serve {

struct ApiError {
  int status = 400;
  std::string message;
  std::string param = {};  // the field, as in "messages[2].role"; empty = null
  std::string code = {};   // for programs, as in "context_length_exceeded"; empty = null
};

// Thrown while a request is read.
class Refused : public std::runtime_error {
 public:
  explicit Refused(ApiError error) : std::runtime_error(error.message), error_(std::move(error)) {}
  const ApiError& error() const { return error_; }

 private:
  ApiError error_;
};

[[noreturn]] void refuse(std::string param, std::string message,
                         std::string code = "invalid_value");

// A mistake that a lower room found in what the request asks for.
ApiError api_error(const Diagnostic& diagnostic, const std::string& param = "");

nlohmann::ordered_json error_json(const ApiError& error);
http::Response error_response(const ApiError& error);
// An http::ErrorForm.
http::Response http_error(int status, const std::string& words);

}  // namespace tilewright::serve
