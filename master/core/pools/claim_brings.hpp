// Converts the texts of a claim's players: makes members of a ticket, or texts for seats.
//
// Thread rule: free functions. Bounds: wire::limits::party members. Errors: see each function.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/wire/rooms.hpp"
#include "master/rules/plan/brings.hpp"
#include "master/rules/plan/ticket.hpp"

namespace fixkeep::master {

// Adds the claim's players to the ticket. `brings`: the requesting player's values. Returns
// false if the rules cannot read a member's text.
[[nodiscard]] bool add_members(const wire::Claim& claim, const plan::Brings& brings,
                               const plan::Rules& rules, plan::Ticket& ticket);

// Turns the text of a waiting claim into the text of a seat. A seat's text has no latencies to
// regions, because the room has a place. If `heeds` is true, the text keeps the players to avoid. A
// text that the rules cannot read is returned unchanged.
[[nodiscard]] std::string seat_text(const std::string& text, const plan::Rules& rules,
                                    std::optional<std::uint32_t> team, bool heeds);

}  // namespace fixkeep::master
