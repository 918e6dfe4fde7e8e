// The ports that a worker gives to its rooms.
//
// A port that came back goes to the end of the queue, so it is reused as late as possible: players
// of a room that has just ended must not meet strangers on its port. A port that some other program
// of the machine has is put aside and looked at again after `look_again`.
// Invariant: a port is free, put aside or taken, and never two of these. Thread rule: one owner.
// Bounds: the ports of the range. Errors: none.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/time.hpp"

namespace fixkeep::worker {

class PortRange {
 public:
  // Whether no other program has the port now; empty: none ever has.
  using Usable = std::function<bool(std::uint16_t port)>;

  PortRange(std::uint16_t first, std::uint16_t last, Usable usable)
      : first_(first), last_(last), usable_(std::move(usable)) {
    for (std::uint32_t port = first; port <= last; ++port) {
      free_.push_back(static_cast<std::uint16_t>(port));
    }
  }

  [[nodiscard]] std::size_t free() const { return free_.size(); }

  // So many of them, or none if too few are usable.
  [[nodiscard]] std::vector<std::uint16_t> take(std::size_t count, TimePoint now) {
    std::vector<std::uint16_t> taken;
    while (taken.size() < count && !free_.empty()) {
      const std::uint16_t port = free_.front();
      free_.pop_front();
      if (!usable_ || usable_(port)) {
        taken.push_back(port);
      } else {
        aside_.emplace_back(now + look_again, port);
      }
    }
    if (taken.size() == count) return taken;
    free_.insert(free_.begin(), taken.begin(), taken.end());
    return {};
  }

  // When some of those that were put aside are free again, until somebody looks; max(): never.
  [[nodiscard]] TimePoint next_tick() const {
    return aside_.empty() ? TimePoint::max() : aside_.front().first;
  }
  void tick(TimePoint now) {
    while (next_tick() <= now) {
      free_.push_back(aside_.front().second);
      aside_.pop_front();
    }
  }

  // A port that is in use already, by a room of another life; it may be out of the range.
  void claim(std::uint16_t port) {
    std::erase(free_, port);
    std::erase_if(aside_, [port](const auto& entry) { return entry.second == port; });
  }

  // REQUIRES: the port was taken or claimed, and not given back since.
  void give_back(std::uint16_t port) {
    if (port >= first_ && port <= last_) free_.push_back(port);
  }

 private:
  static constexpr Duration look_again = std::chrono::seconds{30};

  std::uint16_t first_;
  std::uint16_t last_;
  Usable usable_;
  std::deque<std::uint16_t> free_;
  std::deque<std::pair<TimePoint, std::uint16_t>> aside_;
};

}  // namespace fixkeep::worker
