// Why a probe has not succeeded and the sentence about it for a person.
// Thread rule: values and a free function. Bounds: most_ports_told; a text is cut. Errors: none.
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
    no_answer,      // no answer within the limit; for a line or a time: not yet
    not_expected,   // no answer was as expected; `text` describes them
    nobody,         // no process has the port
    elsewhere,      // the game has `ports` instead; `pid` has this one, if any process has
    taken,          // process `pid`, which is not of the game, has the port
    other_process,  // process `pid`, which is not of the game, answered
    not_accepted,   // the connection was established, but the game did not accept it
    closed,         // the acceptor closed the connection at once, without a word
    not_well,       // a command said so, or could not run; `text` says how it ended
    no_number,      // the answer is well, but has no number of players
    not_sent,       // our own side failed; `text` is the error
  };
  Kind kind = Kind::no_answer;
  std::int32_t pid = 0;  // 0: not known
  std::vector<std::uint16_t> ports;
  std::string text;

  friend bool operator==(const Failure&, const Failure&) = default;
};

// Describes the last of `tries` failed tries; 0: no try has ended. Example: "no answer on udp port
// 8303 (query) for 3 tries of 500 ms".
[[nodiscard]] std::string sentence(const Probe& probe, const Ports& ports, const Failure& failure,
                                   std::uint32_t tries);

}  // namespace fixkeep::probe
