// The ports that a worker gives to its rooms.
//
// A port that came back goes to the end of the queue, so it is reused as late as possible: players
// of a room that has just ended must not meet strangers on its port.
// Invariant: a port is either free or taken, never both. Thread rule: one owner.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace fixkeep::worker {

class PortRange {
 public:
  PortRange(std::uint16_t first, std::uint16_t last) {
    for (std::uint32_t port = first; port <= last; ++port) {
      free_.push_back(static_cast<std::uint16_t>(port));
    }
  }

  [[nodiscard]] std::size_t free() const { return free_.size(); }

  [[nodiscard]] std::optional<std::uint16_t> take() {
    if (free_.empty()) return std::nullopt;
    const std::uint16_t port = free_.front();
    free_.pop_front();
    return port;
  }

  // REQUIRES: the port was taken from here and not given back since.
  void give_back(std::uint16_t port) { free_.push_back(port); }

 private:
  std::deque<std::uint16_t> free_;
};

}  // namespace fixkeep::worker
