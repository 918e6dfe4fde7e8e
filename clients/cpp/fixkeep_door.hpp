// Lets players into a room: for a game server in C++20, over OpenSSL and Boost.Beast.
//
// A player is let in whose token is of this room and has not ended (docs/api.md, "Seat tokens"),
// and of whom the worker then says true. Whatever else happens is a no.
//
// Thread rule: any thread; admit and leave block for as long as the worker takes to answer.
// Bounds: 4096 letters of a token; five seconds and 4096 bytes of an answer.
// Errors: of_environment throws std::runtime_error where a variable is missing or is no key.
// Fault model: a player may show anything as a token, and a worker may say nothing.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace fixkeep::client {

struct DoorOptions {
  std::string room;                        // FIXKEEP_ROOM_ID
  std::array<unsigned char, 32> key = {};  // FIXKEEP_SEAT_KEY
  std::string sdk_port;                    // AGONES_SDK_HTTP_PORT
  std::string sdk_token;                   // FIXKEEP_SDK_TOKEN
};

class Door {
 public:
  explicit Door(DoorOptions options) : options_(std::move(options)) {}

  // With what the worker has put into the environment of the game.
  [[nodiscard]] static Door of_environment();

  // The player who has shown the token; none if it is to be refused.
  [[nodiscard]] std::optional<std::string> admit(std::string_view token) const;

  // Gives the seat back.
  bool leave(std::string_view player) const;

  // To whom this room's token was given. The worker is not asked.
  [[nodiscard]] std::optional<std::string> player_of(std::string_view token) const;

 private:
  [[nodiscard]] bool ask(std::string_view what, std::string_view player) const;

  DoorOptions options_;
};

}  // namespace fixkeep::client
