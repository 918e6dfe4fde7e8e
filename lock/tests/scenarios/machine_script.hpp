// Plays scripts of a single lock machine and fills in its actions. The script plays the peers.
// lock/tests/scenarios/machine has a file for each lock. A case begins with
//
//   case NAME: master A of N, OPTION, …      A has heard of all others, unless OPTION says more
//
// and goes on with a line for each event, with its results behind `=>`:
//
//   acquire | abandon | tick | grace | release [VALUE] [token T] [fenced]
//                                            fenced: the hold has fenced with T
//   KIND(ROUND) of B [token T] [value V] [waits C N] [served C N] …   a message of B; KIND may be a
//                                            number; T is a counter, V was written under it; C's
//                                            request N waits for the token in it, or was served
//   KIND(ROUND@T.C) of B …                   the same with the epoch T.C, which is its token too
//   connected B | down B | up B [KIND(ROUND)]   B's Hello, with what it has outstanding
//   list B C …                               the other masters that there are from now on
//   after N ms                               time passes; nothing happens
//   hello                                    what the machine says of itself to a new peer
//
// Results are the machine's actions in order and then `[state]`, with `forgettable`, after a change
// of them. Otherwise the result is `noted` after any other change, or `ignored`. Options are
// majority (the quorum), rounds N (used before), alone (just started), away B (heard of and not
// connected), lost N ms ago (the last one).
//
// After each event the machine is compared with all its earlier states. Only equal machines have
// equal bytes. Errors: ScenarioError says what a line means by mistake.
// Thread rule: free functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fixkeep::scenarios {

struct MachineScript {
  std::string name;  // empty: what stands before the first case
  std::vector<std::string> lines;
};

[[nodiscard]] std::vector<MachineScript> split_scripts(std::string_view text);

// The lines of the script as they ought to be.
[[nodiscard]] std::vector<std::string> play(std::string_view strategy,
                                            const std::vector<std::string>& lines);

}  // namespace fixkeep::scenarios
