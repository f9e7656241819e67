// One request for embeddings on its way: every text is read by the worker, and its vector is the
// mean of its tokens.
#pragma once

#include <cstdint>
#include <vector>

#include "tilewright/http/server.h"
#include "tilewright/runtime/hidden_state.h"
#include "tilewright/serve/request_log.h"
#include "tilewright/serve/served_model.h"
#include "tilewright/serve/worker.h"

namespace tilewright::serve {

class EmbeddingJob : public Job {
 public:
  EmbeddingJob(http::Reply reply, std::vector<std::vector<int32_t>> texts, bool base64,
               const ServedModel& model, RequestRecord record, const RequestLog& log);

  std::vector<runtime::Request> requests() override;
  bool token(std::size_t, const runtime::Chosen&) override { return true; }
  void ended(std::size_t i, const runtime::Answer& answer) override;
  void failed(const ApiError& error) override;
  bool wanted() override { return reply_.wanted(); }

 private:
  void finish();

  http::Reply reply_;
  std::vector<std::vector<int32_t>> texts_;
  bool base64_;
  const ServedModel& model_;
  runtime::FinalNorm norm_;
  std::vector<std::vector<double>> sums_;  // by text
  RequestRecord record_;
  const RequestLog& log_;
  std::size_t open_;
  bool interrupted_ = false;
};

}  // namespace tilewright::serve
