// A decision gives seats to tickets, and names the reasons why other tickets still wait.
//
// A decision *passes over* a waiting ticket if the ticket could replace a younger ticket of equally
// many players in an order. A ticket that was passed over Rules::passes times precedes all younger
// tickets, even if these fit better. `passed` names every ticket that was passed over, and perhaps
// others.
//
// Thread rule: values. Bounds: a ticket appears once in fills, orders and refused together, and
// once in each other list. Errors: `refused`.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"

namespace fixkeep::master::plan {

struct Fill {
  TicketId ticket;
  std::uint64_t room = 0;  // Room::id
  std::uint32_t team = 0;

  friend bool operator==(const Fill&, const Fill&) = default;
};

struct Placed {
  TicketId ticket;
  std::uint32_t team = 0;

  friend bool operator==(const Placed&, const Placed&) = default;
};

// A new room for Decision::placed[first, first + count).
struct Order {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t players = 0;
  std::uint8_t region = 0;  // index into LatencyRule::regions; 0 without the rule

  friend bool operator==(const Order&, const Order&) = default;
};

// Why a ticket still waits or is refused.
enum class Why : std::uint8_t {
  too_few,          // not enough players within the ticket's limits
  no_arrangement,   // enough players, but no whole teams, roles or sizes
  party_too_large,  // refused: too large for a team or the mode
  no_region,        // refused: no region within the last limit
  no_role,          // refused: a member plays no role of the mode
};

// Returns the name of the reason, for example "too-few".
[[nodiscard]] std::string_view to_string(Why why);

struct Reason {
  TicketId ticket;
  Why why = Why::too_few;
  std::optional<TimePoint> again;  // next time when one of its limits widens

  friend bool operator==(const Reason&, const Reason&) = default;
};

// Names the oldest ticket for which a plan has not searched for a room yet (planner.hpp, step 3).
struct Cursor {
  TimePoint since;
  TicketId id;

  friend auto operator<=>(const Cursor&, const Cursor&) = default;
  friend bool operator==(const Cursor&, const Cursor&) = default;
};

struct Budget {
  std::uint64_t work = 1'000'000;  // limit on looks at tickets and rooms; can be exceeded slightly
  std::uint32_t looks_per_ticket = 2'000;  // looks in the search for one room
  std::optional<Cursor> from;              // Decision::next of the last call
  std::uint32_t regions = ~0U;             // bit r: rooms can start in region r
};

struct Decision {
  std::vector<Fill> fills;
  std::vector<Order> orders;
  std::vector<Placed> placed;
  std::vector<Reason> refused;
  std::vector<Reason> reasons;   // reasons of visited tickets that still wait
  std::vector<TicketId> passed;  // ordered by age
  // If set, the budget was spent: the next call continues here.
  std::optional<Cursor> next;
  std::uint64_t work = 0;

  void clear();
  friend bool operator==(const Decision&, const Decision&) = default;
};

}  // namespace fixkeep::master::plan
