// A Schedule delays the bytes in one direction of a connection, to simulate a distance between its
// ends.
//
// The model of a TCP stream over a long line:
// - Delay: bytes leave after the time `delay` plus a random time that is uniform in ±`jitter`. The
//   stream is in order: bytes never overtake earlier bytes. No byte leaves before it has arrived.
// - Loss: TCP hides a loss. Its users see only that the stream stops until a retransmission
//   arrives. Each segment of 1460 bytes is lost with the probability `loss`. The bytes of a lost
//   segment and all later bytes then wait longer, by max(200 ms, one round trip). A retransmission
//   may be lost too. Each further wait is twice the previous wait (RFC 6298 section 5.5). 200 ms is
//   Linux's least retransmission time-out; RFC 6298 recommends a second. A busy stream would detect
//   a loss earlier, after about a round trip (RFC 8985 RACK-TLP). We do not model this, because
//   most messages of a lock travel alone.
// - Opening: a connection is open after three one-way delays (SYN, SYN-ACK, ACK).
// - Cut: while a direction is cut, its bytes and its end wait: TCP retransmits unanswered.
// Not modelled: bandwidth, slow start, effects of other streams.
//
// Invariants: 1. bytes leave unchanged, in the order of arrival, each one time.
//             2. no byte leaves before an earlier byte.
//             3. the end of the stream leaves last and nothing arrives after it.
// Bounds: full() is true while at least `capacity` bytes are scheduled; a driver then stops
// reading, as with a full TCP window.
// A line carries at most capacity/delay: 4 MiB at 80 ms are 52 MB/s.
// Thread rule: a value with one owner. Errors: none. Sans-IO: the driver passes the time.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/random.hpp"
#include "common/base/time.hpp"

namespace fixkeep::relay {

// Directions as seen from the side that dialled the wire.
enum class Cut : std::uint8_t { none, out, in };

struct Conditions {
  Duration delay{0};   // one-way delay
  Duration jitter{0};  // largest deviation from `delay`, either way
  double loss = 0;     // probability of a segment's loss, in [0, 1)
  Cut cut = Cut::none;

  friend bool operator==(const Conditions&, const Conditions&) = default;
};

// The time from connect() until the other side has the connection.
[[nodiscard]] Duration opening_time(const Conditions& conditions);

enum class Ending : std::uint8_t {
  finished,  // no more bytes in this direction
  reset,     // the connection is broken in both directions
};

// The bytes that leave at the same time. With `ending`, the stream ends after these bytes.
struct Departure {
  std::string bytes;
  std::optional<Ending> ending;
};

class Schedule {
 public:
  static constexpr std::size_t capacity = 4U << 20U;

  // `cut`: the value of Conditions::cut that cuts this direction.
  Schedule(const Conditions& conditions, Random random, Cut cut = Cut::out)
      : conditions_(conditions), random_(random), cut_(cut) {}

  // The new conditions apply to later bytes. Bytes already scheduled arrive as planned, unless this
  // direction is cut.
  void change(const Conditions& conditions) { conditions_ = conditions; }

  // Schedules new bytes. Bytes after the end are ignored. REQUIRES: times never decrease.
  void arrive(TimePoint now, std::string_view bytes);
  // Schedules the end of the stream. Only the first end counts, but a reset replaces a regular end.
  void end(TimePoint now, Ending ending);

  [[nodiscard]] bool full() const { return waiting_bytes_ >= capacity; }
  // The time of the next departure; no value if nothing waits, or the
  // direction is cut.
  [[nodiscard]] std::optional<TimePoint> next() const;
  // Removes and returns everything that leaves at `now` or earlier.
  [[nodiscard]] Departure take(TimePoint now);

 private:
  struct Waiting {
    TimePoint due;
    std::string bytes;
    std::optional<Ending> ending;
  };

  // The departure time of new bytes if no earlier bytes waited. take() keeps the order: bytes never
  // leave before earlier bytes, even if the earlier bytes are lost or delayed.
  [[nodiscard]] TimePoint due(TimePoint now, std::size_t bytes);
  [[nodiscard]] Duration stall(std::size_t bytes);

  Conditions conditions_;
  Random random_;
  Cut cut_;
  std::deque<Waiting> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::optional<Ending> ending_;
};

}  // namespace fixkeep::relay
