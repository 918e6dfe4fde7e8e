// Why a probe has not succeeded, and the sentence that a person reads about it.
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
    no_answer,      // within the limit; of a line or a time: not yet
    not_expected,   // there were answers, and none as it should be; `text` says how they were
    nobody,         // nothing of the game has the port, and nobody else has it
    elsewhere,      // the game has `ports` instead; this one is that of `pid`, if of anybody
    taken,          // the port is that of process `pid`, which is not of the game
    other_process,  // there was an answer, from process `pid`, which is not of the game
    not_accepted,   // the connection was established, but the game did not accept it
    closed,         // the connection was closed at once, without a word, by whoever accepted it
    not_well,       // a command has run and said so, or could not run; `text` says how it ended
    no_number,      // the answer is well, but the number of players is not in it
    not_sent,       // our own side failed; `text` is the error
  };
  Kind kind = Kind::no_answer;
  std::int32_t pid = 0;  // 0: it is not known
  std::vector<std::uint16_t> ports;
  std::string text;

  friend bool operator==(const Failure&, const Failure&) = default;
};

// Tells of the last of `tries` that all failed; 0: none has ended. For example "no answer on udp
// port 8303 (query) for 3 tries of 500 ms".
[[nodiscard]] std::string sentence(const Probe& probe, const Ports& ports, const Failure& failure,
                                   std::uint32_t tries);

}  // namespace fixkeep::probe
