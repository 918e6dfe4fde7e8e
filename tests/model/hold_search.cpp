// The long searches of the production Hold: two masters and two workers, with one fault of each
// kind.
//
//   fixkeep-hold-search [STATES]    the most states of a search; 2.5 million by default (4 GB)
//
// Prints what each search saw, and the shortest trace of a violation. Exit code 1 if there is one.
#include <chrono>
#include <cstdlib>
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
  const std::size_t most = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2'500'000;
  bool holds = true;
  for (const auto& wanted : fixkeep::model::cases) {
    holds = fixkeep::model::search(wanted, most) && holds;
  }
  return holds ? 0 : 1;
}
