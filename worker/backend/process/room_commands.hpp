// The commands that a keeper was asked to run for its room, until it answers.
// Thread rule: one owner. Bounds: those of the callers. Errors: none.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "worker/backend/backend.hpp"
#include "worker/keeper/protocol.hpp"

namespace fixkeep::worker {

class RoomCommands {
 public:
  using Done = std::function<void(Backend::CommandEnd)>;

  struct Order {
    std::string program;  // a path
    std::vector<std::string> command;
    std::chrono::milliseconds limit{};
    bool asks_to_end = false;  // it asks the game to
  };
  // The result is what a keeper of this version is to be told. Nothing: it cannot be, and `done` is
  // not kept.
  [[nodiscard]] std::optional<keeper::Packet> add(const Order& order, std::int32_t version,
                                                  const Done& done);
  // The keeper has answered: the caller of run() is told.
  void ended(const keeper::Packet& ran);

 private:
  std::map<std::int32_t, Done> asked_;
  std::int32_t last_ = 0;
};

}  // namespace fixkeep::worker
