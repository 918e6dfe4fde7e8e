// Splits a stream of bytes into lines.
// Thread rule: a value, one owner. Bounds: `most` bytes per line; the rest of a longer line is
// dropped.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fixkeep::lock_node {

class Lines {
 public:
  explicit Lines(std::size_t most) : most_(most) {}

  // Calls on_line(line, whole) for each complete line. If the line was too long, `whole` is false
  // and `line` is its beginning.
  void feed(std::string_view bytes, auto on_line) {
    while (!bytes.empty()) {
      const auto end = bytes.find('\n');
      take(bytes.substr(0, end));
      if (end == std::string_view::npos) return;
      bytes.remove_prefix(end + 1);
      finish(on_line);
    }
  }

  // Calls on_line for a last line without a newline. Call it at the end of the stream.
  void finish(auto on_line) {
    if (!line_.empty()) on_line(std::string_view{line_}, whole_);
    line_.clear();
    whole_ = true;
  }

 private:
  void take(std::string_view part) {
    const auto room = most_ - line_.size();
    whole_ = whole_ && part.size() <= room;
    line_ += part.substr(0, room);
  }

  std::size_t most_;
  std::string line_;
  bool whole_ = true;
};

}  // namespace fixkeep::lock_node
