// Predecessors are the remains of an earlier run of this worker, or the remains of a killed keeper.
//
// Each room of an earlier run has a folder. Its keeper listens in that folder while any process of
// the game runs. The worker takes over the rooms that it remembers and ends the other rooms.
// Thread rule: one owner. Bounds: the rooms that have a folder. find() blocks for up to
// `greeting_limit` until all keepers have answered. end_others() blocks for up to `end_limit` until
// all ended keepers are gone. Errors: logged. A keeper that does not answer is ended. If a keeper
// does not end, its folder remains.
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

  // Greets the keepers of all rooms. Called once, before every other call.
  void find();
  // Returns null if no keeper of that room was found.
  [[nodiscard]] const FoundKeeper* find(const std::string& room) const;
  // Returns copies of the keeper's listeners. Nullopt: no keeper.
  [[nodiscard]] std::optional<std::vector<process::Descriptor>> listeners_of(
      const std::string& room) const;
  [[nodiscard]] std::optional<FoundKeeper> take(const std::string& room);
  // Returns the keepers that were found and not taken over.
  [[nodiscard]] std::vector<pid_t> processes() const;
  // Ends the games that were not taken over. Removes the remains of rooms without a keeper, except
  // rooms that `is_ours` accepts.
  void end_others(auto is_ours) {
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
  std::map<std::string, FoundKeeper> keepers_;  // key: room
  std::vector<std::string> without_keeper_;
};

// Kills all processes that have this room's name in their environment.
void end_strays(const std::string& room);

}  // namespace fixkeep::worker
