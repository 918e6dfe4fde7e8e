#include "tests/support/odd_server/options.hpp"

#include <CLI/CLI.hpp>
#include <fstream>
#include <map>
#include <vector>

namespace fixkeep::odd {
namespace {

constexpr int exit_usage = 2;

const std::map<std::string, Habit>& habits_by_name() {
  static const std::map<std::string, Habit> names{{"next-port", Habit::next_port},
                                                  {"ready-before-bind", Habit::ready_before_bind},
                                                  {"small-first", Habit::small_first},
                                                  {"once-a-second", Habit::once_a_second},
                                                  {"deaf-at-first", Habit::deaf_at_first},
                                                  {"hang", Habit::hang},
                                                  {"fork-and-leave", Habit::fork_and_leave},
                                                  {"flood", Habit::flood},
                                                  {"ignore-sigterm", Habit::ignore_sigterm},
                                                  {"late", Habit::late},
                                                  {"needs-home", Habit::needs_home},
                                                  {"hoard", Habit::hoard},
                                                  {"a2s", Habit::a2s}};
  return names;
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options options;
  std::vector<Habit> habits;
  std::uint32_t after_ms = 0;
  CLI::App app{"A small game server for tests, with the odd habits of real ones."};
  app.add_option("--habit", habits, "again for each")
      ->transform(CLI::CheckedTransformer{habits_by_name()});
  app.add_flag("--tcp", options.tcp, "accept connections, rather than answer over UDP");
  app.add_option("--port", options.port);
  app.add_option("--port-file", options.port_file);
  app.add_option("--after-ms", after_ms);
  app.add_option("--players", options.players, "people, without the bots");
  app.add_option("--bots", options.bots);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) { std::exit(app.exit(error) == 0 ? 0 : exit_usage); }
  options.habits = {habits.begin(), habits.end()};
  options.after = std::chrono::milliseconds{after_ms};
  if (options.port == 0) std::ifstream{options.port_file} >> options.port;
  return options;
}

}  // namespace fixkeep::odd
