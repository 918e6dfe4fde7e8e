// What command lines mean (options.txt).
#include "client-sim/options.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "client-sim/arrival_options.hpp"
#include "client-sim/distance_options.hpp"
#include "tests/support/scripts.hpp"

namespace fixkeep::client_sim {
namespace {

std::string said(const Distances& distances) {
  std::ostringstream text;
  const auto part = [&](const char* name, const std::optional<double>& value) {
    if (value && *value != 0) text << ' ' << name << '=' << *value;
  };
  part("link", distances.link_ms);
  part("master", distances.master_ms);
  part("worker", distances.worker_ms);
  part("jitter", distances.jitter_ms);
  part("loss", distances.loss_percent);
  if (!distances.zones.text.empty()) text << " zones=" << distances.zones.names.size();
  return text.str().empty() ? "here" : text.str().substr(1);
}

std::string said(const Options& options) {
  std::ostringstream text;
  for (const auto arrival : options.arrivals) {
    const auto with = with_arrival(options, arrival);
    text << to_string(arrival) << " of " << with.workload.players << ", rooms stay "
         << with.cluster.close_empty_after_ms << "; ";
  }
  for (const auto& distances : options.distances) text << said(distances) << "; ";
  if (options.cluster.runner != "process") text << "rooms by " << options.cluster.runner;
  const auto all = text.str();
  return all.substr(0, all.find_last_not_of("; ") + 1);
}

std::string command_line(const std::string& line) {
  std::vector<std::string> words{"fixkeep-client-sim"};
  for (support::Words rest{line}; !rest.done();) words.push_back(rest.next());
  std::vector<const char*> arguments;
  for (const auto& word : words) arguments.push_back(word.c_str());
  std::ostringstream out;
  std::ostringstream err;
  const auto parsed = parse_options(static_cast<int>(arguments.size()), arguments.data(), out, err);
  if (const auto* options = std::get_if<Options>(&parsed)) return said(*options);
  EXPECT_EQ(std::get<ExitCode>(parsed).code, exit_usage);
  const auto line_of_error = err.str().substr(0, err.str().find('\n'));
  const auto words_of_cli11 =
      std::min(line_of_error.find(": Invalid "), line_of_error.find(": Value "));
  return line_of_error.substr(0, words_of_cli11);
}

const bool options_of_client_sim =
    support::register_table("tests/unit/client-sim/options.txt", [](std::string_view command) {
      support::Words words{command};
      const auto what = words.next();
      const auto rest = words.rest();
      if (what == "zones") {
        Zones zones;
        const auto problem = read_zones(rest, zones);
        if (!problem.empty()) return problem;
        std::ostringstream text;
        for (std::size_t row = 0; row < zones.names.size(); ++row) {
          text << (row > 0 ? "; " : "") << zones.names[row] << ':';
          for (const auto ms : zones.one_way_ms[row]) text << ' ' << ms;
        }
        return text.str();
      }
      return command_line(std::string{command});
    });

}  // namespace
}  // namespace fixkeep::client_sim
