// One request for text on its way: its sequences run at the worker, and its answer is written as a
// whole or as a stream.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "tilewright/http/server.h"
#include "tilewright/serve/form.h"
#include "tilewright/serve/generation_settings.h"
#include "tilewright/serve/request_log.h"
#include "tilewright/serve/worker.h"

namespace tilewright::serve {

class Exchange : public Job {
 public:
  struct Asked {
    std::vector<runtime::Request> requests;  // one for each choice
    std::vector<Choice> choices;
    int64_t prompt_tokens = 0;  // of each prompt once
    std::unique_ptr<Form> form;
    bool stream = false, include_usage = false;
  };
  Exchange(http::Reply reply, Asked asked, RequestRecord record, const RequestLog& log);

  std::vector<runtime::Request> requests() override;
  bool token(std::size_t i, const runtime::Chosen& chosen) override;
  void ended(std::size_t i, const runtime::Answer& answer) override;
  void failed(const ApiError& error) override;
  bool wanted() override;

 private:
  void write(const Value& part);
  void write_delta(std::size_t i, const Delta& delta);
  void open_stream();
  void finish();
  Usage usage() const;
  void log(int status, std::string_view outcome);

  http::Reply reply_;
  http::Stream stream_;
  Asked asked_;
  RequestRecord record_;
  const RequestLog& log_;
  std::size_t open_;
  bool interrupted_ = false;
  std::optional<Diagnostic> error_;
  int64_t cached_ = 0;
  std::vector<bool> opened_;  // by choice: its first part is written
  double written_ = 0;        // when something was last written
};

}  // namespace tilewright::serve
