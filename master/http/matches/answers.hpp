// The answers to calls about matches that were made elsewhere.
//
// Thread rule: free functions. Errors: none; docs/api.md lists the names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/auth/seat_token.hpp"
#include "common/net/http/server.hpp"
#include "common/wire/match.hpp"
#include "master/core/seam/events.hpp"

namespace fixkeep::master {

struct ReadyMatch {
  const std::string& id;
  std::string_view mode;
  const Seated& seated;
  const wire::MatchFacts& asked;             // the request has these facts
  const wire::MatchFacts* list;              // the room's list counts more; null: not known
  std::optional<auth::WallTime> expires_at;  // null: without seat tokens
};
[[nodiscard]] net::HttpAnswer match_ready(const ReadyMatch& match);  // 200
// Returns the answer if all players of the match have left.
[[nodiscard]] net::HttpAnswer match_without_players(const std::string& id, std::string_view mode);
// 202. `no_capacity`: the reason why no room starts; empty: none.
[[nodiscard]] net::HttpAnswer on_its_way(const std::string& id, std::string_view no_capacity);

// Adds the result to the answer. Null, or no JSON: leaves the answer as it is.
[[nodiscard]] net::HttpAnswer with_result(net::HttpAnswer answer, const wire::RoomResult* result);

[[nodiscard]] net::HttpAnswer wrong_match_id();
[[nodiscard]] net::HttpAnswer key_needed();
[[nodiscard]] net::HttpAnswer key_of_other_mode();
[[nodiscard]] net::HttpAnswer unknown_match();
[[nodiscard]] net::HttpAnswer match_differs(std::string_view members);
[[nodiscard]] net::HttpAnswer still_starting();
[[nodiscard]] net::HttpAnswer match_full();
[[nodiscard]] net::HttpAnswer match_too_large();
// `result`: null if none is known.
[[nodiscard]] net::HttpAnswer match_over(const wire::RoomResult* result);
[[nodiscard]] net::HttpAnswer too_many_matches();
[[nodiscard]] net::HttpAnswer room_out_of_sight();
[[nodiscard]] net::HttpAnswer room_failed(std::string_view type);

}  // namespace fixkeep::master
