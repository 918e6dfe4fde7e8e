// The texts that players of a claim bring become members of a ticket and texts of their seats.
//
// Thread rule: free functions. Bounds: wire::limits::party members. Errors: as below.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/wire/rooms.hpp"
#include "master/rules/plan/brings.hpp"
#include "master/rules/plan/ticket.hpp"

namespace fixkeep::master {

// `brings`: what the player does. False: a member brings nothing that these rules know.
[[nodiscard]] bool add_members(const wire::Claim& claim, const plan::Brings& brings,
                               const plan::Rules& rules, plan::Ticket& ticket);

// Turns the text of a waiting claim into the text of a seat. A seat's text has no latencies of
// regions: the room has its place. `heeds`: the players to avoid count. A text unknown to these
// rules stays as it is.
[[nodiscard]] std::string seat_text(const std::string& text, const plan::Rules& rules,
                                    std::optional<std::uint32_t> team, bool heeds);

}  // namespace fixkeep::master
