// The commands of fixkeep-relay, one JSON object on each line:
//
//   {"do":"open","wire":"m2-m1","listen":10300,"target":10001,
//    "delay_ms":20,"jitter_ms":0,"loss_percent":0}    a new wire between two ports of 127.0.0.1
//   {"do":"change","wire":"m2-m1","delay_ms":80}      a missing member means no change
//   {"do":"change","wire":"m2-m1","cut":"out"}        no byte of m2 reaches m1; "in": none of m1
//                                                     reaches m2; "none": waiting bytes arrive
//   {"do":"quit"}                                     the end of the input does the same
//
// Delays are one-way and may be fractions. jitter_ms and loss_percent are 0 by default.
// Thread rule: free functions and values. Errors: a Mistake in words for people. Sans-IO.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "lab/relay/core/schedule.hpp"

namespace fixkeep::relay {

inline constexpr double most_delay_ms = 10'000;
inline constexpr double most_loss_percent = 90;

struct OpenWire {
  std::string wire;
  std::uint16_t listen = 0;
  std::uint16_t target = 0;
  Conditions conditions;
};

struct ChangeWire {
  std::string wire;
  std::optional<Duration> delay;
  std::optional<Duration> jitter;
  std::optional<double> loss;
  std::optional<Cut> cut;

  void apply(Conditions& conditions) const;
};

struct Quit {};

struct Mistake {
  std::string text;
};

using Command = std::variant<OpenWire, ChangeWire, Quit, Mistake>;

[[nodiscard]] Command parse_command(std::string_view line);

}  // namespace fixkeep::relay
