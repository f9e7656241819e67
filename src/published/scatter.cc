#include "tilewright/published/scatter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace tilewright::published {
namespace {

constexpr double kSize = 520, kMargin = 64;  // of the square that holds the points, and around it
constexpr double kLeastUs = 1, kDecades = 5;   // 1 us to 100 ms

// Colours that can be told apart, also without seeing colours well; one per thread.
constexpr std::array kColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                              "#e69f00", "#56b4e9", "#7f7f7f", "#8c564b"};

double place(double us) {
  return kSize * std::clamp(std::log10(us / kLeastUs) / kDecades, 0.0, 1.0);
}
double x_of(double measured) { return kMargin + place(measured); }
double y_of(double predicted) { return kMargin + kSize - place(predicted); }

std::string axis_text(double us) {
  return us >= 1000 ? fmt::format("{:g} ms", us / 1000) : fmt::format("{:g} us", us);
}

std::string grid() {
  std::string out;
  for (double us = kLeastUs; us <= kLeastUs * std::pow(10, kDecades) * 1.001; us *= 10) {
    out += fmt::format(R"(<path class="grid" d="M{0:.1f} {1:.1f}V{2:.1f}M{1:.1f} {3:.1f}H{2:.1f}"/>)"
                       "\n",
                       x_of(us), kMargin, kMargin + kSize, y_of(us));
    out += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)"
                       "\n",
                       x_of(us), kMargin + kSize + 20, axis_text(us));
    out += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)"
                       "\n",
                       kMargin - 8, y_of(us) + 4, axis_text(us));
  }
  return out;
}

// Between predictions that are too low and too high by the spread.
std::string band(double spread) {
  const double last = kLeastUs * std::pow(10, kDecades), more = 1 + spread;
  return fmt::format(
      R"(<path class="band" d="M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}Z"/>)"
      "\n"
      R"(<path class="even" d="M{:.1f} {:.1f}L{:.1f} {:.1f}"/>)"
      "\n",
      x_of(kLeastUs), y_of(kLeastUs * more), x_of(last / more), y_of(last), x_of(last),
      y_of(last / more), x_of(kLeastUs * more), y_of(kLeastUs), x_of(kLeastUs), y_of(kLeastUs), x_of(last),
      y_of(last));
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
    const double measured = us_of(r.row, r.row.measured);
    const double predicted = us_of(r.row, r.row.predicted);
    const std::string shape =
        r.row.of_kernel
            ? fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="9" height="9")",
                          x_of(measured) - 4.5, y_of(predicted) - 4.5)
            : fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="5.5")", x_of(measured),
                          y_of(predicted));
    const char* element = r.row.of_kernel ? "rect" : "circle";
    points += fmt::format(
        R"({} fill="{}" fill-opacity="0.8"><title>row {}, {}, {}: predicted {:.2f}, measured {:.2f}</title></{}>)"
        "\n",
        shape, kColours[it->second], r.row.row, r.row.what, r.row.quantity, r.row.predicted,
        r.row.measured, element);
  }
  std::string legend;
  double y = kMargin + 24;
  for (const std::string& thread : threads) {
    legend += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="5.5" fill="{}"/>)"
                          R"(<text x="{:.1f}" y="{:.1f}">{}</text>)"
                          "\n",
                          kMargin + 20, y - 4, kColours[colour_of.at(thread)], kMargin + 32, y,
                          thread);
    y += 20;
  }
  const double width = kSize + 2 * kMargin;
  return fmt::format(
      R"svg(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {0:.0f}" font-family="sans-serif" font-size="13">
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
<text x="16" y="{5:.1f}" text-anchor="middle" transform="rotate(-90 16 {5:.1f})">predicted without the row's own thread</text>
<text x="{5:.1f}" y="28" text-anchor="middle" font-size="16">{7}: {8} measurements, median error {9:.1f} %, worst {10:.1f} %</text>
<text x="{5:.1f}" y="48" text-anchor="middle">circles: programs; squares: single kernels; band: 80 % interval of programs</text>
</svg>
)svg",
      width, grid(), band(machine.spread.program), points, legend, width / 2, width - 12,
      machine.name, left_out.scored, 100 * left_out.median, 100 * left_out.worst);
}

}  // namespace tilewright::published
