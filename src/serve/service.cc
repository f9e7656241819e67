#include "tilewright/serve/service.h"

#include <fmt/format.h>

#include <chrono>

#include "tilewright/base/utf8.h"
#include "tilewright/serve/ask.h"
#include "tilewright/serve/embedding_job.h"
#include "tilewright/serve/embedding_request.h"
#include "tilewright/serve/page.h"
#include "tilewright/serve/props.h"
#include "tilewright/serve/request_id.h"
#include "tilewright/serve/wire_text.h"

namespace tilewright::serve {
namespace {

// Bodies that wait to be read, and for each what is kept beside its text.
constexpr std::size_t kMostAtDesk = 64 << 20, kBeside = 4096;

int64_t seconds_now() {
  using namespace std::chrono;
  return duration_cast<seconds>(system_clock::now().time_since_epoch()).count();
}

AnswerHead head_of(const ServedModel& model, const RequestRecord& record) {
  return {record.id, seconds_now(), model.id, model.fingerprint, 0};
}

// Counted before the client can know: what it reads of the counters next includes this.
void send(const http::Reply& reply, const Value& json, RequestRecord& record,
          const RequestLog& log) {
  http::Response r = json_response(json);
  r.headers.emplace_back("X-Request-Id", record.id);
  record.status = r.status;
  log.answered(record);
  reply.send(std::move(r));
}

}  // namespace

Service::Service(const ServedModel& model, Worker& worker, Metrics& metrics, const RequestLog& log,
                 Options options)
    : model_(model),
      worker_(worker),
      metrics_(metrics),
      options_(std::move(options)),
      keys_(options_.keys),
      log_(log),
      routes_(http_error),
      structures_(model.text),
      desk_(kMostAtDesk) {
  add_routes();
}

http::Handler Service::handler() {
  return [this](const http::Request& request, const http::Reply& reply) {
    if (admitted(request, reply)) routes_(request, reply);
  };
}

bool Service::admitted(const http::Request& request, const http::Reply& reply) const {
  // The page asks for the key itself; whoever watches a server's health needs none.
  if (request.path == "/" || request.path == "/health" || keys_.admit(request)) return true;
  RequestRecord record{.id = "-", .method = request.method, .path = "unauthorized"};
  refuse(reply, record,
         {401,
          request.header("authorization").empty()
              ? "this server needs a key: send the header Authorization: Bearer KEY"
              : "this key is not one of this server's",
          "", "invalid_api_key"});
  return false;
}

void Service::refuse(const http::Reply& reply, RequestRecord& record, const ApiError& error) const {
  record.status = error.status;
  record.outcome = {};
  log_.answered(record);
  reply.send(error_response(error));
}

void Service::get(const std::string& path, Answer answer) {
  routes_.get(path, [this, path, answer = std::move(answer)](const http::Request& request) {
    RequestRecord record{.id = "-", .method = request.method, .path = path};
    http::Response r = answer(request);
    record.status = r.status;
    metrics_.answered(path, r.status, runtime::now_seconds() - record.began);
    return r;
  });
}

void Service::post(const std::string& path, const char* id_prefix, Work work) {
  routes_.add(
      "POST", path,
      [this, path, id_prefix, work = std::move(work)](const http::Request& request,
                                                      const http::Reply& reply) {
        RequestRecord record{.id = new_id(id_prefix), .method = "POST", .path = path};
        const auto todo = [this, request, reply, record, &work]() mutable {
          try {
            work(request, reply, record);
          } catch (const Refused& e) {
            refuse(reply, record, e.error());
          } catch (const UserError& e) {
            refuse(reply, record, api_error(e.diagnostic()));
          } catch (const std::exception& e) {
            refuse(reply, record, {500, e.what()});
          }
        };
        if (!desk_.leave(request.body.size() + kBeside, todo))
          refuse(reply, record, {503, "too many requests wait to be read", "", "queue_full"});
      });
}

void Service::add_routes() {
  get("/", [](const http::Request&) {
    http::Response page{.type = "text/html; charset=utf-8", .body = chat_page()};
    page.headers.emplace_back("Content-Security-Policy",
                              "default-src 'none'; connect-src 'self'; script-src 'unsafe-inline'; "
                              "style-src 'unsafe-inline'; img-src data:; base-uri 'none'");
    return page;
  });
  get("/health", [this](const http::Request&) {
    http::Response r = json_response({{"status", worker_.draining() ? "draining" : "ok"}});
    if (worker_.draining()) r.status = 503;
    return r;
  });
  get("/metrics", [this](const http::Request&) { return metrics_text(); });
  get("/props",
      [this](const http::Request&) { return json_response(props_json(model_, worker_.gauges())); });
  get("/v1/models", [this](const http::Request&) {
    return json_response({{"object", "list"}, {"data", Value::array({model_json(model_)})}});
  });
  get("/v1/models/" + model_.id,
      [this](const http::Request&) { return json_response(model_json(model_)); });
  const auto with = [this](auto member) {
    return [this, member](const http::Request& request, const http::Reply& reply,
                          RequestRecord& record) { (this->*member)(request, reply, record); };
  };
  post("/v1/chat/completions", "chatcmpl-", with(&Service::chat));
  post("/v1/completions", "cmpl-", with(&Service::complete));
  post("/v1/embeddings", "embd-", with(&Service::embed));
  post("/tokenize", "tok-", with(&Service::tokenize));
  post("/detokenize", "tok-", with(&Service::detokenize));
}

void Service::chat(const http::Request& request, const http::Reply& reply, RequestRecord& record) {
  auto asked =
      ask(read_chat_request(request.body, model_), model_, structures_, head_of(model_, record));
  const auto sequences = static_cast<int64_t>(asked.choices.size());
  worker_.submit(std::make_shared<Exchange>(reply, std::move(asked), record, log_), sequences);
}

void Service::complete(const http::Request& request, const http::Reply& reply,
                       RequestRecord& record) {
  auto asked = ask(read_completion_request(request.body, model_), model_, head_of(model_, record));
  const auto sequences = static_cast<int64_t>(asked.choices.size());
  worker_.submit(std::make_shared<Exchange>(reply, std::move(asked), record, log_), sequences);
}

void Service::embed(const http::Request& request, const http::Reply& reply, RequestRecord& record) {
  const EmbeddingRequest asked = read_embedding_request(request.body, model_);
  std::vector<std::vector<int32_t>> texts;
  for (const TextOrTokens& text : asked.texts) {
    texts.push_back(tokens_of(text, *model_.text.tokenizer));
    require_tokens(texts.back(), model_, element("input", texts.size() - 1));
  }
  const auto sequences = static_cast<int64_t>(texts.size());
  worker_.submit(std::make_shared<EmbeddingJob>(reply, std::move(texts), asked.base64, model_,
                                                record, log_),
                 sequences);
}

void Service::tokenize(const http::Request& request, const http::Reply& reply,
                       RequestRecord& record) {
  const Value root = parse_body(request.body);
  Fields fields(root);
  const std::string text = fields.needed_text("content");
  const tokens::EncodeOptions options{.surround = fields.boolean("add_special").value_or(false),
                                      .special_in_text =
                                          fields.boolean("parse_special").value_or(true)};
  const bool pieces = fields.boolean("with_pieces").value_or(false);
  fields.finish();
  Value list = Value::array();
  for (const int32_t id : model_.text.tokenizer->encode(text, options)) {
    const std::string_view piece = model_.text.tokenizer->bytes(id);
    if (pieces)
      list.push_back({{"id", id}, {"piece", piece}});
    else
      list.push_back(id);
  }
  send(reply, {{"tokens", std::move(list)}}, record, log_);
}

void Service::detokenize(const http::Request& request, const http::Reply& reply,
                         RequestRecord& record) {
  const Value root = parse_body(request.body);
  Fields fields(root);
  const std::vector<int32_t> ids = token_ids(fields.needed("tokens"), model_.vocab(), "tokens");
  fields.finish();
  send(reply, {{"content", model_.text.tokenizer->decode(ids)}}, record, log_);
}

http::Response Service::metrics_text() const {
  Gauges now = worker_.gauges();
  if (options_.connections) now.connections = static_cast<int64_t>(options_.connections());
  return {.type = "text/plain; version=0.0.4; charset=utf-8", .body = metrics_.text(now)};
}

}  // namespace tilewright::serve
