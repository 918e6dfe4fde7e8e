// Runs one text scenario of a lock of the mesh. A line is a command. Invariants are checked after
// each.
//
//   strategy S               the lock; otherwise multiphase
//   nodes N                  N masters, connected and joined; or
//   boot N                   N masters that have just started, connected to nobody
//   acquire A | abandon A
//   release A [VALUE] [uncertain]
//   deliver A->B [WHAT]      B hears A's next message; WHAT, if given, says which it must be:
//                            Hello, Hello+MyLock(r), MyLock(r), YourLock(r), LockReset(r), …
//   deliver? A->B            the same, if there is one
//   overtake A->B N          B hears A's Nth message first, where links are not ordered
//   deliver all              until nothing is on its way
//   up A B | down A B        both ends are connected | the link breaks and both ends notice
//   lose A B | notice A B    the link breaks | A notices that it has lost B
//   crash A | restart A      the others have to notice (`notice`) | A connects to nobody (`up`)
//   grace A                  the grace of A after its start is over
//   tick A                   A's timer goes off
//   expect holder A          A and nobody else;   expect no holder
//   expect holders A B       a split mesh: both
//   expect state A WORD      idle, lurking, soliciting, acquired: the strategy's own word
//   expect fence A           A's last grant needs a fence;   expect no fence A
//   expect token A N         the counter of A's last grant
//   expect value A VALUE     what A's last grant brought;   expect empty value A
//   expect sent N            lock messages sent since the start or the last such line
//   hole without X           X: a rule of the lock (lock/core/rule_names.hpp), or the driver's
//                            `ordered links`. Comes before `nodes` in a scenario that runs twice.
//                            Without X it must end in two holders: the run ends at the first line
//                            with two. With X every line must hold, `expect` lines included.
//
// Invariants after every line: at most one holder. A grant without fence has a higher token than
// the grants before it. Both hold unless a link has been down or a grace has lapsed since all was
// last whole. At the end all is repaired and every holder releases. Then every master must get the
// lock once: a scenario that leaves the lock unusable fails.
// Errors: the first one, with its line. Thread rule: one owner.
#pragma once

#include <istream>
#include <memory>
#include <optional>
#include <string>

#include "lock/tests/scenarios/lock_mesh.hpp"

namespace fixkeep::scenarios {

class Runner;

// Returns the mistake, or nothing. `without_rule` is for scenarios that are holes only.
[[nodiscard]] std::optional<std::string> run_lock_scenario(std::istream& script, bool without_rule);
// Plays a scenario line by line.
class LockPlayer {
 public:
  explicit LockPlayer(bool without_rule);
  ~LockPlayer();
  // Throws ScenarioError.
  void run_line(const std::string& line);
  [[nodiscard]] LockMesh* mesh();          // null before `nodes` and `boot`
  [[nodiscard]] bool two_holders() const;  // two holders that are not allowed

 private:
  std::unique_ptr<Runner> runner_;
};
[[nodiscard]] bool is_hole(std::istream& script);

// Returns the scenario with `expect` lines of the real results. Throws ScenarioError at any other
// line that is wrong.
[[nodiscard]] std::string rewrite_lock_scenario(std::istream& script);

}  // namespace fixkeep::scenarios
