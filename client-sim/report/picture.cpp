#include "client-sim/report/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "client-sim/report/html_parts.hpp"
#include "client-sim/report/lock_style.hpp"
#include "client-sim/report/svg_text.hpp"
#include "client-sim/report/template.hpp"

namespace fixkeep::client_sim {

namespace {

// A file has this margin, in its own units.
constexpr double file_margin = 24;
constexpr double cell_gap = 18;
constexpr double line_height = 19;
constexpr double caption_height = 26;
constexpr double character_width = 6.7;  // about the width of one

// The rules of plot.css with the colours of the light scheme in place of their names: programs that
// turn SVG into pixels do not know CSS variables.
std::string plain_style() {
  const auto palette = report_palette();
  std::string rules{report_plot_style()};
  constexpr std::string_view open = "var(";
  for (auto at = rules.find(open); at != std::string::npos; at = rules.find(open, at)) {
    const auto close = rules.find(')', at);
    const auto name = rules.substr(at + open.size(), close - at - open.size()) + ":";
    // The light scheme stands first.
    const auto value = palette.find(name) + name.size();
    const auto end = palette.find_first_of(";}", value);
    rules.replace(at, close + 1 - at, palette.substr(value, end - value));
  }
  return rules;
}

std::vector<std::string> wrap(const std::string& text, double width) {
  const auto most = static_cast<std::size_t>(width / character_width);
  std::vector<std::string> lines;
  std::string rest = text;
  while (rest.size() > most) {
    auto end = rest.rfind(' ', most);
    if (end == std::string::npos || end == 0) end = most;
    lines.push_back(rest.substr(0, end));
    rest.erase(0, std::min(rest.size(), end + 1));
  }
  if (!rest.empty()) lines.push_back(std::move(rest));
  return lines;
}

// Symbols and names, from left to right, in as many lines as they need.
class LegendWriter {
 public:
  LegendWriter(double y, double width) : y_(y), width_(width) {}

  void add(const std::string& symbol, const std::string& name) {
    const double needed = 38 + character_width * 1.1 * static_cast<double>(name.size()) + 18;
    if (x_ > file_margin && x_ + needed > width_ - file_margin) {
      x_ = file_margin;
      y_ += line_height;
    }
    svg_ += fmt::format("<g transform=\"translate({} {})\">{}</g>\n", svg_number(x_),
                        svg_number(y_), symbol);
    svg_ += svg_text({.x = x_ + 38, .y = y_ + 10, .css = "label"}, name);
    x_ += needed;
    used_ = true;
  }

  [[nodiscard]] const std::string& svg() const { return svg_; }
  [[nodiscard]] double end() const { return used_ ? y_ + line_height + 6 : y_; }

 private:
  double x_ = file_margin;
  double y_;
  double width_;
  std::string svg_;
  bool used_ = false;
};

std::string legend_of(const Picture& picture) {
  if (!picture.parts.empty()) return legend_of_parts(picture.parts);
  return picture.series.empty() ? legend_of_lines(picture.locks) : legend_of_bars(picture.series);
}

}  // namespace

std::string picture_html(const Picture& picture) {
  auto cells = nlohmann::json::array();
  for (const auto& cell : picture.cells) {
    nlohmann::json values{{"svg", cell.drawing.svg}, {"caption", nullptr}};
    if (!cell.lock.empty()) {
      values["caption"] = {
          {"lock", cell.lock}, {"style", style_of(cell.lock)}, {"note", cell.note}};
    }
    cells.push_back(std::move(values));
  }
  const auto* layout = picture.wide ? "wide" : picture.cells.size() > 1 ? "pair" : "alone";
  return fill_template(picture_template(), {{"title", picture.title},
                                            {"words", picture.words},
                                            {"legend", legend_of(picture)},
                                            {"layout", layout},
                                            {"folded", picture.folded},
                                            {"unfolded", !picture.folded},
                                            {"cells", std::move(cells)}});
}

std::string picture_file(const Picture& picture, const std::string& origin) {
  const std::size_t columns = picture.wide || picture.cells.size() < 2 ? 1 : 2;
  double cell_width = 0;
  for (const auto& cell : picture.cells) cell_width = std::max(cell_width, cell.drawing.width);
  const double width = 2 * file_margin + static_cast<double>(columns) * cell_width +
                       static_cast<double>(columns - 1) * cell_gap;
  double y = file_margin + 18;
  std::string content = svg_text({.x = file_margin, .y = y, .css = "title"}, picture.title);
  for (const auto& text : {picture.words, origin}) {
    for (const auto& line : wrap(text, width - 2 * file_margin)) {
      y += line_height;
      content += svg_text({.x = file_margin, .y = y}, line);
    }
  }
  LegendWriter legend{y + 14, width};
  for (const auto& lock : picture.locks) legend.add(line_symbol(lock), lock);
  for (std::size_t index = 0; index < picture.series.size(); ++index) {
    legend.add(series_symbol(index), picture.series[index]);
  }
  for (std::size_t index = 0; index < picture.parts.size(); ++index) {
    legend.add(part_symbol(index), picture.parts[index]);
  }
  content += legend.svg();
  y = legend.end();
  for (std::size_t index = 0; index < picture.cells.size(); index += columns) {
    double row_height = 0;
    for (std::size_t column = 0; column < columns && index + column < picture.cells.size();
         ++column) {
      const auto& cell = picture.cells[index + column];
      const double x = file_margin + static_cast<double>(column) * (cell_width + cell_gap);
      double top = y + 8;
      if (!cell.lock.empty()) {
        top += caption_height;
        content += svg_text({.x = x, .y = top - 8, .css = "caption"}, cell.lock + cell.note);
      }
      content += fmt::format("<svg x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{}", svg_number(x),
                             svg_number(top), svg_number(cell.drawing.width),
                             svg_number(cell.drawing.height), cell.drawing.svg.substr(4));
      row_height = std::max(row_height, top - y + cell.drawing.height);
    }
    y += row_height + 8;
  }
  const double height = y + file_margin / 2;
  constexpr auto file =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" font-family=\"Liberation Sans, DejaVu Sans, Arial, sans-serif\">\n"
      "<title>{2}</title>\n<style>\n{3}{4}</style>\n"
      "<rect class=\"page\" x=\"0.5\" y=\"0.5\" width=\"{5}\" height=\"{6}\" rx=\"8\"/>\n"
      "{7}</svg>\n";
  // The page of the picture is plain white whatever is around it.
  const auto* page = ".page{fill:#fff;stroke:#e3e5e7}\n";
  return fmt::format(file, svg_number(width), svg_number(height), escape_html(picture.title),
                     plain_style(), page, svg_number(width - 1), svg_number(height - 1), content);
}

}  // namespace fixkeep::client_sim
