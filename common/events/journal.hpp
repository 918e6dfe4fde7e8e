// The latest events of a node, numbered from 1, for GET /v1/events.
//
// A late reader gets the number of events that it missed; the node never waits for readers.
// Thread rule: one owner. Bounds: at most `most` events in memory, and most_in_answer events in one
// answer.
// Errors: none. If `most` is 0, the journal ignores all events.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "common/events/event.hpp"

namespace fixkeep::events {

class Journal {
 public:
  static constexpr std::size_t most_in_answer = 10'000;

  Journal(std::string node, std::size_t most) : node_(std::move(node)), most_(most) {}

  [[nodiscard]] bool open() const { return most_ > 0; }
  void add(EventTime at, const Happenings& happenings);

  // The events after number `after`, as a JSON object with one event on each line:
  // {"node":"m1","next":<next value of `after`>,"missed":<number of dropped events>,"events":[…]}
  [[nodiscard]] std::string answer(std::uint64_t after) const;

 private:
  std::string node_;
  std::size_t most_;
  std::uint64_t last_ = 0;  // number of the newest event
  std::deque<std::string> lines_;
};

}  // namespace fixkeep::events
