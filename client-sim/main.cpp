// fixkeep-client-sim puts the load of many players on a cluster and judges the result.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client-sim/commands.hpp"
#include "client-sim/options.hpp"
#include "common/process/program.hpp"

namespace {

// Returns the command's name if it has moved to fixkeep-lab. Empty: the command is here.
std::string name_in_the_lab(std::span<char*> words) {
  constexpr std::array<std::string_view, 4> moved{"race", "locks", "engines", "replay"};
  if (words.size() < 2) return {};
  const std::string command{words[1]};
  if (std::find(moved.begin(), moved.end(), command) != moved.end()) return command;
  const bool ruled = std::any_of(words.begin(), words.end(), [](std::string_view word) {
    return word == "--rules" || word.starts_with("--rules=");
  });
  return command == "compare" && ruled ? "pools" : std::string{};
}

// Replaces this process by fixkeep-lab. Returns only after a failure.
int go_on_in_the_lab(const std::string& command, std::span<char*> words) {
  const auto program = fixkeep::process::program_folders().front() + "/fixkeep-lab";
  std::cerr << "This is a command of the laboratory: fixkeep-lab " << command << '\n';
  std::string name = command;
  std::vector<char*> arguments{words[0], name.data()};
  arguments.insert(arguments.end(), words.begin() + 2, words.end());
  arguments.push_back(nullptr);
  ::execv(program.c_str(), arguments.data());
  std::cerr << "cannot start " << program << ": build the target fixkeep-lab\n";
  return fixkeep::client_sim::exit_usage;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace fixkeep::client_sim;
  std::signal(SIGPIPE, SIG_IGN);  // a write to a closed room must not end this process
  const std::span words{argv, static_cast<std::size_t>(argc)};
  if (const auto command = name_in_the_lab(words); !command.empty()) {
    return go_on_in_the_lab(command, words);
  }
  const auto parsed = parse_options(argc, argv, std::cout, std::cerr);
  if (const auto* exit = std::get_if<ExitCode>(&parsed)) return exit->code;
  return run_command(std::get<Options>(parsed), std::cout, std::cerr);
}
