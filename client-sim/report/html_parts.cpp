#include "client-sim/report/html_parts.hpp"

#include "client-sim/report/style.hpp"
#include "client-sim/report/svg_plot.hpp"

namespace fixkeep::client_sim {

namespace {

constexpr std::size_t colours = 8;

}  // namespace

std::string begin_page(const std::string& title) {
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
         "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
         "<title>FIX Keep: " +
         escape_html(title) + "</title><style>" + std::string{report_style} +
         "</style></head><body><main>\n" + tag("h1", "", title) + "\n";
}

std::string end_page() {
  return "</main></body></html>\n";
}

std::size_t colour_of(std::size_t strategy) {
  return strategy % colours;
}

std::string tag(const std::string& name, const std::string& css, const std::string& text) {
  return "<" + name + (css.empty() ? "" : " class=\"" + css + "\"") + ">" + escape_html(text) +
         "</" + name + ">";
}

std::string table_html(const Table& table) {
  std::string html = "<div class=\"scroll\"><table>";
  for (std::size_t index = 0; index < table.size(); ++index) {
    html += "<tr>";
    for (const auto& cell : table[index]) html += tag(index == 0 ? "th" : "td", "", cell);
    html += "</tr>\n";
  }
  return html + "</table></div>\n";
}

std::string origin_section(const std::vector<std::pair<std::string, std::string>>& facts,
                           const ReportHeader& header) {
  std::string html = "<section><h2>How this was made</h2><dl>";
  const auto add = [&html](const std::string& name, const std::string& value) {
    html += "<div>" + tag("dt", "", name) + tag("dd", "", value) + "</div>";
  };
  for (const auto& [name, value] : facts) add(name, value);
  add("machine", header.machine);
  add("when", header.when);
  return html + "</dl><p class=\"small\">To reproduce:</p>" + tag("pre", "", header.command_line) +
         "</section>\n";
}

}  // namespace fixkeep::client_sim
