#include "client-sim/game/session.hpp"

#include <algorithm>

namespace fixkeep::game {

std::optional<std::string> LineReader::next() {
  const auto end = waiting_.find('\n');
  if (end > line_bytes) return std::nullopt;  // also true for npos: the line is not complete
  std::string line = waiting_.substr(0, end);
  waiting_.erase(0, end + 1);
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

JoinVerdict judge_join(std::string_view line, const auth::Key& key, std::string_view room,
                       auth::WallTime now) {
  constexpr std::string_view verb = "JOIN ";
  if (!line.starts_with(verb)) return {.player = {}, .refusal = refusal::malformed};
  const auto claims = auth::verify_seat(key, room, line.substr(verb.size()), now);
  if (claims) {
    // Our answer repeats the player's name, so the name must not contain an end of line.
    const auto& name = claims->player.text();
    const bool printable = std::none_of(
        name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
    if (!printable || name.empty()) return {.player = {}, .refusal = refusal::malformed};
    return {.player = claims->player, .refusal = {}};
  }
  if (claims.error() == Errc::token_expired) {
    return {.player = {}, .refusal = refusal::token_expired};
  }
  if (claims.error() == Errc::token_malformed) {
    return {.player = {}, .refusal = refusal::malformed};
  }
  return {.player = {}, .refusal = refusal::token_forged};
}

}  // namespace fixkeep::game
