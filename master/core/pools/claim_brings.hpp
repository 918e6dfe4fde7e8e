// Converts the texts that a claim's players bring (plan/brings.hpp) into members of a ticket, texts
// for seats, and the facts that a game learns about the players.
//
// Thread rule: free functions. Bounds: wire::limits::party members. Errors: see each function.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/wire/rooms.hpp"
#include "master/rules/plan/brings.hpp"
#include "master/rules/plan/ticket.hpp"

namespace fixkeep::master {

// Adds the claim's players to the ticket. `brings`: the requesting player's values. Returns
// false if the rules cannot read a member's text.
[[nodiscard]] bool add_members(const wire::Claim& claim, const plan::Brings& brings,
                               const plan::Rules& rules, plan::Ticket& ticket);

// Turns the text of a waiting claim into the text of a seat. A seat's text has no latencies to
// regions, because the region of its room is chosen. If `heeds` is true, the text keeps the list of
// players to avoid. A text that the rules cannot read is returned unchanged.
[[nodiscard]] std::string seat_text(const std::string& text, const plan::Rules& rules,
                                    std::optional<std::uint32_t> team, bool heeds);

// Returns the facts that the game learns about each player of a claim with the texts of seats.
// These are the team (from "1", if the rules have teams), and a JSON object with the numbers and
// the roles that the player can play. A player whose text the rules cannot read is left out.
[[nodiscard]] std::vector<wire::MatchPlayer> lineup_of(const wire::Claim& claim,
                                                       const plan::Rules& rules);

}  // namespace fixkeep::master
