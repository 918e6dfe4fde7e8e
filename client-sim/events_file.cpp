#include "client-sim/events_file.hpp"

#include <fmt/format.h>

#include <string_view>

#include "common/events/event_json.hpp"

namespace fixkeep::client_sim {

EventsFile::EventsFile(const std::string& path) : wanted_(!path.empty()) {
  if (wanted_) file_.open(path);
}

void EventsFile::add(const std::string& run, const std::vector<events::Event>& told,
                     const std::vector<NodeEnd>& ends) {
  if (!wanted_) return;
  const auto begin = [&](const std::string& node) {
    file_ << fmt::format(R"({{"run":"{}","node":"{}",)", run, node);
  };
  for (const events::Event& event : told) {
    begin(event.node);
    file_ << std::string_view{events::to_json_line(event.at, event.what)}.substr(1) << '\n';
  }
  for (const NodeEnd& end : ends) {
    begin(end.node);
    file_ << fmt::format(R"("at_us":{},"event":"killed"}})", end.at.time_since_epoch().count())
          << '\n';
  }
  file_.flush();
}

}  // namespace fixkeep::client_sim
