#include "client-sim/report/html_parts.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "client-sim/report/lock_style.hpp"
#include "client-sim/report/template.hpp"

namespace fixkeep::client_sim {

namespace {

constexpr std::size_t most_rows_as_lists = 12;

std::string legend(const std::vector<std::pair<std::string, std::string>>& symbols_and_names) {
  if (symbols_and_names.empty()) return {};
  auto entries = nlohmann::json::array();
  for (const auto& [symbol, name] : symbols_and_names) {
    entries.push_back({{"symbol", symbol}, {"name", name}});
  }
  return fill_template(legend_template(), {{"entries", std::move(entries)}});
}

}  // namespace

std::string page_html(const std::string& title, const std::string& body, const Facts& facts,
                      const ReportHeader& header) {
  nlohmann::json values{{"title", title},
                        {"style", std::string{report_palette()} + std::string{report_plot_style()} +
                                      std::string{report_style()}},
                        {"body", body}};
  if (!facts.empty()) {
    auto listed = nlohmann::json::array();
    const auto list = [&](const std::string& name, const std::string& value) {
      listed.push_back({{"name", name}, {"value", value}});
    };
    for (const auto& [name, value] : facts) list(name, value);
    list("machine", header.machine);
    list("when", header.when);
    values["origin"] = {{"facts", std::move(listed)}, {"command_line", header.command_line}};
  }
  return fill_template(page_template(), values);
}

std::string table_html(const Table& table) {
  const auto& heading = table.front();
  auto rows = nlohmann::json::array();
  for (auto row = table.begin() + 1; row != table.end(); ++row) {
    auto cells = nlohmann::json::array();
    for (std::size_t column = 0; column < row->size(); ++column) {
      cells.push_back(
          {{"name", column < heading.size() ? heading[column] : ""}, {"text", (*row)[column]}});
    }
    rows.push_back(std::move(cells));
  }
  // On a narrow page the rows of a short table become lists; a long one scrolls.
  const bool few = rows.size() <= most_rows_as_lists;
  return fill_template(table_template(),
                       {{"heading", heading}, {"rows", std::move(rows)}, {"few", few}});
}

std::string legend_of_lines(const std::vector<std::string>& locks) {
  std::vector<std::pair<std::string, std::string>> entries;
  entries.reserve(locks.size());
  for (const auto& lock : locks) entries.emplace_back(line_symbol(lock), lock);
  return legend(entries);
}

std::string legend_of_bars(const std::vector<std::string>& series) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (std::size_t index = 0; index < series.size(); ++index) {
    entries.emplace_back(series_symbol(index), series[index]);
  }
  return legend(entries);
}

std::string legend_of_parts(const std::vector<std::string>& parts) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (std::size_t index = 0; index < parts.size(); ++index) {
    entries.emplace_back(part_symbol(index), parts[index]);
  }
  return legend(entries);
}

std::string line_symbol(const std::string& lock) {
  const auto style = style_of(lock);
  return fmt::format("<path class=\"line c{}\" d=\"M1 6H29\"/>", style) + marker_of(style, 15, 6);
}

std::string series_symbol(std::size_t index) {
  return fmt::format("<rect class=\"bar series s{}\" x=\"1\" y=\"1\" width=\"28\" height=\"10\"/>",
                     index);
}

std::string part_symbol(std::size_t index) {
  return fmt::format("<rect class=\"part p{}\" x=\"1\" y=\"1\" width=\"28\" height=\"10\"/>",
                     index);
}

}  // namespace fixkeep::client_sim
