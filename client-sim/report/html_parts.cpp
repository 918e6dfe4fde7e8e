#include "client-sim/report/html_parts.hpp"

#include <nlohmann/json.hpp>

#include "client-sim/report/template.hpp"

namespace fixkeep::client_sim {

namespace {

constexpr std::size_t colours = 8;

std::string legend(const char* kind, const std::vector<std::string>& names) {
  auto entries = nlohmann::json::array();
  for (std::size_t index = 0; index < names.size(); ++index) {
    entries.push_back({{"colour", colour_of(index)}, {"name", names[index]}});
  }
  nlohmann::json values;
  values[kind] = std::move(entries);
  return fill_template(legend_template(), values);
}

}  // namespace

std::string page_html(const std::string& title, const std::string& body, const Facts& facts,
                      const ReportHeader& header) {
  nlohmann::json values{{"title", title}, {"style", report_style()}, {"body", body}};
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
  const Table rows{table.begin() + 1, table.end()};
  return fill_template(table_template(), {{"heading", table.front()}, {"rows", rows}});
}

std::string legend_of_lines(const std::vector<std::string>& names) {
  return legend("lines", names);
}

std::string legend_of_bars(const std::vector<std::string>& names) {
  return legend("bars", names);
}

std::size_t colour_of(std::size_t strategy) {
  return strategy % colours;
}

}  // namespace fixkeep::client_sim
