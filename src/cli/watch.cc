// `watch`: the profile page of a file while it is being edited, served on this machine. Every save
// is checked and predicted again; what is wrong stands on the page, above the last good prediction.
#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>
#include <thread>

#include "tilewright/base/files.h"
#include "tilewright/cli/flags.h"
#include "tilewright/cli/interrupt.h"
#include "tilewright/cli/next_commands.h"
#include "tilewright/cli/requests.h"
#include "tilewright/cli/watch/background.h"
#include "tilewright/cli/watch/kernel_changes.h"
#include "tilewright/cli/watch/saves.h"
#include "tilewright/cli/watch/watch_server.h"
#include "tilewright/cli/watch/watched_files.h"
#include "tilewright/data/program_file.h"
#include "tilewright/improve/advice_page.h"

namespace tilewright::cli {
namespace {

constexpr std::chrono::seconds kAdviceTime{5};  // then the page says what was found

constexpr auto kBetweenQuestions = std::chrono::milliseconds(30);

std::string time_of_day() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  return fmt::format("{:02}:{:02}:{:02}", local.tm_hour, local.tm_min, local.tm_sec);
}

void require_file(const Context& c) {
  const std::string& operand = c.args.operand;
  if (operand.empty())
    user_error("program", "watch needs a file", "", "watch follows a file that you edit",
               "name a program file, as in: watch mine.py");
  if (data::names_program_file(operand)) return;
  c.catalog.find(operand);  // UserError for a name that does not exist
  user_error("program", fmt::format("{} is built in and has no file", operand), "",
             "watch follows a file that you edit",
             fmt::format("write it to a file first: {0} show {1} > mine.py; then {0} watch mine.py",
                         c.terminal.command(), operand));
}

uint16_t port_of(const Context& c) {
  const uint64_t port = c.args.number("--port").value_or(0);
  if (port > 65535)
    refuse_value(fmt::format("--port {} is not a port", port),
                 "ports are 1 to 65535; 0 is a free one");
  return static_cast<uint16_t>(port);
}

// One watched file, from its first look to Ctrl-C.
class Watch {
 public:
  Watch(const Context& c, session::Request request)
      : c_(c), request_(std::move(request)), server_(port_of(c)) {}

  void look() {
    const auto look = std::make_shared<const Look>(look_at_file(c_, c_.args.operand, request_));
    files_.add(look->files);
    saves_.add(*look, time_of_day());
    report::Object status = saves_.data(c_.args.operand);
    status["kernels"] = report::Object::array();
    if (look->good()) {
      (*look->data)["commands"] = next_commands(c_, c_.args.operand);
      if (good_) status["kernels"] = kernel_changes(*good_->run, *look->run);
      good_ = look;
    }
    server_.show(++version_, good_ ? good_->data : nullptr, status);
    c_.out << saves_.line() << std::endl;
    if (look->good()) advise();
  }
  bool saved() { return files_.saved(); }
  uint16_t port() const { return server_.port(); }

 private:
  void advise() {
    background_.start([this, look = good_](const Background::GivenUp& given_up) {
      const auto start = std::chrono::steady_clock::now();
      const auto seconds = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      };
      try {
        const catalog::ProgramDef patient = until_given_up(*look->def, given_up);
        const improve::Advice advice = improve::advise(patient, request_, {.time = kAdviceTime});
        if (advice.profile) server_.advise(look->data, improve::advice_data(advice, seconds()));
      } catch (const GaveUp&) {
      } catch (const std::exception& e) {
        server_.advise(look->data, {{"findings", report::Object::array()}, {"problem", e.what()}});
      }
    });
  }

  const Context& c_;
  const session::Request request_;
  WatchServer server_;
  WatchedFiles files_;
  Saves saves_;
  std::shared_ptr<const Look> good_;  // the last version without errors
  int version_ = 0;
  Background background_;  // last: it uses the rest
};

int run_watch(const Context& c) {
  require_file(c);
  const session::Request request = prediction_request(c);
  const std::string path = c.args.operand.substr(0, c.args.operand.rfind("::"));
  read_text(path);  // UserError: there must be a file to begin with
  Interrupt interrupt;
  Watch watch(c, request);
  c.out << fmt::format("watching {}: http://127.0.0.1:{}/ (Ctrl-C ends it)\n", c.args.operand,
                       watch.port())
        << std::flush;
  watch.look();
  while (!interrupt.flag()) {
    std::this_thread::sleep_for(kBetweenQuestions);
    if (watch.saved()) watch.look();
  }
  return kFine;
}

constexpr Flag kPort{"", "--port", "N", "port on 127.0.0.1 (default any free port)"};

}  // namespace

const Command& watch_command() {
  static const Command kCommand{
      .name = "watch",
      .operand = "FILE",
      .summary = "serves the report of a file and updates it on every save",
      .flags = {kMachine, kPort, kSet, kArg, kPath, kReference, kSeed, kRules, kOverride, kIdeal,
                kUnprofiled, kExtern, kHelp},
      .examples = {"watch mine.py", "watch mine.py -p a5sim --port 8080"},
      .note = "Checks and predicts the file after every save. Serves this machine only.",
      .run = run_watch,
  };
  return kCommand;
}

}  // namespace tilewright::cli
