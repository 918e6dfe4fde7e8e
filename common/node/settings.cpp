#include "common/node/settings.hpp"

namespace fixkeep {

void describe_events(config::Fields& fields, std::size_t& kept) {
  const auto in_events = fields.section(
      "events", "The node's events, at GET /v1/events: for benchmarks and to examine a match.");
  fields.whole("keep", kept, {0, 1'000'000},
               "Number of events that the node keeps, at 200 bytes each. Older events are "
               "lost. 0: no events.");
}

void describe_log(config::Fields& fields, obs::LogOptions& log) {
  const auto in_log = fields.section("log",
                                     "The log. SIGHUP applies new values of level and file. "
                                     "SIGUSR1 raises the level by one step.");
  using enum obs::LogLevel;
  fields.choice("level", log.level, {debug, info, warning, error},
                "The lowest level that is written.");
  fields.choice("format", log.format, {obs::LogFormat::text, obs::LogFormat::json},
                "Text for people, or one JSON object per line for machines.");
  fields.path("file", log.file,
              "The file to which lines are appended. SIGHUP reopens the file. Empty: "
              "standard error.");
}

}  // namespace fixkeep
