// RoomCommands remembers the commands that a keeper runs for its room, each until the keeper has
// answered.
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
  // Returns the packet for a keeper of this version. Nullopt: no packet can carry the command. In
  // this case `done` is dropped.
  [[nodiscard]] std::optional<keeper::Packet> add(const Order& order, std::int32_t version,
                                                  const Done& done);
  // Finds `order.program` and sends the command to the keeper. Returns why this failed; empty:
  // sent.
  [[nodiscard]] std::string send(Order order, const std::vector<std::string>& folders,
                                 KeeperLink& link, const Done& done);
  // Reports the keeper's answer to the caller of run().
  void ended(const keeper::Packet& ran);

 private:
  std::map<std::int32_t, Done> asked_;
  std::int32_t last_ = 0;
};

}  // namespace fixkeep::worker
