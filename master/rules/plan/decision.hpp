// A decision gives seats to tickets and tells why the others wait on.
//
// A decision *passes over* a waiting ticket if it could stand in the place of a younger ticket of
// equally many players in one of the orders. A ticket that was passed over Rules::passes times
// stands before all younger ones even if they fit better. `passed` may name a ticket too often,
// never too seldom.
//
// Thread rule: values. Bounds: a ticket stands once in fills, orders and refused together. It
// stands once in each of the other lists. Errors: `refused`.
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

// The reason why a ticket waits on or is refused.
enum class Why : std::uint8_t {
  too_few,          // not enough players are within its limits
  no_arrangement,   // enough are, and they make no whole teams, roles or sizes
  party_too_large,  // refused: for a team, or for the mode
  no_region,        // refused: it has measured none within the last limit
  no_role,          // refused: a member plays no role of the mode
};

// "too-few"
[[nodiscard]] std::string_view to_string(Why why);

struct Reason {
  TicketId ticket;
  Why why = Why::too_few;
  std::optional<TimePoint> again;  // next widening of one of its own limits

  friend bool operator==(const Reason&, const Reason&) = default;
};

// The oldest ticket that has not been looked at.
struct Cursor {
  TimePoint since;
  TicketId id;

  friend auto operator<=>(const Cursor&, const Cursor&) = default;
  friend bool operator==(const Cursor&, const Cursor&) = default;
};

struct Budget {
  std::uint64_t work = 1'000'000;          // looks at tickets and rooms; the last one is finished
  std::uint32_t looks_per_ticket = 2'000;  // looks to arrange one room
  std::optional<Cursor> from;              // Decision::next of the call before
  std::uint32_t regions = ~0U;             // bit r: rooms can be made in region r
};

struct Decision {
  std::vector<Fill> fills;
  std::vector<Order> orders;
  std::vector<Placed> placed;
  std::vector<Reason> refused;
  std::vector<Reason> reasons;   // reasons of looked-at tickets that wait on
  std::vector<TicketId> passed;  // ordered by age
  // The budget was spent: the next call goes on here.
  std::optional<Cursor> next;
  std::uint64_t work = 0;

  void clear();
  friend bool operator==(const Decision&, const Decision&) = default;
};

}  // namespace fixkeep::master::plan
