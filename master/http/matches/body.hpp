// Reads the bodies of PUT /v1/matches/{match_id} and POST …/players.
//
// Thread rule: free functions and values. Bounds: wire::limits; the body. Errors: a MatchProblem
// with a stable type and a text that names every wrong field.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/wire/match.hpp"
#include "master/http/match/body.hpp"
#include "master/rules/mode.hpp"

namespace fixkeep::master {

struct MatchOrder {
  const Mode* mode = nullptr;  // null in a list of players that join
  wire::MatchFacts facts;
  std::optional<std::chrono::milliseconds> wait;  // null: the longest wait
};

// Returns the match id in the path. Nullopt: the id is not valid.
[[nodiscard]] std::optional<std::string> match_id_in(std::string_view encoded);

[[nodiscard]] std::variant<MatchOrder, MatchProblem> parse_match_order(
    std::string_view body, const std::vector<Mode>& modes, std::chrono::milliseconds longest_wait);

// Reads players that join a match. `longest_wait`: the limit of wait_ms.
[[nodiscard]] std::variant<MatchOrder, MatchProblem> parse_joining_players(
    std::string_view body, std::chrono::milliseconds longest_wait);

// Returns the names of the members in which the two bodies differ: "mode, metadata".
[[nodiscard]] std::string differences(const wire::MatchFacts& one, const wire::MatchFacts& other);

}  // namespace fixkeep::master
