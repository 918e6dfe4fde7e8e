// The command line of the laboratory.
//
// Thread rule: free functions without state. Errors: help and mistakes are written to the given
// streams and an exit code comes back.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <variant>

#include "client-sim/options.hpp"
#include "lab/locks/options.hpp"
#include "lab/race/options.hpp"
#include "lab/replay/options.hpp"

namespace fixkeep::client_sim {

enum class LabCommand : std::uint8_t { race, locks, pools, replay, engines };

struct LabOptions {
  LabCommand command = LabCommand::race;
  Options run;  // locks, cluster and load of a run, and the files of the report
  LocksOptions bench;
  RaceOptions race;
  ReplayCommandOptions replay;
};

[[nodiscard]] std::variant<LabOptions, ExitCode> parse_lab_options(int argc,
                                                                   const char* const* argv,
                                                                   std::ostream& out,
                                                                   std::ostream& err);

}  // namespace fixkeep::client_sim
