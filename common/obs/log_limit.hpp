// Keeps one kind of log line from drowning the others. Code asks here before it logs what others
// can cause (a stranger that dials, a peer that is away, a game that writes).
//
//   if (const auto like_it = limit_.admit(peer, now)) {
//     obs::log_warning("link refused" + obs::more_like_it(*like_it), {{"peer", peer}});
//   }
//
// The first `burst` lines of a kind go out at once. Then the kind is silent until its interval is
// over. The next line has the number of those left out. summaries() has it for kinds without a next
// line. Each further interval is twice as long up to `longest_interval`. A kind without a line
// during a whole `longest_interval` begins anew. With burst 1 that is "first at once, then with
// growing intervals".
// Invariant: admitted lines + lines left out (reported by admit() and summaries() or still held)
// are the lines asked for.
// Thread rule: one owner. Reads no clock. Bounds: `kinds`; beyond it the kind with the oldest
// interval is forgotten and its count goes to the kind "others". Errors: none.
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

  // No value: the line is left out and counted. Else it may go out with the number of lines of its
  // kind that were left out since the last one.
  [[nodiscard]] std::optional<std::uint64_t> admit(std::string_view kind, TimePoint now);

  // Returns the numbers of lines left out for kinds with a finished interval. Each is returned
  // once. Kinds that have ended are forgotten. Call it now and then; once in an interval is enough.
  [[nodiscard]] std::vector<Summary> summaries(TimePoint now);

  // Makes the kind new: its next line goes out at once. For an ended state, such as the absence of
  // a peer. Its count is dropped.
  void forget(std::string_view kind) { kinds_.erase(std::string{kind}); }

 private:
  struct Kind {
    TimePoint since;  // start of the interval
    TimePoint asked;  // the last time
    Duration interval{};
    std::uint64_t lines = 0;     // lines of this interval that went out
    std::uint64_t left_out = 0;  // lines left out since the last line that went out
  };

  void begin_next(Kind& kind, TimePoint now) const;
  void make_room();

  LogLimitOptions options_;
  std::map<std::string, Kind, std::less<>> kinds_;
  std::uint64_t of_others_ = 0;
};

// "" for 0, else " (and 3 more like it)", to append to a message.
[[nodiscard]] std::string more_like_it(std::uint64_t left_out);

}  // namespace fixkeep::obs
