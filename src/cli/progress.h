// A line on a terminal that says what is going on while a stage takes long. Off everywhere else.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <ostream>
#include <string>
#include <thread>

namespace tilewright::cli {

class Progress {
 public:
  Progress(std::ostream& stream, bool enabled) : stream_(stream), enabled_(enabled) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { end(); }

  void begin(const std::string& stage);
  void update(double fraction) { fraction_ = fraction; }
  void note(const std::string& stage);  // other words for the stage that has begun
  void end();                           // the line is gone afterwards

 private:
  void tick();

  std::ostream& stream_;
  const bool enabled_;
  std::atomic<double> fraction_{-1};  // negative = unknown
  std::thread thread_;
  std::mutex mutex_;
  std::string stage_;  // guarded by mutex_
  std::condition_variable changed_;
  bool stop_ = false;
};

}  // namespace tilewright::cli
