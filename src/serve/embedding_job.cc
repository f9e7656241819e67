#include "tilewright/serve/embedding_job.h"

#include <bit>
#include <cstring>

#include "tilewright/serve/request_json.h"
#include "tilewright/serve/wire_text.h"

namespace tilewright::serve {
namespace {

std::string base64_of(const std::vector<float>& numbers) {
  static_assert(std::endian::native == std::endian::little);
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<unsigned char> bytes(numbers.size() * sizeof(float));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t word = 0;
    for (std::size_t j = 0; j < 3; ++j)
      word = word << 8 | (i + j < bytes.size() ? bytes[i + j] : 0u);
    for (std::size_t j = 0; j < 4; ++j)
      out += i + j <= bytes.size() ? kDigits[word >> (18 - 6 * j) & 63] : '=';
  }
  return out;
}

}  // namespace

EmbeddingJob::EmbeddingJob(http::Reply reply, std::vector<std::vector<int32_t>> texts, bool base64,
                           const ServedModel& model, RequestRecord record, const RequestLog& log)
    : reply_(std::move(reply)),
      texts_(std::move(texts)),
      base64_(base64),
      model_(model),
      norm_(model.checkpoint),
      sums_(texts_.size()),
      record_(std::move(record)),
      log_(log),
      open_(texts_.size()) {}

std::vector<runtime::Request> EmbeddingJob::requests() {
  std::vector<runtime::Request> out;
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    runtime::Request r;
    r.prompt = texts_[i];
    r.max_tokens = 0;
    r.on_hidden = [this, i](std::span<const float> hidden) { norm_.add(hidden, sums_[i]); };
    out.push_back(std::move(r));
  }
  return out;
}

void EmbeddingJob::ended(std::size_t, const runtime::Answer& answer) {
  interrupted_ = interrupted_ || answer.ended == runtime::Ended::Interrupted;
  record_.prompt_tokens += answer.prompt_tokens;
  if (--open_ == 0) finish();
}

void EmbeddingJob::finish() {
  record_.outcome = "embedded";
  if (!wanted()) {
    record_.status = 499;
    return log_.answered(record_);
  }
  if (interrupted_) return failed({503, "the server is shutting down", "", "shutting_down"});
  Value data = Value::array();
  for (const std::vector<double>& sum : sums_) {
    const std::vector<float> vector = runtime::unit_vector(sum);
    data.push_back({{"object", "embedding"},
                    {"index", data.size()},
                    {"embedding", base64_ ? Value(base64_of(vector)) : Value(vector)}});
  }
  http::Response whole = json_response(
      {{"object", "list"},
       {"data", std::move(data)},
       {"model", model_.id},
       {"usage",
        {{"prompt_tokens", record_.prompt_tokens}, {"total_tokens", record_.prompt_tokens}}}});
  whole.headers.emplace_back("X-Request-Id", record_.id);
  record_.status = 200;
  log_.answered(record_);
  reply_.send(std::move(whole));
}

void EmbeddingJob::failed(const ApiError& error) {
  record_.status = error.status;
  log_.answered(record_);
  reply_.send(error_response(error));
}

}  // namespace tilewright::serve
