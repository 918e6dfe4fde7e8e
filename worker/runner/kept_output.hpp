// The last output of running and ended games.
//
// Thread rule: one owner. Bounds: at most `most` bytes a room and `kept_rooms` ended rooms. Errors:
// none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

namespace fixkeep::worker {

class KeptOutput {
 public:
  static constexpr std::size_t most = 16U << 10U;

  explicit KeptOutput(std::uint32_t kept_rooms) : kept_rooms_(kept_rooms) {}

  // Replaces the room's text. Ignores an empty text.
  void put(const std::string& room, const std::string& text) {
    if (!text.empty()) texts_[room] = end_of(text, most);
  }
  void add(const std::string& room, const std::string& text) {
    std::string& kept = texts_[room];
    kept = end_of(kept + text, most);
  }
  void ended(const std::string& room) {
    if (texts_.contains(room)) ended_.push_back(room);
    while (ended_.size() > kept_rooms_) {
      texts_.erase(ended_.front());
      ended_.pop_front();
    }
  }
  [[nodiscard]] std::optional<std::string> last(const std::string& room, std::size_t bytes) const {
    const auto found = texts_.find(room);
    if (found == texts_.end()) return std::nullopt;
    return end_of(found->second, bytes);
  }

 private:
  static std::string end_of(const std::string& text, std::size_t bytes) {
    return text.substr(text.size() - std::min(text.size(), bytes));
  }

  std::uint32_t kept_rooms_;
  std::map<std::string, std::string> texts_;
  std::deque<std::string> ended_;
};

}  // namespace fixkeep::worker
