// The long searches of the production Hold: two masters and two workers, with one fault of each
// kind.
//
// Prints what each search saw, and the shortest trace of a violation. Exit code 1 if there is one.
#include <CLI/CLI.hpp>
#include <chrono>
#include <iostream>

#include "tests/model/checks.hpp"

namespace fixkeep::model {
namespace {

const Case cases[] = {
    {"link loss, worker restart",
     {.workers = 2,
      .acquisitions = 1,
      .link_losses = 1,
      .worker_restarts = 1,
      .start_connected = true},
     0,
     false},
    {"link loss, worker link loss, worker restart",
     {.workers = 2,
      .acquisitions = 1,
      .link_losses = 1,
      .worker_link_losses = 1,
      .worker_restarts = 1,
      .start_connected = true},
     0,
     false},
    {"given on early: link loss, worker restart, refusal",
     {.workers = 2,
      .acquisitions = 2,
      .link_losses = 1,
      .worker_restarts = 1,
      .refusals = 1,
      .start_connected = true,
      .early_release = true},
     0,
     false},
    {"given on early: worker link loss, hold cut short, slow answers",
     {.workers = 2,
      .acquisitions = 2,
      .worker_link_losses = 1,
      .holds_cut = 1,
      .slow_answers = true,
      .start_connected = true,
      .early_release = true},
     0,
     false},
};

bool search(const Case& wanted, std::size_t most_states) {
  const auto start = std::chrono::steady_clock::now();
  const Exploration result = explore(LockModel{wanted.budget}, most_states);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::cout << "2 masters, 2 workers: " << wanted.name << ": " << result.states << " states, "
            << result.deepest << " steps deep, " << (result.complete ? "complete" : "cut") << ", "
            << seconds.count() << " s\n";
  if (result.violation) std::cout << story(result);
  return !result.violation;
}

}  // namespace
}  // namespace fixkeep::model

int main(int argc, char** argv) {
  CLI::App app{"Searches what the production Hold can get into, with every kind of fault"};
  std::size_t most = 2'500'000;
  app.add_option("states", most, "The most states of each search; that many take 4 GB")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  bool holds = true;
  for (const auto& wanted : fixkeep::model::cases) {
    holds = fixkeep::model::search(wanted, most) && holds;
  }
  return holds ? 0 : 1;
}
