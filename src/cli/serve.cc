// `serve`: a model behind the API that clients of language models use.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/files.h"
#include "tilewright/base/text.h"
#include "tilewright/cli/flags.h"
#include "tilewright/cli/model_run.h"
#include "tilewright/serve/api_server.h"
#include "tilewright/serve/fingerprint.h"

namespace tilewright::cli {
namespace {

constexpr int64_t kDefaultSlots = 8;
constexpr std::size_t kDefaultConnections = 2048;
constexpr std::size_t kBodyBytes = 4 << 20, kUnsentBytes = 4 << 20;

uint64_t number_of(const Context& c, const std::string& flag, uint64_t otherwise, uint64_t low,
                   uint64_t high) {
  const uint64_t n = c.args.number(flag).value_or(otherwise);
  if (n < low || n > high)
    refuse_value(fmt::format("{} {}", flag, n), fmt::format("{} is {} to {}", flag, low, high));
  return n;
}

void add_key(std::vector<std::string>& keys, const std::string& key, const std::string& origin) {
  if (key.empty() || key.find_first_of(" \t\r") != std::string::npos)
    user_error("api-key", fmt::format("a key from {} is empty or has spaces", origin), "",
               "clients send a key as one word of a header", "use letters and digits");
  keys.push_back(key);
}

std::vector<std::string> keys_of(const Context& c) {
  std::vector<std::string> keys;
  if (c.args.has("--api-key"))
    for (const std::string& key : c.args.words("--api-key")) add_key(keys, key, "--api-key");
  if (c.args.has("--api-key-file"))
    for (const std::string& line : split(read_text(c.args.text("--api-key-file")), '\n'))
      if (!line.empty()) add_key(keys, line, c.args.text("--api-key-file"));
  if (const char* key = std::getenv("TILEWRIGHT_API_KEY"); key && *key)
    add_key(keys, key, "TILEWRIGHT_API_KEY");
  return keys;
}

bool is_loopback(const std::string& host) { return host.starts_with("127.") || host == "::1"; }

http::Settings http_settings(const Context& c) {
  http::Settings s;
  s.address = c.args.text("--host", "127.0.0.1");
  if (s.address == "localhost") s.address = "127.0.0.1";
  s.port = static_cast<uint16_t>(number_of(c, "--port", 8080, 0, 65535));
  s.limits.connections = number_of(c, "--max-connections", kDefaultConnections, 1, 100'000);
  s.limits.body_bytes = kBodyBytes;
  s.limits.unsent_bytes = kUnsentBytes;
  s.visitors.by_address = !is_loopback(s.address);
  if (c.args.has("--allow-host")) s.visitors.hosts = c.args.words("--allow-host");
  if (c.args.has("--cors-origin")) s.visitors.origins = c.args.words("--cors-origin");
  return s;
}

// Each connection is a descriptor.
void allow_descriptors(std::size_t connections) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = std::min<rlim_t>(connections + 64, limit.rlim_max);
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = wanted;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

void warn_of_exposure(const Context& c, const http::Settings& s, bool keys) {
  if (!is_loopback(s.address))
    c.err << fmt::format(
        "warning: {} can be reached from other machines, {}, and without encryption\n", s.address,
        keys ? "by whoever has a key" : "by everybody: there is no --api-key");
  for (const std::string& origin : s.visitors.origins)
    c.err << fmt::format("warning: {} may use this server through its visitors' browsers\n",
                         origin == "*" ? "every web page" : "the pages of " + origin);
}

std::string name_of_model(const Context& c, const std::string& path) {
  if (c.args.has("--alias")) return c.args.text("--alias");
  const auto absolute = std::filesystem::absolute(path).lexically_normal();
  const auto name =
      absolute.has_filename() ? absolute.filename() : absolute.parent_path().filename();
  return name.string();
}

// What requests that say nothing get: the flags, or else what the model suggests, or else the API's
// own temperature.
tokens::SamplingOptions default_sampling(const Context& c, tokens::SamplingOptions suggested) {
  if (suggested.temperature == 0) suggested.temperature = 1;
  return sampling_of(c, suggested);
}

int64_t seconds_now() {
  using namespace std::chrono;
  return duration_cast<seconds>(system_clock::now().time_since_epoch()).count();
}

int run_serve(const Context& c) {
  const std::string path = c.model_path();
  const http::Settings http = http_settings(c);
  const std::vector<std::string> keys = keys_of(c);
  const std::chrono::seconds patience(number_of(c, "--drain", 30, 0, 86'400));
  runtime::EngineOptions options = engine_options(c);
  options.slots = static_cast<int64_t>(number_of(c, "--parallel", kDefaultSlots, 1, 1024));
  serve::Worker::Options worker;
  worker.queue = static_cast<int64_t>(number_of(c, "--max-queue", 256, 0, 1'000'000));
  worker.seconds = static_cast<double>(number_of(c, "--timeout", 3600, 1, 1'000'000));

  const auto checkpoint = checkpoint::open_checkpoint(path);
  const auto text = models::transformer::load_text(path);
  serve::ServedModel model{.checkpoint = checkpoint,
                           .text = text,
                           .id = name_of_model(c, path),
                           .created = seconds_now(),
                           .fingerprint = {},
                           .sampling = {}};
  model.sampling = default_sampling(c, text.defaults.sampling);
  model.context = runtime::context_of(checkpoint.config, options);
  model.speculate = speculated_tokens(c);
  c.err << fmt::format("memory: {} with the KV cache of {} of {} tokens\n",
                       human_bytes(runtime::engine_memory(checkpoint, options)),
                       counted(options.slots, "sequence"), model.context);
  const auto engine = load_engine(c, checkpoint, options);
  model.fingerprint =
      serve::fingerprint_of(checkpoint,
                            fmt::format("{} {} {} {}", version(), engine->instructions().sums(),
                                        options.split, c.args.text("--cache-type", "auto")),
                            engine->pool());
  warn_of_exposure(c, http, !keys.empty());
  allow_descriptors(http.limits.connections);

  const Interrupt interrupt{SIGINT, SIGTERM};
  serve::ApiServer server(model, *engine,
                          {.http = http,
                           .worker = worker,
                           .keys = keys,
                           .log = [&c](const std::string& line) { c.err << line << std::flush; }});
  c.out << fmt::format("{} ({}): http://{}:{}/ (Ctrl-C ends it)\n", model.id, model.fingerprint,
                       http.address, server.port())
        << std::flush;
  constexpr std::chrono::milliseconds kLook{50};
  while (!interrupt.flag()) std::this_thread::sleep_for(kLook);
  c.err << fmt::format("ending: requests that run have {} s; again to end at once\n",
                       patience.count());
  server.drain(patience);
  return kFine;
}

constexpr Flag kHost{"", "--host", "ADDRESS",
                     "address to listen on (default 127.0.0.1); 0.0.0.0 lets other machines in"};
constexpr Flag kPort{"", "--port", "N", "port (default 8080); 0 is any free port"};
constexpr Flag kSlots{"", "--parallel", "N", "sequences generated at once (default 8)"};
constexpr Flag kKey{"", "--api-key", "KEY", "asks clients for this key; repeatable", true};
constexpr Flag kKeyFile{"", "--api-key-file", "FILE", "reads keys from FILE, one per line"};
constexpr Flag kAlias{"", "--alias", "NAME",
                      "name of the model in answers (default its directory)"};
constexpr Flag kAllowHost{"", "--allow-host", "NAME",
                          "also answers requests for this host name; repeatable", true};
constexpr Flag kCorsOrigin{"", "--cors-origin", "ORIGIN",
                           "lets pages of this origin use the server; repeatable", true};
constexpr Flag kQueue{"", "--max-queue", "N", "sequences that may wait (default 256)"};
constexpr Flag kConnections{"", "--max-connections", "N", "open connections (default 2048)"};
constexpr Flag kTimeout{"", "--timeout", "S", "seconds that an answer may take (default 3600)"};
constexpr Flag kDrain{"", "--drain", "S",
                      "seconds that running requests have at the end (default 30)"};

}  // namespace

const Command& serve_command() {
  static const Command kCommand{
      .name = "serve",
      .operand = "",
      .summary = "serves a model over HTTP, with the API that clients use",
      .flags = {kModel, kHost,        kPort,     kSlots,     kContext, kCacheType, kEngineThreads,
                kSums,  kSpeculate,   kKey,      kKeyFile,   kAlias,   kAllowHost, kCorsOrigin,
                kQueue, kConnections, kTimeout,  kDrain,     kTemp,    kTopK,      kTopP,
                kMinP,  kRepeat,      kPresence, kFrequency, kHelp},
      .examples = {"serve -m out/models/minimind2-small",
                   "serve -m qwen3-0.6b --parallel 16 -c 8192 --api-key secret"},
      .note =
          "Clients use http://127.0.0.1:8080/v1 as the address of the API; a browser finds\n"
          "a page at http://127.0.0.1:8080/. Ctrl-C finishes what runs, a second one ends\n"
          "at once.",
      .run = run_serve,
  };
  return kCommand;
}

}  // namespace tilewright::cli
