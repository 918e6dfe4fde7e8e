// The last events of a node for GET /v1/events. They are numbered from 1.
//
// A late reader is told the number of missed events; the node never waits for it.
// Thread rule: one owner. Bounds: `most` events; most_in_answer of them in one answer.
// Errors: none. A journal of 0 events takes nothing and costs nothing.
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

  // The events behind number `after` as an object of JSON with one event a line:
  // {"node":"m1","next":<what to ask for next>,"missed":<events that are gone>,"events":[…]}
  [[nodiscard]] std::string answer(std::uint64_t after) const;

 private:
  std::string node_;
  std::size_t most_;
  std::uint64_t last_ = 0;  // the number of the newest
  std::deque<std::string> lines_;
};

}  // namespace fixkeep::events
