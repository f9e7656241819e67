#include "tilewright/lsp/server.h"

#include <fmt/format.h>

#include "tilewright/base/diagnostic.h"
#include "tilewright/lsp/checking.h"
#include "tilewright/lsp/requests.h"
#include "tilewright/lsp/uri.h"

namespace tilewright::lsp {

// Handles the lifecycle, documents and settings; requests about documents are queued for the two
// threads.
class Server::Impl {
 public:
  Impl(const catalog::Catalog& catalog, std::string version, Send send)
      : version_(std::move(version)),
        outbox_(std::move(send)),
        requests_(workspace_, outbox_),
        checking_(workspace_, outbox_, requests_, catalog) {}

  void receive(const std::string& text) {
    Message m;
    try {
      m = parse_message(text);
    } catch (const RpcError& e) {
      return outbox_.send(error_response(nullptr, e.code(), e.what()));
    }
    if (m.kind == Message::Kind::Response) return;
    try {
      if (m.kind == Message::Kind::Request)
        request(m);
      else
        notify(m);
    } catch (const RpcError& e) {
      if (m.kind == Message::Kind::Request) outbox_.send(error_response(m.id, e.code(), e.what()));
    } catch (const std::exception& e) {
      if (m.kind == Message::Kind::Request)
        outbox_.send(error_response(m.id, ErrorCode::InternalError, e.what()));
    }
  }

  std::optional<int> exit_code() const { return exit_; }
  void settle(double seconds) { checking_.settle(std::chrono::duration<double>(seconds)); }

 private:
  enum class State : uint8_t { New, Running, ShutDown };

  void request(const Message& m) {
    if (m.method == "initialize") {
      if (state_ != State::New)
        throw RpcError(ErrorCode::InvalidRequest, "the server has been initialized");
      const Value result = initialize(m.params);
      state_ = State::Running;
      return outbox_.send(response(m.id, result));
    }
    if (state_ == State::New)
      throw RpcError(ErrorCode::ServerNotInitialized, "initialize comes first");
    if (state_ == State::ShutDown)
      throw RpcError(ErrorCode::InvalidRequest, "the server has been shut down");
    if (m.method == "shutdown") {
      state_ = State::ShutDown;
      requests_.cancel_all();
      return outbox_.send(response(m.id, nullptr));
    }
    const Feature* feature = find_feature(m.method);
    if (!feature)
      throw RpcError(ErrorCode::MethodNotFound, fmt::format("{} is not offered", m.method));
    const std::string uri = string_member(member(m.params, "textDocument"), "uri");
    if (!workspace_.documents.find(uri))
      throw RpcError(ErrorCode::InvalidParams, fmt::format("{} is not open", uri));
    requests_.add(m.id, *feature, m.params, uri);
    checking_.wake();
  }

  void notify(const Message& m) {
    if (m.method == "exit") {
      exit_ = state_ == State::ShutDown ? 0 : 1;
      return;
    }
    if (m.method == "$/cancelRequest") return requests_.cancel(member(m.params, "id"));
    if (state_ != State::Running) return;
    if (m.method == "textDocument/didOpen") return did_open(member(m.params, "textDocument"));
    if (m.method == "textDocument/didChange") return did_change(m.params);
    if (m.method == "textDocument/didClose") return did_close(member(m.params, "textDocument"));
    if (m.method == "workspace/didChangeWatchedFiles")
      return files_changed(member(m.params, "changes"));
    if (m.method == "workspace/didChangeConfiguration")
      return configure(optional_member(m.params, "settings"));
  }

  Value initialize(const Value& params) {
    const Value& capabilities = optional_member(params, "capabilities");
    const Client client = client_of(capabilities);
    workspace_.set_client(client);
    configure(optional_member(params, "initializationOptions"));
    return {{"capabilities", server_capabilities(client.encoding)},
            {"serverInfo", {{"name", "tilewright"}, {"version", version_}}}};
  }

  static Client client_of(const Value& c) {
    const auto flag = [](const Value& v) { return v.is_boolean() && v.get<bool>(); };
    const Value& workspace = optional_member(c, "workspace");
    const Value& document = optional_member(c, "textDocument");
    const Value& edits = optional_member(workspace, "workspaceEdit");
    Client out;
    out.encoding =
        choose_encoding(optional_member(optional_member(c, "general"), "positionEncodings"));
    out.refreshes_lenses =
        flag(optional_member(optional_member(workspace, "codeLens"), "refreshSupport"));
    out.refreshes_hints =
        flag(optional_member(optional_member(workspace, "inlayHint"), "refreshSupport"));
    out.versioned_edits = flag(optional_member(edits, "documentChanges"));
    const Value& operations = optional_member(edits, "resourceOperations");
    if (operations.is_array())
      for (const Value& o : operations) out.creates_files = out.creates_files || o == "create";
    out.nested_symbols = flag(optional_member(optional_member(document, "documentSymbol"),
                                              "hierarchicalDocumentSymbolSupport"));
    return out;
  }

  // Invalid settings change nothing; the user sees the reason as a message.
  void configure(const Value& json) {
    try {
      workspace_.configure(std::make_shared<const Settings>(settings_from(json)));
      checking_.wake();
    } catch (const UserError& e) {
      outbox_.show_error("tilewright: " + e.diagnostic().what + "; " + e.diagnostic().help);
    }
  }

  void touched(const std::string& uri) {
    workspace_.changed(uri);
    requests_.edited();
    checking_.wake();
  }

  void files_changed(const Value& changes) {
    for (const Value& c : changes.is_array() ? changes : Value::array())
      workspace_.file_changed(string_member(c, "uri"));
    requests_.edited();
    checking_.wake();
  }

  void did_open(const Value& document) {
    const std::string uri = string_member(document, "uri");
    workspace_.documents.open(uri, string_member(document, "text"),
                              integer_member(document, "version"));
    touched(uri);
  }

  void did_change(const Value& params) {
    const Value& document = member(params, "textDocument");
    const std::string uri = string_member(document, "uri");
    const Value& version = optional_member(document, "version");
    workspace_.documents.change(uri, member(params, "contentChanges"),
                                version.is_number_integer() ? version.get<int64_t>() : 0,
                                workspace_.client().encoding);
    touched(uri);
  }

  void did_close(const Value& document) {
    const std::string uri = string_member(document, "uri");
    if (!workspace_.documents.close(uri)) return;
    workspace_.closed(uri);
    requests_.closed(uri);
    outbox_.clear(uri);
    checking_.wake();
  }

  const std::string version_;
  State state_ = State::New;
  std::optional<int> exit_;
  Outbox outbox_;
  Workspace workspace_;
  Requests requests_;
  Checking checking_;  // last, so first to go: its threads use the rest
};

Server::Server(const catalog::Catalog& catalog, const std::string& version, Send send)
    : impl_(std::make_unique<Impl>(catalog, version, std::move(send))) {}
Server::~Server() = default;

void Server::receive(const std::string& message) { impl_->receive(message); }
void Server::settle(double seconds) { impl_->settle(seconds); }
std::optional<int> Server::exit_code() const { return impl_->exit_code(); }

}  // namespace tilewright::lsp
