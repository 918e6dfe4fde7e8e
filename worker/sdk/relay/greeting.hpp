// The greeting is the first bytes of a connection from the relay beside a game (relay.hpp) to the
// worker: room, transport and the room's token. The bytes of the game's connection follow.
//
// The greeting has a fixed length, so its reader never reads a byte that the game has sent. The
// alternative is a token in the headers of the game's calls, but the relay would then have to parse
// HTTP/1 and HTTP/2.
//
// Thread rule: values and free functions. Bounds: `greeting_bytes`. Errors: malformed bytes give
// nullopt.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace fixkeep::worker {

inline constexpr std::size_t greeting_bytes = 512;

struct Greeting {
  std::string transport;  // a name in transports.hpp
  std::string room;
  std::string token;

  friend bool operator==(const Greeting&, const Greeting&) = default;
};

// REQUIRES: all words consist of visible characters and fit.
[[nodiscard]] std::string to_text(const Greeting& greeting);
[[nodiscard]] std::optional<Greeting> parse_greeting(std::string_view bytes);

}  // namespace fixkeep::worker
