// The laboratory's command line.
//
// Thread rule: free functions without state. Errors: writes help and mistakes to the given streams
// and returns an exit code.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <variant>

#include "client-sim/options.hpp"
#include "lab/locks/options.hpp"
#include "lab/own_lock/options.hpp"
#include "lab/race/options.hpp"
#include "lab/replay/options.hpp"
#include "lab/theory/command.hpp"

namespace fixkeep::client_sim {

enum class LabCommand : std::uint8_t { race, locks, lock, theory, pools, replay, engines };

struct LabOptions {
  LabCommand command = LabCommand::race;
  Options run;  // locks, cluster, load and report files of a run
  LocksOptions bench;
  OwnLockOptions own_lock;
  TheoryOptions theory;
  RaceOptions race;
  ReplayCommandOptions replay;
};

[[nodiscard]] std::variant<LabOptions, ExitCode> parse_lab_options(int argc,
                                                                   const char* const* argv,
                                                                   std::ostream& out,
                                                                   std::ostream& err);

}  // namespace fixkeep::client_sim
