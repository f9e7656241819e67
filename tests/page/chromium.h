// A headless Chromium that tests drive over its debugging pipe: open a page, ask it questions, move
// the mouse, take pictures. Needs nothing but the chromium package.
#pragma once

#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::page {

using Json = nlohmann::json;

// The executable, or nothing when Chromium is not installed.
std::optional<std::string> find_chromium();

class Chromium {
 public:
  explicit Chromium(const std::string& executable);
  Chromium(const Chromium&) = delete;
  Chromium& operator=(const Chromium&) = delete;
  ~Chromium();

  void size(int width, int height);
  void dark(bool on);
  // Returns when the page has drawn itself.
  void open(const std::string& page);  // a file or an address
  Json evaluate(const std::string& expression);
  // Two frames later everything that was asked for is on screen.
  void settle();
  void screenshot(const std::string& file);

  void move(double x, double y, bool pressed = false);
  void press(double x, double y);
  void release(double x, double y);
  void wheel(double x, double y, double turn);
  void key(const std::string& name);

  // What the page complained about: exceptions, console messages, log entries.
  const std::vector<std::string>& complaints() const { return complaints_; }
  void forgive() { complaints_.clear(); }
  // What it fetched besides the file itself, or from elsewhere than the server it came from.
  const std::vector<std::string>& requests() const { return requests_; }

 private:
  Json call(const std::string& method, Json params = Json::object());
  Json read();
  void note(const Json& event);
  void mouse(const char* type, double x, double y, Json more);

  pid_t process_ = -1;
  int to_ = -1, from_ = -1;
  std::string buffer_, profile_dir_, session_, opened_;
  int last_id_ = 0;
  std::vector<std::string> complaints_, requests_;
};

}  // namespace tilewright::page
