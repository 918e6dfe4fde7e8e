// The commands that a keeper was asked to run for its room, until it answers.
// Thread rule: one owner. Bounds: those of the callers. Errors: none.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "worker/backend/backend.hpp"
#include "worker/keeper/protocol.hpp"

namespace fixkeep::worker {

class RoomCommands {
 public:
  using Done = std::function<void(Backend::CommandEnd)>;

  // What the keeper is to be told. `program`: a path. `asks_to_end`: it asks the game to.
  [[nodiscard]] keeper::Packet add(const std::string& program,
                                   const std::vector<std::string>& command,
                                   std::chrono::milliseconds limit, bool asks_to_end, Done done);
  // The keeper has answered: the caller of run() is told.
  void ended(const keeper::Packet& ran);

 private:
  std::map<std::int32_t, Done> asked_;
  std::int32_t last_ = 0;
};

}  // namespace fixkeep::worker
