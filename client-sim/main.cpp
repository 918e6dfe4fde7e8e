// fixkeep-client-sim: loads a cluster as many players would, and judges what it did.

#include <csignal>
#include <iostream>

#include "client-sim/commands.hpp"
#include "client-sim/options.hpp"

int main(int argc, char** argv) {
  using namespace fixkeep::client_sim;
  std::signal(SIGPIPE, SIG_IGN);  // a room that closes is an error of its write, not our end
  const auto parsed = parse_options(argc, argv, std::cout, std::cerr);
  if (const auto* exit = std::get_if<ExitCode>(&parsed)) return exit->code;
  return run_command(std::get<Options>(parsed), std::cout, std::cerr);
}
