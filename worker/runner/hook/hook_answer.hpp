// The commands of a hook answer in lines: where a room is, and which rooms there are.
//
// Thread rule: values and free functions. Bounds: those of the constants; what is longer is no
// answer. Errors: in words.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <variant>

#include "common/wire/room_place.hpp"

namespace fixkeep::worker {

inline constexpr std::size_t most_answer_bytes = 4U << 20U;  // 60 000 names of objects
inline constexpr std::size_t most_complaint_bytes = 512;

// It says how a command ended.
struct HookAnswer {
  std::string problem;  // empty: it exited with 0
  std::string output;   // its standard output, all of it
};

// "game.example.com 7777 query=7778": the host, the port that players are told, and others by name.
// The text says what is wrong with the line.
[[nodiscard]] std::variant<wire::RoomPlace, std::string> parse_place(std::string_view line);
// Such a line.
[[nodiscard]] std::string to_line(const wire::RoomPlace& place);

[[nodiscard]] std::string_view first_line(std::string_view text);
// The last line that is not empty, made harmless for a log.
[[nodiscard]] std::string last_line(std::string_view text);

// One name a line; a line that could be none of ours is left out.
[[nodiscard]] std::set<std::string, std::less<>> parse_names(std::string_view text);

}  // namespace fixkeep::worker
