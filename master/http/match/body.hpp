// Reads the JSON body of POST /v1/match into a claim with its group, and writes a seat as JSON.
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
  wire::Claim claim;  // the claim, still without the invited players
  std::vector<std::string> invitations;
  const Mode* mode = nullptr;
  GroupKey group;                                // has no bands if the request has a code or a room
  std::string create;                            // word for a new code; empty: no new code
  std::string code;                              // code from the request or new; empty: none
  std::optional<RoomId> room;                    // the only accepted room
  std::shared_ptr<const plan::Rules> rules;      // null: all players of the group are equal
  plan::Brings brings;                           // of the requesting player, if there are rules
  std::map<PlayerId, std::uint8_t> party_roles;  // roles of the named members
  std::vector<PlayerId> avoid;
  std::chrono::milliseconds wait{0};
  std::string ticket;                // text of a ticket instead of all other members; empty: none
  std::chrono::milliseconds age{0};  // the players' wait so far, according to the ticket

  [[nodiscard]] bool has_code() const { return !create.empty() || !code.empty(); }
};

struct MatchProblem {
  // A literal: "invalid-json", "invalid-request" or "unknown-mode". If the caller lacks permission:
  // "other-player" or "mode-forbidden".
  std::string_view type;
  std::string_view title;  // literal
  std::string detail;
  unsigned status = 400;
};

// Returns the longest wait of a request for the mode. A request without wait_ms waits for this
// time. `configured`: used for modes without rules, because rules contain their own wait.
[[nodiscard]] std::chrono::milliseconds longest_wait_of(const Mode& mode,
                                                        std::chrono::milliseconds configured);

// Reads the body. `caller` limits which players the request may name. A player with a token need
// not name itself.
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
  const std::vector<PlayerSeat>* seats = nullptr;  // the requesting player first, then the party
  std::string_view code{};                         // empty: no code
  std::string_view team{};                         // empty: none, or unknown
};

// Appends the members "address", "port" and "ports", and "url" if the room has a port for TLS.
void append_place(const wire::RoomPlace& place, std::string& out);
[[nodiscard]] std::string to_json(const MatchAnswer& answer);

}  // namespace fixkeep::master
