#include "tilewright/serve/exchange.h"

#include <algorithm>

#include "tilewright/serve/wire_text.h"

namespace tilewright::serve {
namespace {

// A stream that says nothing is given up by what lies between.
constexpr double kPingSeconds = 5;

}  // namespace

Exchange::Exchange(http::Reply reply, Asked asked, RequestRecord record, const RequestLog& log)
    : reply_(std::move(reply)),
      asked_(std::move(asked)),
      record_(std::move(record)),
      log_(log),
      open_(asked_.choices.size()),
      opened_(asked_.choices.size()) {}

std::vector<runtime::Request> Exchange::requests() {
  if (asked_.stream) open_stream();
  return std::move(asked_.requests);
}

void Exchange::open_stream() {
  http::Response head{.type = "text/event-stream"};
  head.headers.emplace_back("X-Request-Id", record_.id);
  stream_ = reply_.stream(head);
  written_ = runtime::now_seconds();
}

void Exchange::write(const Value& part) {
  stream_.write(event_of(part));
  written_ = runtime::now_seconds();
}

void Exchange::write_delta(std::size_t i, const Delta& delta) {
  if (!asked_.stream) return;
  if (!opened_[i]) {
    opened_[i] = true;
    for (const Value& part : asked_.form->opening(i)) write(part);
  }
  if (!delta.empty()) write(asked_.form->piece(i, delta));
}

bool Exchange::token(std::size_t i, const runtime::Chosen& chosen) {
  write_delta(i, asked_.choices[i].push(chosen));
  return !asked_.choices[i].stopped();
}

void Exchange::ended(std::size_t i, const runtime::Answer& answer) {
  Choice& choice = asked_.choices[i];
  write_delta(i, choice.finish(answer));
  record_.first_token_seconds = std::max(record_.first_token_seconds, answer.first_token_seconds);
  interrupted_ = interrupted_ || answer.ended == runtime::Ended::Interrupted;
  cached_ += answer.cached_tokens;
  if (answer.error) error_ = answer.error;
  if (asked_.stream && !interrupted_ && !answer.error) write(asked_.form->ending(i, choice));
  if (--open_ == 0) finish();
}

void Exchange::finish() {
  if (!wanted()) return log(499, "gone");
  // Sequences of a client that is there are interrupted for one reason.
  if (interrupted_) return failed({503, "the server is shutting down", "", "shutting_down"});
  if (error_) {
    ApiError error = api_error(*error_);
    error.status = 500;
    return failed(error);
  }
  // Counted before the client can know, so that what it reads of the counters next includes this.
  log(200, asked_.choices.front().finish_reason());
  if (asked_.stream) {
    if (asked_.include_usage) write(asked_.form->counts(usage()));
    stream_.write("data: [DONE]\n\n");
    stream_.end();
  } else {
    http::Response whole = json_response(asked_.form->whole(asked_.choices, usage()));
    whole.headers.emplace_back("X-Request-Id", record_.id);
    reply_.send(std::move(whole));
  }
}

void Exchange::failed(const ApiError& error) {
  log(error.status, error.code.empty() ? "failed" : error.code);
  if (stream_.open()) {
    write(error_json(error));
    stream_.end();
  } else {
    reply_.send(error_response(error));
  }
}

bool Exchange::wanted() {
  const bool there = asked_.stream ? stream_.open() : reply_.wanted();
  if (there && asked_.stream && runtime::now_seconds() - written_ > kPingSeconds) {
    stream_.write(": ping\n\n");
    written_ = runtime::now_seconds();
  }
  return there;
}

Usage Exchange::usage() const {
  Usage u{.prompt = asked_.prompt_tokens, .cached = std::min(cached_, asked_.prompt_tokens)};
  for (const Choice& c : asked_.choices) u.generated += c.token_count();
  return u;
}

void Exchange::log(int status, std::string_view outcome) {
  const Usage u = usage();
  record_.status = status;
  record_.outcome = outcome;
  record_.prompt_tokens = u.prompt;
  record_.generated_tokens = u.generated;
  log_.answered(record_);
}

}  // namespace tilewright::serve
