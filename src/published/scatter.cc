#include "tilewright/published/scatter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace tilewright::published {
namespace {

// The plane that holds the points, and around it.
constexpr double kWidth = 700, kHeight = 360, kLeft = 76, kTop = 64, kRight = 150, kBottom = 56;
constexpr double kLeastUs = 0.1, kDecades = 6;            // to 100 ms
constexpr double kLowest = 0.7, kHighest = 1.3, kTick = 0.1;  // predicted / measured

// Colours that can be told apart, also without seeing colours well; one per thread.
constexpr std::array kColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                              "#e69f00", "#56b4e9", "#7f7f7f", "#8c564b"};

double x_of(double us) {
  return kLeft + kWidth * std::clamp(std::log10(us / kLeastUs) / kDecades, 0.0, 1.0);
}
double y_of(double ratio) {
  return kTop + kHeight * (kHighest - std::clamp(ratio, kLowest, kHighest)) / (kHighest - kLowest);
}

std::string axis_text(double us) {
  return us >= 999 ? fmt::format("{:g} ms", us / 1000) : fmt::format("{:g} us", us);
}

std::string grid() {
  std::string out;
  const auto line = [&](const std::string& path, double x, double y, const char* anchor,
                        const std::string& text) {
    out += fmt::format(R"(<path class="grid" d="{}"/><text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>)"
                       "\n",
                       path, x, y, anchor, text);
  };
  for (int decade = 0; decade <= static_cast<int>(kDecades); ++decade) {
    const double us = kLeastUs * std::pow(10, decade);
    line(fmt::format("M{:.1f} {:.1f}v{:.1f}", x_of(us), kTop, kHeight), x_of(us),
         kTop + kHeight + 20, "middle", axis_text(us));
  }
  for (int tick = 0; tick <= static_cast<int>(std::lround((kHighest - kLowest) / kTick)); ++tick) {
    const double ratio = kLowest + tick * kTick;
    line(fmt::format("M{:.1f} {:.1f}h{:.1f}", kLeft, y_of(ratio), kWidth), kLeft - 8,
         y_of(ratio) + 4, "end", fmt::format("{:.1f}", ratio));
  }
  return out;
}

// Predictions that the measured value lies within the spread of.
std::string band(double spread) {
  return fmt::format(
      R"(<rect class="band" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>)"
      "\n"
      R"(<path class="even" d="M{:.1f} {:.1f}h{:.1f}"/>)"
      "\n",
      kLeft, y_of(1 + spread), kWidth, y_of(1 / (1 + spread)) - y_of(1 + spread), kLeft, y_of(1),
      kWidth);
}

// Steps of a loop are measured in ns.
double us_of(const CalibrationRow& r, double value) {
  return r.quantity == quantity_name(Quantity::ExecPerStep) ? value / 1000 : value;
}

}  // namespace

std::string scatter_svg(const LeftOut& left_out, const platform::Platform& machine) {
  std::map<std::string, std::size_t> colour_of;
  std::vector<std::string> threads;
  std::string points;
  for (const LeftOutRow& r : left_out.rows) {
    if (!r.scored()) continue;
    const auto [it, is_new] = colour_of.emplace(r.row.thread, colour_of.size() % kColours.size());
    if (is_new) threads.push_back(r.row.thread);
    const double x = x_of(us_of(r.row, r.row.measured));
    const double y = y_of(r.row.predicted / r.row.measured);
    const std::string shape =
        r.row.of_kernel
            ? fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="9" height="9")", x - 4.5, y - 4.5)
            : fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="5.5")", x, y);
    const char* element = r.row.of_kernel ? "rect" : "circle";
    points += fmt::format(
        R"({} fill="{}" fill-opacity="0.8"><title>row {}, {}, {}: predicted {:.2f}, measured {:.2f}</title></{}>)"
        "\n",
        shape, kColours[it->second], r.row.row, r.row.what, r.row.quantity, r.row.predicted,
        r.row.measured, element);
  }
  std::string legend;
  const double left = kLeft + kWidth + 20;
  double y = kTop + 14;
  for (const std::string& thread : threads) {
    legend += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="5.5" fill="{}"/>)"
                          R"(<text x="{:.1f}" y="{:.1f}">{}</text>)"
                          "\n",
                          left, y - 4, kColours[colour_of.at(thread)], left + 12, y,
                          thread);
    y += 20;
  }
  return fmt::format(
      R"svg(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {11:.0f}" font-family="sans-serif" font-size="13">
<style>
  svg {{ background: #ffffff; }}
  text {{ fill: #1c2024; }}
  .grid {{ stroke: #d9dde2; fill: none; }}
  .band {{ fill: #0072b2; fill-opacity: 0.12; }}
  .even {{ stroke: #6b7280; fill: none; }}
  @media (prefers-color-scheme: dark) {{
    svg {{ background: #14171a; }}
    text {{ fill: #e6e8ea; }}
    .grid {{ stroke: #31363b; }}
    .band {{ fill-opacity: 0.3; }}
  }}
</style>
{1}{2}{3}{4}<text x="{5:.1f}" y="{6:.1f}" text-anchor="middle">measured</text>
<text x="20" y="{12:.1f}" text-anchor="middle" transform="rotate(-90 20 {12:.1f})">predicted / measured</text>
<text x="{5:.1f}" y="26" text-anchor="middle" font-size="16">{7}: every thread predicted with numbers fitted to the others</text>
<text x="{5:.1f}" y="48" text-anchor="middle">{8} measurements, median error {9:.1f} %, worst {10:.1f} %; circles are programs, squares kernels; band: 80 % interval of programs</text>
</svg>
)svg",
      kLeft + kWidth + kRight, grid(), band(machine.spread.program), points, legend,
      kLeft + kWidth / 2, kTop + kHeight + kBottom - 12, machine.name, left_out.scored, 100 * left_out.median, 100 * left_out.worst,
      kTop + kHeight + kBottom, kTop + kHeight / 2);
}

}  // namespace tilewright::published
