// Keeps one kind of log line from drowning the others: code that logs what others can cause (a
// stranger that dials, a peer that is away, a game that writes) asks here first.
//
//   if (const auto like_it = limit_.admit(peer, now)) {
//     obs::log_warning("link refused" + obs::more_like_it(*like_it), {{"peer", peer}});
//   }
//
// The first `burst` lines of a kind go out at once; then the kind is silent until its interval is
// over. The next line that goes out says how many were left out, and summaries() says it for kinds
// of which no next line came. The next interval of a kind that goes on is twice as long, up to
// `longest_interval`; a kind that nobody asked for during a whole `longest_interval` begins anew.
// With burst 1 that is "first at once, then with growing intervals".
// Invariant: lines admitted + lines that admit() and summaries() told as left out, or still hold,
// are the lines asked for.
// Thread rule: one owner. Reads no clock. Bounds: `kinds` of kinds; when there are more, the kind
// whose interval began first is forgotten, and what it held is told as of the kind "others".
// Errors: none.
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
  Duration longest_interval = std::chrono::seconds{1};  // equal to interval: it does not grow
  std::size_t kinds = 256;                              // remembered at once, at least 1
};

class LogLimit {
 public:
  struct Summary {
    std::string kind;
    std::uint64_t left_out = 0;

    friend bool operator==(const Summary&, const Summary&) = default;
  };

  explicit LogLimit(LogLimitOptions options = {}) : options_(options) {}

  // Nothing: the line is left out, and counted. Else it may go out, and the number is how many of
  // its kind were left out since the last one.
  [[nodiscard]] std::optional<std::uint64_t> admit(std::string_view kind, TimePoint now);

  // Returns how many lines were left out of kinds whose interval is over, each told once. Kinds
  // that have ended are forgotten. Call it now and then; once in an interval is enough.
  [[nodiscard]] std::vector<Summary> summaries(TimePoint now);

  // The kind is as if it were new: its next line goes out at once. For a state that has ended, such
  // as a peer that was away and is back. What it held is not told.
  void forget(std::string_view kind) { kinds_.erase(std::string{kind}); }

 private:
  struct Kind {
    TimePoint since;  // when the interval began
    TimePoint asked;  // the last time
    Duration interval{};
    std::uint64_t lines = 0;     // of this interval that went out
    std::uint64_t left_out = 0;  // since the last line that went out
  };

  void begin_next(Kind& kind, TimePoint now) const;
  void make_room();

  LogLimitOptions options_;
  std::map<std::string, Kind, std::less<>> kinds_;
  std::uint64_t of_others_ = 0;
};

// "" for 0, else " (and 3 more like it)", to be put behind a message.
[[nodiscard]] std::string more_like_it(std::uint64_t left_out);

}  // namespace fixkeep::obs
