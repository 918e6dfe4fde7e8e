#include "common/events/journal.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/events/event_json.hpp"

namespace fixkeep::events {

void Journal::add(EventTime at, const Happenings& happenings) {
  if (!open()) return;
  for (const What& what : happenings) {
    if (lines_.size() == most_) lines_.pop_front();
    lines_.push_back(to_json_line(at, what));
    ++last_;
  }
}

std::string Journal::answer(std::uint64_t after) const {
  const std::uint64_t oldest = last_ - lines_.size();  // the oldest event's number minus 1
  const std::uint64_t from = std::clamp(after, oldest, last_);
  const std::uint64_t to = std::min<std::uint64_t>(last_, from + most_in_answer);
  std::string text =
      "{\"node\":" + nlohmann::json(node_).dump() + ",\"next\":" + std::to_string(to) +
      ",\"missed\":" + std::to_string(from > after ? from - after : 0) + ",\"events\":[";
  for (std::uint64_t number = from; number < to; ++number) {
    text += number == from ? "\n" : ",\n";
    text += lines_[number - oldest];
  }
  return text + "]}\n";
}

}  // namespace fixkeep::events
