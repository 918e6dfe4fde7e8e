// Parses server-sent events from an answer's bytes (WHATWG HTML "Server-sent events"). Reads only
// `id` and `data`: masters send nothing else.
// Thread rule: one thread. Bounds: an event has at most `event_bytes_most` bytes. Errors:
// too_long().
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace fixkeep::ctl {

class EventStream {
 public:
  static constexpr std::size_t event_bytes_most = 64U << 20U;  // a snapshot of many rooms

  using OnEvent = std::function<bool(const std::string& id, const std::string& data)>;

  // Parses the next bytes and calls `on_event` for each complete event. Returns false after
  // `on_event` has returned false.
  bool take(std::string_view bytes, const OnEvent& on_event);
  [[nodiscard]] bool too_long() const { return line_.size() + data_.size() > event_bytes_most; }

 private:
  bool take_line(const OnEvent& on_event);

  std::string line_;
  std::string id_;
  std::string data_;
};

}  // namespace fixkeep::ctl
