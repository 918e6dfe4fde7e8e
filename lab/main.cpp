// The program fixkeep-lab (the laboratory). Its commands show, measure and compare locks and rules.

#include <csignal>
#include <iostream>

#include "client-sim/descriptors.hpp"
#include "common/process/self.hpp"
#include "lab/engines_command.hpp"
#include "lab/locks/command.hpp"
#include "lab/options.hpp"
#include "lab/own_lock/command.hpp"
#include "lab/pools/command.hpp"
#include "lab/race/command.hpp"
#include "lab/replay/command.hpp"
#include "lab/theory/command.hpp"

namespace {

using namespace fixkeep::client_sim;

int run_command(const LabOptions& options, std::ostream& out, std::ostream& err) {
  fixkeep::process::raise_descriptor_limit();
  if (options.command == LabCommand::locks || options.command == LabCommand::pools) {
    if (const auto mistake = make_room_for(options.run); !mistake.empty()) {
      err << mistake << '\n';
      return exit_usage;
    }
  }
  switch (options.command) {
    case LabCommand::race: return run_race(options.run, options.race, out, err);
    case LabCommand::locks: return run_locks(options.run, options.bench, out, err);
    case LabCommand::lock: return run_own_lock(options.run, options.own_lock, out, err);
    case LabCommand::theory: return run_theory(options.run, options.theory, out, err);
    case LabCommand::pools: return run_pools(options.run, out, err);
    case LabCommand::replay: return run_replay(options.run, options.replay, out, err);
    case LabCommand::engines: return run_engines(options.run.locks, out, err);
  }
  return exit_usage;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // if a room closes, only the write to it fails
  const auto parsed = parse_lab_options(argc, argv, std::cout, std::cerr);
  if (const auto* exit = std::get_if<ExitCode>(&parsed)) return exit->code;
  return run_command(std::get<LabOptions>(parsed), std::cout, std::cerr);
}
