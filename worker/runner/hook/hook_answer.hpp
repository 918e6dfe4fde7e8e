// Reads the output lines of hook commands: the place of a room and the list of rooms.
//
// Thread rule: values and free functions. Bounds: see the constants. A longer text is not accepted
// as an answer. Errors: described in words.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <variant>

#include "common/wire/room_place.hpp"

namespace fixkeep::worker {

inline constexpr std::size_t most_answer_bytes = 4U << 20U;  // enough for 60 000 names of objects
inline constexpr std::size_t most_complaint_bytes = 512;

// The result of a command.
struct HookAnswer {
  std::string problem;  // empty: exit code 0
  std::string output;   // the whole standard output of the command
};

// Reads "game.example.com 7777 query=7778": the host, the port for players and other ports by
// name. A returned text names the mistake in the line.
[[nodiscard]] std::variant<wire::RoomPlace, std::string> parse_place(std::string_view line);
// Writes the place in the form that parse_place() reads.
[[nodiscard]] std::string to_line(const wire::RoomPlace& place);

[[nodiscard]] std::string_view first_line(std::string_view text);
// Returns the last non-empty line, made harmless for a log.
[[nodiscard]] std::string last_line(std::string_view text);

// Reads one name a line. Skips lines that cannot be ours.
[[nodiscard]] std::set<std::string, std::less<>> parse_names(std::string_view text);

}  // namespace fixkeep::worker
