// The first bytes of a connection that the relay beside a game (relay.hpp) brings to the worker:
// room, transport and the room's token. The game's connection follows byte by byte.
//
// They have a fixed length, so their reader takes no byte that follows. Rejected: a token in the
// headers of the game's own calls. The relay would have to speak HTTP/1 and HTTP/2.
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
  std::string transport;  // name in transports.hpp
  std::string room;
  std::string token;

  friend bool operator==(const Greeting&, const Greeting&) = default;
};

// REQUIRES: its words are of visible characters and fit.
[[nodiscard]] std::string to_text(const Greeting& greeting);
[[nodiscard]] std::optional<Greeting> parse_greeting(std::string_view bytes);

}  // namespace fixkeep::worker
