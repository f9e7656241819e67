// A small synthetic model behind the API, in this process.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "../temporary_directory.h"
#include "api_client.h"
#include "tilewright/models/transformer/synthetic.h"
#include "tilewright/serve/api_server.h"
#include "tilewright/serve/fingerprint.h"

namespace serve_test {

using namespace tilewright;
using namespace std::chrono_literals;

// Its files and what is made of them, once for all tests.
struct TestModel {
  TemporaryDirectory directory;
  checkpoint::Checkpoint checkpoint;
  models::transformer::ModelText text;

  TestModel() {
    checkpoint::ModelConfig c;
    c.family = checkpoint::Family::Qwen3;
    c.hidden = 64;
    c.layers = 2;
    c.heads = 4;
    c.kv_heads = 2;
    c.head_dim = 16;
    c.intermediate = 96;
    c.vocab = 285;
    c.max_positions = 4096;
    c.rms_norm_eps = 1e-6;
    c.rope_theta = 1e6;
    c.tied = true;
    const std::string path = directory / "model";
    models::transformer::write_synthetic({.config = c}, path);
    checkpoint = checkpoint::open_checkpoint(path);
    text = models::transformer::load_text(path);
  }
};
inline TestModel& test_model() {
  static TestModel model;
  return model;
}

struct Setting {
  runtime::EngineOptions engine = {
      .threads = 2, .context = 512, .slots = 4, .chunk = 64, .page = 32, .split = 64};
  serve::ApiServer::Options api = {};
};

class Served : public ::testing::Test {
 protected:
  void start(Setting setting = {}) {
    server_.reset();
    engine_.reset();
    TestModel& m = test_model();
    engine_ = std::make_unique<runtime::Engine>(m.checkpoint, setting.engine);
    model_ = std::make_unique<serve::ServedModel>(
        serve::ServedModel{.checkpoint = m.checkpoint,
                           .text = m.text,
                           .id = "small",
                           .created = 1,
                           .context = engine_->context(),
                           .fingerprint =
                               serve::fingerprint_of(m.checkpoint, "test", engine_->pool()),
                           .sampling = {}});
    model_->sampling.temperature = 5;  // its logits have one favourite
    setting.api.log = [this](const std::string& line) {
      const std::lock_guard lock(mutex_);
      log_ += line;
    };
    server_ = std::make_unique<serve::ApiServer>(*model_, *engine_, setting.api);
  }
  ApiClient client() { return ApiClient(server_->port()); }
  std::string log() {
    const std::lock_guard lock(mutex_);
    return log_;
  }
  // A value of /metrics.
  double metric(const std::string& name) {
    const std::string text = client().get("/metrics").body;
    const auto at = text.find("\ntilewright_" + name + " ");
    return at == std::string::npos ? -1 : std::stod(text.substr(at + name.size() + 13));
  }
  double ended(const std::string& why) {
    return std::max(0.0, metric("sequences_ended_total{reason=\"" + why + "\"}"));
  }
  // Until `what` is so, at most 10 s.
  template <class What>
  bool soon(const What& what) {
    for (int i = 0; i < 1000; ++i) {
      if (what()) return true;
      std::this_thread::sleep_for(10ms);
    }
    return false;
  }

  std::unique_ptr<runtime::Engine> engine_;
  std::unique_ptr<serve::ServedModel> model_;
  std::mutex mutex_;
  std::string log_;
  std::unique_ptr<serve::ApiServer> server_;
};

// A bias that leaves the letters a to j.
inline Json letters(ApiClient& client) {
  Json out = Json::object();
  for (char c = 'a'; c <= 'j'; ++c) {
    const Json ids =
        client.post("/tokenize", Json{{"content", std::string(1, c)}}).json()["tokens"];
    out[std::to_string(ids[0].get<int>())] = 100 - (c - 'a');
  }
  return out;
}

inline Json chat(const std::string& text, Json more = Json::object()) {
  Json body{{"messages", {{{"role", "user"}, {"content", text}}}}, {"max_tokens", 12}, {"seed", 1}};
  body.update(more);
  return body;
}
inline Json completion(const std::string& prompt, Json more = Json::object()) {
  Json body{{"prompt", prompt}, {"max_tokens", 12}, {"seed", 1}};
  body.update(more);
  return body;
}

}  // namespace serve_test
