// A Schedule delays the bytes of one direction of a connection. Its ends seem far apart.
//
// The model of a TCP stream over a long line:
// - Delay: bytes leave `delay` after they arrived, plus a part that is uniform in ±`jitter`. A
//   stream is in order: bytes never overtake bytes that arrived before them. No byte leaves before
//   it has arrived.
// - Loss: TCP hides it: its users only see the stream stand still until a retransmission arrives.
//   Each segment of 1460 bytes is lost with the probability `loss`. Bytes that arrived with it or
//   after it wait for another max(200 ms, one round trip). A retransmission may be lost as well.
//   Each further wait is twice the one before (RFC 6298 section 5.5). 200 ms is the least
//   retransmission time-out of Linux but RFC 6298 recommends a second. A busy stream would learn of
//   a loss earlier: about a round trip after it (RFC 8985 RACK-TLP). Messages of a lock are mostly
//   alone on their line. We model those.
// - Opening: a connection is there after three crossings of the line (SYN, SYN-ACK, ACK).
// Not modelled: bandwidth, slow start, effects of other streams.
//
// Invariants: 1. bytes leave unchanged, in the order of arrival and each once.
//             2. no byte leaves before an earlier one.
//             3. the end of the stream leaves last and nothing arrives after it.
// Bounds: `full()` from `capacity` bytes on; a driver then stops reading as a full window would.
// A line carries at most capacity/delay: 4 MiB at 80 ms are 52 MB/s.
// Thread rule: a value with one owner. Errors: none. Sans-IO: the driver says what time it is.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/random.hpp"
#include "common/base/time.hpp"

namespace fixkeep::relay {

struct Conditions {
  Duration delay{0};   // one-way delay
  Duration jitter{0};  // largest deviation from `delay`, either way
  double loss = 0;     // the probability that a segment is lost, in [0, 1)

  friend bool operator==(const Conditions&, const Conditions&) = default;
};

// The time between a connect() and the moment at which the other side has the connection.
[[nodiscard]] Duration opening_time(const Conditions& conditions);

enum class Ending : std::uint8_t {
  finished,  // no more bytes in this direction
  reset,     // the connection is gone, in both directions
};

// A departure leaves at one time: bytes, then perhaps the end.
struct Departure {
  std::string bytes;
  std::optional<Ending> ending;
};

class Schedule {
 public:
  static constexpr std::size_t capacity = 4U << 20U;

  Schedule(const Conditions& conditions, Random random)
      : conditions_(conditions), random_(random) {}

  // The conditions hold for later bytes. Bytes that are under way arrive as planned.
  void change(const Conditions& conditions) { conditions_ = conditions; }

  // REQUIRES: times never decrease. Ignored after the end.
  void arrive(TimePoint now, std::string_view bytes);
  // The first end counts but a reset replaces a stream's regular end.
  void end(TimePoint now, Ending ending);

  [[nodiscard]] bool full() const { return waiting_bytes_ >= capacity; }
  // When the next bytes or the end leave; no value: not before something arrives.
  [[nodiscard]] std::optional<TimePoint> next() const;
  // Everything that leaves by `now`.
  [[nodiscard]] Departure take(TimePoint now);

 private:
  struct Waiting {
    TimePoint due;
    std::string bytes;
    std::optional<Ending> ending;
  };

  // Bytes that were lost or delayed are in front of later ones. Those cannot leave before them.
  [[nodiscard]] TimePoint due(TimePoint now, std::size_t bytes);
  [[nodiscard]] Duration stall(std::size_t bytes);

  Conditions conditions_;
  Random random_;
  std::deque<Waiting> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::optional<Ending> ending_;
};

}  // namespace fixkeep::relay
