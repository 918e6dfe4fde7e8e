#include "ctl/node/event_stream.hpp"

#include <utility>

namespace fixkeep::ctl {

bool EventStream::take(std::string_view bytes, const OnEvent& on_event) {
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    line_.append(bytes.substr(0, end));
    if (end == std::string_view::npos) return true;
    bytes.remove_prefix(end + 1);
    if (line_.ends_with('\r')) line_.pop_back();
    if (!take_line(on_event)) return false;
    line_.clear();
  }
  return true;
}

bool EventStream::take_line(const OnEvent& on_event) {
  if (line_.empty()) {
    if (data_.empty()) return true;
    return on_event(id_, std::exchange(data_, {}));
  }
  const std::string_view line = line_;
  const auto colon = line.find(':');
  const auto field = line.substr(0, colon);
  auto value = colon == std::string_view::npos ? std::string_view{} : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "id") id_ = value;
  if (field == "data") {
    if (!data_.empty()) data_ += '\n';
    data_ += value;
  }
  return true;
}

}  // namespace fixkeep::ctl
