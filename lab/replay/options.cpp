#include "lab/replay/options.hpp"

#include <CLI/CLI.hpp>

#include "lab/replay/optimum.hpp"

namespace fixkeep::client_sim {

void add_replay_options(CLI::App& command, ReplayCommandOptions& options) {
  command.add_option("rules", options.rules, "A mode with rules, as configs/matching/duel.json")
      ->required();
  command.add_option("arrivals", options.arrivals,
                     "Recorded arrivals, one as JSON a line; without, a day is made");
  command.add_option("--against", options.against, "Other rules for the same arrivals");
  command.add_flag("--check", options.check, "Only say what is wrong with the rules");
  command.add_option("--tickets", options.day.tickets, "Tickets of a made day")
      ->check(CLI::Range(std::size_t{1}, replay::arrivals_most));
  command.add_option("--hours", options.day.hours, "Length of the made day")
      ->check(CLI::Range(0.01, 168.0));
  command.add_option("--mean", options.day.mean, "Mean of the numbers of a made day")
      ->check(CLI::Range(-1'000'000, 1'000'000));
  command.add_option("--deviation", options.day.deviation, "Deviation of these numbers")
      ->check(CLI::Range(0, 1'000'000));
  command
      .add_option("--number", options.numbers,
                  "NAME=MEAN,DEVIATION of one of these numbers: level=30,10; repeat it")
      ->default_str("");
  command.add_option("--seed", options.day.seed, "Decides a made day");
  command.add_option("--tick-ms", options.tick_ms, "Time between decisions")
      ->check(CLI::Range(10, 60'000));
  command.add_option("--session-s", options.session_s, "Time for which a room takes newcomers")
      ->check(CLI::Range(0, 86'400));
  command
      .add_option("--optimum", options.optimum,
                  "Number of first arrivals of a duel to compare with hindsight")
      ->check(CLI::Range(std::size_t{0}, replay::optimum_most));
  command
      .add_option("--lambda", options.lambda,
                  "Worth of a second of waiting to hindsight, in the unit of the number")
      ->check(CLI::Range(0.001, 1e6));
}

}  // namespace fixkeep::client_sim
