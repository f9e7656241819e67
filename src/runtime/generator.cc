#include "tilewright/runtime/generator.h"

#include "tilewright/runtime/scheduler.h"

namespace tilewright::runtime {

std::vector<Answer> generate(Engine& engine, const std::vector<Request>& requests,
                             const std::atomic<bool>* interrupted) {
  for (const Request& r : requests) require_possible(engine, r);
  std::vector<Answer> answers(requests.size());
  Scheduler scheduler(engine);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    Request request = requests[i];
    request.on_end = [&answers, i, on_end = std::move(request.on_end)](const Answer& answer) {
      answers[i] = answer;
      if (on_end) on_end(answer);
    };
    scheduler.submit(std::move(request));
  }
  while (scheduler.step())
    if (interrupted && *interrupted) scheduler.cancel_all();
  return answers;
}

}  // namespace tilewright::runtime
