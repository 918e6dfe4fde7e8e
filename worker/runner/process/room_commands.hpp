// The commands that a keeper runs for its room until it answers.
// Thread rule: one owner. Bounds: see the callers. Errors: none.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "worker/keeper/protocol.hpp"
#include "worker/runner/game_runner.hpp"
#include "worker/runner/process/keeper_link.hpp"

namespace fixkeep::worker {

class RoomCommands {
 public:
  using Done = std::function<void(RoomShell::CommandEnd)>;

  struct Order {
    std::string program;  // a path
    std::vector<std::string> command;
    std::chrono::milliseconds limit{};
    bool asks_to_end = false;  // the command asks the game to end
  };
  // Returns the packet for a keeper of this version. Nullopt: impossible. `done` is then not kept.
  [[nodiscard]] std::optional<keeper::Packet> add(const Order& order, std::int32_t version,
                                                  const Done& done);
  // The text says why the keeper was not told; empty: it was. `order.program` is found here.
  [[nodiscard]] std::string send(Order order, const std::vector<std::string>& folders,
                                 KeeperLink& link, const Done& done);
  // The keeper has answered: the caller of run() is told.
  void ended(const keeper::Packet& ran);

 private:
  std::map<std::int32_t, Done> asked_;
  std::int32_t last_ = 0;
};

}  // namespace fixkeep::worker
