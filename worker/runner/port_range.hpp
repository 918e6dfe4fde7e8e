// The ports that a worker gives to its rooms.
//
// A returned port goes to the end of the queue, so it is reused as late as possible. Players of an
// ended room must not meet strangers at the room's port. If another program of the machine uses a
// port, the port is put aside. After `look_again` it counts as free again.
//
// A block is a number of neighbouring ports. A run is an uninterrupted row of free ports. A run is
// divided into blocks without gaps, beginning at its first port. Rooms get only these blocks, so
// each room with a block makes only one block unavailable. A single taken port makes at most one
// block unavailable.
//
// Invariants: 1. A port is either free, put aside or taken.
//             2. `is_free_` is true for exactly the ports in `free_`.
// Thread rule: one owner. Bounds: the ports of the range. Errors: none.
#pragma once

#include <algorithm>
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
  // Returns true if no other program uses the port now. If this function is empty, every port
  // counts as unused.
  using Usable = std::function<bool(std::uint16_t port)>;

  PortRange(std::uint16_t first, std::uint16_t last, Usable usable)
      : first_(first), last_(last), usable_(std::move(usable)) {
    is_free_.resize(last < first ? 0 : last - first + 1U);
    for (std::uint32_t port = first; port <= last; ++port) {
      put(static_cast<std::uint16_t>(port));
    }
  }

  [[nodiscard]] std::size_t free() const { return free_.size(); }
  [[nodiscard]] std::size_t of_others() const { return aside_.size(); }  // as last seen

  // Takes `count` ports. If fewer ports are usable, takes none.
  [[nodiscard]] std::vector<std::uint16_t> take(std::size_t count, TimePoint now) {
    std::vector<std::uint16_t> taken;
    while (taken.size() < count && !free_.empty()) {
      const std::uint16_t port = free_.front();
      remove(port);
      if (!usable_ || usable_(port)) {
        taken.push_back(port);
      } else {
        aside_.emplace_back(now + look_again, port);
      }
    }
    if (taken.size() == count) return taken;
    free_.insert(free_.begin(), taken.begin(), taken.end());
    for (const std::uint16_t port : taken) is_free_[port - first_] = true;
    return {};
  }

  // Counts the known free blocks of `count` neighbouring ports. REQUIRES: count > 0.
  [[nodiscard]] std::size_t blocks(std::size_t count) const {
    std::size_t blocks = 0;
    for (std::size_t i = 0; i < is_free_.size();) {
      const std::size_t end = end_of_run(i);
      blocks += (end - i) / count;
      i = end + 1;
    }
    return blocks;
  }

  // Takes the block with the port that was unused for the longest time. Returns the block's ports
  // in ascending order. Empty: no block is usable.
  [[nodiscard]] std::vector<std::uint16_t> take_block(std::size_t count, TimePoint now) {
    while (const auto first = find_block(count)) {
      std::vector<std::uint16_t> block;
      while (block.size() < count) {
        const auto port = static_cast<std::uint16_t>(*first + block.size());
        if (usable_ && !usable_(port)) {
          remove(port);
          aside_.emplace_back(now + look_again, port);
          break;
        }
        block.push_back(port);
      }
      if (block.size() < count) continue;
      for (const std::uint16_t port : block) remove(port);
      return block;
    }
    return {};
  }

  // Returns the time at which the next port that was put aside is free again. max(): never.
  [[nodiscard]] TimePoint next_tick() const {
    return aside_.empty() ? TimePoint::max() : aside_.front().first;
  }
  void tick(TimePoint now) {
    while (next_tick() <= now) {
      put(aside_.front().second);
      aside_.pop_front();
    }
  }

  // Claims a port for a room of an earlier run. The port may be outside the range.
  void claim(std::uint16_t port) {
    if (is_in_range(port)) remove(port);
    std::erase_if(aside_, [port](const auto& entry) { return entry.second == port; });
  }

  // REQUIRES: the port was taken or claimed and not given back since.
  void give_back(std::uint16_t port) {
    if (is_in_range(port)) put(port);
  }

 private:
  static constexpr Duration look_again = std::chrono::seconds{30};

  [[nodiscard]] bool is_in_range(std::uint16_t port) const {
    return port >= first_ && port <= last_;
  }
  void put(std::uint16_t port) {
    free_.push_back(port);
    is_free_[port - first_] = true;
  }
  void remove(std::uint16_t port) {
    if (!is_free_[port - first_]) return;
    is_free_[port - first_] = false;
    free_.erase(std::find(free_.begin(), free_.end(), port));
  }
  // Returns the end of the free run that begins at `place`. If the port there is not free, returns
  // `place`.
  [[nodiscard]] std::size_t end_of_run(std::size_t place) const {
    while (place < is_free_.size() && is_free_[place]) ++place;
    return place;
  }
  [[nodiscard]] std::optional<std::uint16_t> find_block(std::size_t count) const {
    for (const std::uint16_t port : free_) {
      const std::size_t place = port - first_;
      std::size_t begin = place;
      while (begin > 0 && is_free_[begin - 1]) --begin;
      const std::size_t blocks = (end_of_run(place) - begin) / count;
      if (blocks == 0) continue;
      const std::size_t block = std::min((place - begin) / count, blocks - 1);
      return static_cast<std::uint16_t>(first_ + begin + block * count);
    }
    return std::nullopt;
  }

  std::uint16_t first_;
  std::uint16_t last_;
  Usable usable_;
  std::deque<std::uint16_t> free_;
  std::vector<bool> is_free_;  // index: port - first_
  std::deque<std::pair<TimePoint, std::uint16_t>> aside_;
};

}  // namespace fixkeep::worker
