// A Session reads the lines of a player's connection. It gets bytes, returns verdicts and uses no
// sockets.
//
//   JOIN <seat token>   →  WELCOME <player> <room>   or   REFUSED <reason>, then the end
//   PING                →  PONG, if the player is inside; every other line gets no answer
//
// Thread rule: values. Bounds: line_bytes a line. Errors: the reasons below.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "common/auth/seat_token.hpp"

namespace fixkeep::game {

// Longer than any token of ours: room, player and expiry have about 300 bytes, and base64 adds a
// third.
inline constexpr std::size_t line_bytes = 4096;

namespace refusal {
inline constexpr std::string_view malformed = "malformed";          // no JOIN, or no token
inline constexpr std::string_view token_expired = "token_expired";  // was valid earlier
inline constexpr std::string_view token_forged = "token_forged";    // signature of another room
inline constexpr std::string_view no_seat = "no_seat";  // the worker has no seat for the player
inline constexpr std::string_view full = "full";        // no more connections or players
}  // namespace refusal

// Cuts a stream into lines. A line may end with "\n" or "\r\n".
class LineReader {
 public:
  void add(std::string_view bytes) { waiting_ += bytes; }
  [[nodiscard]] std::optional<std::string> next();
  // True if the line without an end is already longer than line_bytes.
  [[nodiscard]] bool too_long() const { return waiting_.size() > line_bytes; }

 private:
  std::string waiting_;
};

struct JoinVerdict {
  PlayerId player;           // the player in the token, if the token is good
  std::string_view refusal;  // empty: the token is good; ask the worker next
};

[[nodiscard]] JoinVerdict judge_join(std::string_view line, const auth::Key& key,
                                     std::string_view room, auth::WallTime now);

}  // namespace fixkeep::game
