#include "tilewright/published/history.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/session/doubt.h"
#include "tilewright/session/predict.h"
#include "tilewright/session/what_binds.h"

namespace tilewright::published {
namespace {

struct Form {
  const char* program;
  std::map<std::string, int64_t> set;
  const char* change;
};

// Scope 3 alone, then the layer.
const std::vector<Form>& forms() {
  static const std::vector<Form> kForms{
      {"qwen3/scope3-before", {}, "sums of the down projection in GM"},
      {"qwen3/scope3", {}, "loops interchanged: sums in the accumulator"},
      {"qwen3/scope3-fused", {}, "residuals join; nothing cleared; N 256"},
      {"qwen3/scope3-best", {}, "gate and up in one task; 16 tasks a stage"},
      {"qwen3/decode", {{"form", 1503}}, "the layer as first unified"},
      {"qwen3/decode", {{"form", 1379}}, "scope 1: K 512, four blocks a task"},
      {"qwen3/decode", {{"form", 1251}}, "attention buffers no longer cleared"},
      {"qwen3/decode", {{"form", 964}}, "residuals join; blocks of 256; pipelined"},
      {"qwen3/decode", {{"form", 642}}, "N 256; two groups a task"},
      {"qwen3/decode-fused-qkrope", {}, "RoPE and cache writes join projections"},
      {"qwen3/decode-flash", {}, "attention stays on chip"},
      {"qwen3/decode-flash", {{"flash_ahead", 1}}, "scores a block ahead of the products"},
      {"qwen3/decode-best", {}, "few large equal tasks; norms split by rows"},
  };
  return kForms;
}

std::string name_of(const Form& form) {
  const std::string name = form.program + std::string("qwen3/").size();
  const auto number = form.set.find("form");
  return number == form.set.end() ? name : fmt::format("{} {}", name, number->second);
}

session::Request request_of(const Form& form, const catalog::ProgramDef& def,
                            const session::Request& request) {
  session::Request out = request;
  out.set = form.set;
  const catalog::Config config = catalog::configure(def, request.shape, request.catalog_machine());
  if (std::ranges::find(config.keys(), "ctx", &catalog::Key::name) != config.keys().end())
    out.set["ctx"] = config["max_seq"];
  return out;
}

}  // namespace

std::vector<HistoryStep> history(const catalog::Catalog& catalog, const session::Request& request,
                                 const std::function<void(double)>& progress) {
  std::vector<HistoryStep> out;
  for (const Form& form : forms()) {
    const catalog::ProgramDef& def = catalog.find(form.program);
    HistoryStep step{name_of(form), form.change, {}, {}, ""};
    session::TimedRun r = session::predict(def, request_of(form, def, request));
    if (r.passed()) {
      session::add_doubt(r);
      step.figures = r.profile->all;
      step.likely_us = *r.profile->likely_us;
      step.binds = report::binding_cost(session::what_ifs(*r.session));
    }
    out.push_back(std::move(step));
    if (progress) progress(static_cast<double>(out.size()) / static_cast<double>(forms().size()));
  }
  return out;
}

}  // namespace tilewright::published
