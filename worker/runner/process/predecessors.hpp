// Predecessors are what an earlier run of this worker, or a keeper that was killed, has left on the
// machine.
//
// Each room of an earlier run has a folder, and a keeper that listens in it for as long as anything
// of its game runs. Those that the worker remembers are taken over, the others are ended.
// Thread rule: one owner. Bounds: the rooms that the folder names; `greeting_limit` for all keepers
// to say who they are, and `end_limit` for all that are ended to be gone: it blocks for that long.
// Errors: logged; a keeper that does not answer is ended, and one that does not end stays, and its
// folder too.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "worker/runner/process/keeper_link.hpp"

namespace fixkeep::worker {

class Predecessors {
 public:
  static constexpr std::chrono::milliseconds greeting_limit{2000};
  static constexpr std::chrono::milliseconds end_limit{10'000};

  explicit Predecessors(std::string rooms) : rooms_(std::move(rooms)) {}

  // Greets the keepers of all rooms. Before everything else, and once.
  void find();
  // Null if no keeper of that room was found.
  [[nodiscard]] const FoundKeeper* find(const std::string& room) const;
  // Copies of those that it has; nothing if there is no such keeper.
  [[nodiscard]] std::optional<std::vector<process::Descriptor>> listeners_of(
      const std::string& room) const;
  [[nodiscard]] std::optional<FoundKeeper> take(const std::string& room);
  // The keepers that were found and not taken.
  [[nodiscard]] std::vector<pid_t> processes() const;
  // Ends the games that were not taken, and removes what is left of rooms without a keeper but for
  // those that `is_ours` knows.
  template <class IsOurs>
  void end_others(IsOurs is_ours) {
    end_keepers();
    for (const std::string& room : without_keeper_) {
      if (!is_ours(room)) remove_left(room);
    }
    without_keeper_.clear();
  }

 private:
  void end_keepers();
  void remove_left(const std::string& room) const;

  std::string rooms_;
  std::map<std::string, FoundKeeper> keepers_;  // by room
  std::vector<std::string> without_keeper_;
};

// Kills all processes that were started for the room of this name, which they have in their
// environment.
void end_strays(const std::string& room);

}  // namespace fixkeep::worker
