// SPDX-License-Identifier: MIT
// Decides for a C++20 game server which players may enter its room; needs OpenSSL, Boost.Beast.
//
// A Door admits a player if the token is for this room and has not expired (docs/api.md, "Seat
// tokens"), and if the worker then answers true. In any other case it refuses the player.
//
// Thread rule: any thread; admit and leave block until the worker answers.
// Bounds: 4096 letters of a token; five seconds and 4096 bytes of an answer.
// Errors: of_environment throws std::runtime_error if a variable is missing or has no key.
// Fault model: a player may send anything as a token, and a worker may not answer.
#pragma once

#include <array>
#include <map>
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

  // Makes the door of the room that the game's environment variables describe.
  [[nodiscard]] static Door of_environment();

  // Returns the player of the token. Nullopt: the game must refuse the player.
  [[nodiscard]] std::optional<std::string> admit(std::string_view token) const;

  // Gives the seat back.
  bool leave(std::string_view player) const;

  // Returns the player of a valid token for this room, without a question to the worker.
  [[nodiscard]] std::optional<std::string> player_of(std::string_view token) const;

  // Returns what a valid token for this room says about the seat, for example its "team".
  [[nodiscard]] std::map<std::string, std::string> facts_of(std::string_view token) const;

 private:
  struct Seat {
    std::string player;
    std::string facts;  // a JSON object; empty: none
  };
  [[nodiscard]] std::optional<Seat> read(std::string_view token) const;
  [[nodiscard]] bool ask(std::string_view what, std::string_view player) const;

  DoorOptions options_;
};

}  // namespace fixkeep::client
