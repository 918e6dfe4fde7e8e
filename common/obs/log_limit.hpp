// Prevents frequent log lines of one kind from hiding lines of other kinds. Call admit() before you
// log an event that other programs can cause (a stranger dials, a peer is absent, a game writes).
//
//   if (const auto like_it = limit_.admit(peer, now)) {
//     obs::log_warning("link refused" + obs::more_like_it(*like_it), {{"peer", peer}});
//   }
//
// The first `burst` lines of a kind are logged immediately. Then lines of the kind are omitted
// until its interval ends. The kind's next line reports the number of omitted lines; if no further
// line follows, summaries() reports it. Each further interval is twice as long, up to
// `longest_interval`. After a `longest_interval` without a line, the kind starts again with the
// first interval. With burst 1, the first line is immediate, and the next lines follow at growing
// intervals. Invariant: admitted lines + omitted lines (reported by admit() and summaries(), or not
// yet reported) = calls of admit(). Thread rule: one owner. Reads no clock. Bounds: at most `kinds`
// kinds; a new kind above this number replaces the kind with the oldest interval. The replaced
// kind's count is added to the kind "others". Errors: none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/time.hpp"

namespace fixkeep::obs {

struct LogLimitOptions {
  std::uint32_t burst = 5;  // lines of a kind per interval, at least 1
  Duration interval = std::chrono::seconds{1};
  Duration longest_interval = std::chrono::seconds{1};  // if equal to `interval`: no growth
  std::size_t kinds = 256;                              // most kinds in memory, at least 1
};

class LogLimit {
 public:
  struct Summary {
    std::string kind;
    std::uint64_t left_out = 0;

    friend bool operator==(const Summary&, const Summary&) = default;
  };

  explicit LogLimit(LogLimitOptions options = {}) : options_(options) {}

  // Decides whether a line of this kind is logged. No value: omit the line; admit() has counted it.
  // Otherwise log the line. The returned number says how many lines of the kind were omitted since
  // the last logged line.
  [[nodiscard]] std::optional<std::uint64_t> admit(std::string_view kind, TimePoint now);

  // Returns, for each kind with a finished interval, the number of omitted lines that were not
  // reported before. Forgets a kind if it has no count to report and admit() was not called for it
  // during the last `longest_interval`. Call it about one time per interval.
  [[nodiscard]] std::vector<Summary> summaries(TimePoint now);

  // Forgets the kind and its count: its next line is logged immediately. Call it when a state ends,
  // for example the absence of a peer.
  void forget(std::string_view kind) { kinds_.erase(std::string{kind}); }

 private:
  struct Kind {
    TimePoint since;  // start of the interval
    TimePoint asked;  // time of the last call
    Duration interval{};
    std::uint64_t lines = 0;     // logged lines of this interval
    std::uint64_t left_out = 0;  // omitted lines since the last logged line
  };

  void begin_next(Kind& kind, TimePoint now) const;
  void make_room();

  LogLimitOptions options_;
  std::map<std::string, Kind, std::less<>> kinds_;
  std::uint64_t of_others_ = 0;
};

// Text to append to a message: "" for 0, otherwise " (and 3 more like it)".
[[nodiscard]] std::string more_like_it(std::uint64_t left_out);

}  // namespace fixkeep::obs
