// The body of POST /v1/match: from JSON to a claim with its group, and from a seat to JSON.
//
// Thread rule: free functions and values. Errors: a MatchProblem with a stable type and a text that
// names every wrong field. Bounds: wire::limits and attribute_bytes.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/ids.hpp"
#include "common/wire/messages.hpp"
#include "master/http/identity/caller.hpp"
#include "master/rules/mode.hpp"

namespace fixkeep::master {

struct MatchBody {
  wire::Claim claim;  // invited players are missing
  std::vector<std::string> invitations;
  const Mode* mode = nullptr;
  GroupKey group;                                // code or room included, bands not
  std::string create;                            // word that makes a code; empty: none is made
  std::string code;                              // code that was shown or made; empty: none
  std::optional<RoomId> room;                    // the only room that is accepted
  std::shared_ptr<const plan::Rules> rules;      // null: the players of the group are all equal
  plan::Brings brings;                           // the asking player's, if there are rules
  std::map<PlayerId, std::uint8_t> party_roles;  // roles of the named party members
  std::vector<PlayerId> avoid;
  std::chrono::milliseconds wait{0};

  [[nodiscard]] bool has_code() const { return !create.empty() || !code.empty(); }
};

struct MatchProblem {
  std::string_view type;   // "invalid-json", "invalid-request", "unknown-mode"; of what its
                           // caller may not: "other-player", "mode-forbidden"; a literal
  std::string_view title;  // a literal
  std::string detail;
  unsigned status = 400;
};

// The longest wait of a request for the mode, and its wait without wait_ms. `configured` is for
// modes without rules. Rules have their own.
[[nodiscard]] std::chrono::milliseconds longest_wait_of(const Mode& mode,
                                                        std::chrono::milliseconds configured);

// `caller` limits the players that may be named. A player with a token need not name itself.
[[nodiscard]] std::variant<MatchBody, MatchProblem> parse_match_body(
    std::string_view body, const std::vector<Mode>& modes,
    std::chrono::milliseconds configured_wait, const Caller& caller = {});

struct PlayerSeat {
  const PlayerId* player = nullptr;
  std::string token;
};

struct MatchAnswer {
  std::string_view ticket;
  std::string_view room;
  std::string_view group;
  const wire::RoomPlace* place = nullptr;
  std::string_view expires_at;
  const std::vector<PlayerSeat>* seats = nullptr;  // the player who asked first, then the party
  std::string_view code{};                         // empty: the room has none
};

[[nodiscard]] std::string to_json(const MatchAnswer& answer);

}  // namespace fixkeep::master
