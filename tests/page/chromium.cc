#include "chromium.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tilewright::page {
namespace {

namespace fs = std::filesystem;

constexpr int kPatienceMs =
    60'000;  // a loaded machine is slow; a hung browser must not hang a test

std::string decoded(const std::string& base64) {
  std::string out;
  uint32_t group = 0;
  int bits = 0;
  for (char c : base64) {
    const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char* at = std::char_traits<char>::find(digits, 64, c);
    if (!at) break;
    group = group << 6 | static_cast<uint32_t>(at - digits);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>(group >> bits & 0xff);
  }
  return out;
}

}  // namespace

std::optional<std::string> find_chromium() {
  const char* path = std::getenv("PATH");
  std::istringstream directories(path ? path : "");
  for (std::string d; std::getline(directories, d, ':');)
    if (const fs::path file = fs::path(d) / "chromium"; ::access(file.c_str(), X_OK) == 0)
      return file;
  return std::nullopt;
}

// The browser reads commands from descriptor 3 and answers on 4: JSON texts, each ended by a zero.
Chromium::Chromium(const std::string& executable) {
  std::string name = (fs::temp_directory_path() / "tilewright-page-XXXXXX").string();
  profile_dir_ = ::mkdtemp(name.data());
  int commands[2], answers[2];
  if (::pipe2(commands, O_CLOEXEC) != 0 || ::pipe2(answers, O_CLOEXEC) != 0)
    throw std::runtime_error("no pipes");
  const std::string profile = "--user-data-dir=" + profile_dir_;
  std::vector<const char*> args{executable.c_str(),
                                "--headless",
                                "--no-sandbox",
                                "--disable-gpu",
                                "--disable-quic",
                                "--no-first-run",
                                "--disable-background-networking",
                                "--disable-component-update",
                                "--disable-sync",
                                "--hide-scrollbars",
                                "--remote-debugging-pipe",
                                profile.c_str(),
                                nullptr};
  process_ = ::fork();
  if (process_ == 0) {
    ::setpgid(0, 0);  // its helpers end with it
    const int silent = ::open("/dev/null", O_RDWR);
    for (int fd : {0, 1, 2}) ::dup2(silent, fd);
    // Through high numbers: 3 and 4 may be the pipes' own.
    ::dup2(::fcntl(commands[0], F_DUPFD, 10), 3);
    ::dup2(::fcntl(answers[1], F_DUPFD, 10), 4);
    ::execv(executable.c_str(), const_cast<char* const*>(args.data()));
    ::_exit(127);
  }
  ::close(commands[0]);
  ::close(answers[1]);
  to_ = commands[1];
  from_ = answers[0];
  // A tab of our own: the first one may not be there yet.
  const Json target = call("Target.createTarget", {{"url", "about:blank"}})["targetId"];
  session_ = call("Target.attachToTarget", {{"targetId", target}, {"flatten", true}})["sessionId"];
  for (const char* domain : {"Page", "Runtime", "Log", "Network"})
    call(std::string(domain) + ".enable");
  size(1360, 1000);
}

Chromium::~Chromium() {
  ::close(to_);
  ::close(from_);
  ::kill(-process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  std::error_code ignored;  // a dying helper may still write
  fs::remove_all(profile_dir_, ignored);
}

Json Chromium::read() {
  std::size_t end;
  while ((end = buffer_.find('\0')) == std::string::npos) {
    pollfd wait{from_, POLLIN, 0};
    if (::poll(&wait, 1, kPatienceMs) <= 0) throw std::runtime_error("chromium does not answer");
    char bytes[1 << 16];
    const ssize_t n = ::read(from_, bytes, sizeof bytes);
    if (n <= 0) throw std::runtime_error("chromium has ended");
    buffer_.append(bytes, static_cast<std::size_t>(n));
  }
  Json message = Json::parse(buffer_.substr(0, end));
  buffer_.erase(0, end + 1);
  return message;
}

void Chromium::note(const Json& event) {
  const std::string method = event.value("method", "");
  const Json params = event.value("params", Json::object());
  if (method == "Runtime.exceptionThrown" || method == "Runtime.consoleAPICalled" ||
      method == "Log.entryAdded")
    complaints_.push_back(params.dump());
  if (method == "Network.requestWillBeSent") {
    const std::string url = params["request"]["url"];
    const bool own = opened_.starts_with("http:") ? url.starts_with(opened_) : url == opened_;
    if (!own && !url.starts_with("data:")) requests_.push_back(url);
  }
}

Json Chromium::call(const std::string& method, Json params) {
  Json message{{"id", ++last_id_}, {"method", method}, {"params", std::move(params)}};
  if (!session_.empty()) message["sessionId"] = session_;
  const std::string text = message.dump() + '\0';
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t n = ::write(to_, text.data() + sent, text.size() - sent);
    if (n <= 0) throw std::runtime_error("chromium does not listen");
    sent += static_cast<std::size_t>(n);
  }
  for (;;) {
    const Json answer = read();
    if (answer.value("id", 0) != last_id_) {
      note(answer);
      continue;
    }
    if (answer.contains("error")) throw std::runtime_error(method + ": " + answer["error"].dump());
    return answer["result"];
  }
}

void Chromium::size(int width, int height) {
  call("Emulation.setDeviceMetricsOverride",
       {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
}

void Chromium::dark(bool on) {
  call("Emulation.setEmulatedMedia",
       {{"features", {{{"name", "prefers-color-scheme"}, {"value", on ? "dark" : "light"}}}}});
}

void Chromium::open(const std::string& page) {
  opened_ = page.starts_with("http:") || page.starts_with("about:") ? page : "file://" + page;
  call("Page.navigate", {{"url", opened_}});
  if (page.starts_with("about:")) return settle();
  for (int i = 0; i < 600; ++i) {
    if (evaluate("document.documentElement?.dataset.ready ?? ''") != "") return settle();
    ::usleep(50'000);
    if (!complaints_.empty()) break;
  }
  throw std::runtime_error("the page does not draw itself: " +
                           (complaints_.empty() ? "" : complaints_.front()));
}

Json Chromium::evaluate(const std::string& expression) {
  const Json answer =
      call("Runtime.evaluate",
           {{"expression", expression}, {"returnByValue", true}, {"awaitPromise", true}});
  if (answer.contains("exceptionDetails"))
    throw std::runtime_error(answer["exceptionDetails"].dump());
  return answer["result"].value("value", Json());
}

void Chromium::settle() {
  evaluate(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))");
}

void Chromium::screenshot(const std::string& file) {
  const Json size =
      evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]");
  const Json clip{{"x", 0}, {"y", 0}, {"width", size[0]}, {"height", size[1]}, {"scale", 1}};
  const Json picture =
      call("Page.captureScreenshot", {{"clip", clip}, {"captureBeyondViewport", true}});
  std::ofstream(file, std::ios::binary) << decoded(picture["data"]);
}

void Chromium::mouse(const char* type, double x, double y, Json more) {
  more.update({{"type", type}, {"x", x}, {"y", y}});
  call("Input.dispatchMouseEvent", std::move(more));
  settle();
}
void Chromium::move(double x, double y, bool pressed) {
  mouse("mouseMoved", x, y, pressed ? Json{{"buttons", 1}, {"button", "left"}} : Json::object());
}
void Chromium::press(double x, double y) {
  mouse("mousePressed", x, y, {{"button", "left"}, {"buttons", 1}, {"clickCount", 1}});
}
void Chromium::release(double x, double y) {
  mouse("mouseReleased", x, y, {{"button", "left"}, {"clickCount", 1}});
}
void Chromium::wheel(double x, double y, double turn) {
  mouse("mouseWheel", x, y, {{"deltaX", 0}, {"deltaY", turn}});
}
void Chromium::key(const std::string& name) {
  for (const char* type : {"keyDown", "keyUp"})
    call("Input.dispatchKeyEvent", {{"type", type}, {"key", name}});
  settle();
}

}  // namespace tilewright::page
