// Describes why a probe has not succeeded, as a value and as a sentence for people.
// Thread rule: values and a free function. Bounds: at most `most_ports_told` ports; a longer text
// is cut. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "worker/probe/core/probe_options.hpp"

namespace fixkeep::probe {

inline constexpr std::size_t most_ports_told = 4;

struct Failure {
  enum class Kind : std::uint8_t {
    no_answer,      // no answer within the limit, no line yet, or not enough time since the start
    not_expected,   // no answer was as expected; `text` describes the last
    nobody,         // no process owns the port
    elsewhere,      // the game owns `ports` instead; `pid` owns this port, if any process does
    taken,          // process `pid`, not of the game, owns the port
    other_process,  // process `pid`, not of the game, answered
    not_accepted,   // the connection was established, but the game did not accept it
    closed,         // the acceptor closed the connection immediately, without data
    not_well,       // a command failed or could not run; `text` describes its end
    no_number,      // the answer is as expected, but has no number of players
    not_sent,       // the worker could not send; `text` is the error
  };
  Kind kind = Kind::no_answer;
  std::int32_t pid = 0;  // 0: not known
  std::vector<std::uint16_t> ports;
  std::string text;

  friend bool operator==(const Failure&, const Failure&) = default;
};

// Describes the last failure of `tries` failed tries; 0: no try has ended. Example: "no answer on
// udp port 8303 (query) for 3 tries of 500 ms".
[[nodiscard]] std::string sentence(const Probe& probe, const Ports& ports, const Failure& failure,
                                   std::uint32_t tries);

}  // namespace fixkeep::probe
