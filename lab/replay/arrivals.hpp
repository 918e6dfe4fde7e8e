// An arrival is a party and the time at which it came: it is recorded, or of a day that a seed
// makes.
//
// A file has one arrival a line, in the order of time:
//
//   {"at_ms": 0, "party": [{"rating": 1510, "roles": ["tank"]}], "latency_ms": {"eu": 24},
//    "attributes": {"version": "7"}}
//
// `party` has an object for each player, with every number that the rules name, and `roles` if they
// have roles; `latency_ms` is needed if they have a latency, `attributes` for those of the mode.
//
// Thread rule: free functions. Bounds: `arrivals_most`. Errors: a sentence with the line.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "common/base/random.hpp"
#include "common/base/time.hpp"
#include "master/modes/rules_file.hpp"
#include "master/rules/plan/ticket.hpp"

namespace fixkeep::client_sim::replay {

inline constexpr std::size_t arrivals_most = 2'000'000;

struct Arrival {
  Duration at{};
  std::string pool;             // the values of the mode's attributes
  master::plan::Ticket ticket;  // its id is its place in the list, from 1 on
};

// Numbers of players are spread like this.
struct Bell {
  std::int64_t mean = 1'500;
  std::int64_t deviation = 300;
  friend bool operator==(const Bell&, const Bell&) = default;
};
using Bells = std::map<std::string, Bell>;  // by the number's name

// "level=30,10" is the number level with this mean and deviation. The text says what is wrong.
[[nodiscard]] std::variant<Bells::value_type, std::string> parse_bell(const std::string& text);

// A party of usually one, with the numbers, roles and latencies that the rules name.
[[nodiscard]] master::plan::Ticket made_ticket(TicketId id, const master::plan::Rules& rules,
                                               const Bell& bell, const Bells& own, Random& random);

// Each number is a bell, of its own if it has one; more players come in the evening than at night,
// and each lives somewhere on a ring around which the regions lie.
struct MadeDay {
  std::size_t tickets = 100'000;
  double hours = 24;
  std::int64_t mean = 1'500;
  std::int64_t deviation = 300;
  Bells own = {};
  std::uint64_t seed = 1;
};

[[nodiscard]] std::vector<Arrival> made_arrivals(const master::plan::Rules& rules,
                                                 const MadeDay& day);

[[nodiscard]] std::variant<std::vector<Arrival>, std::string> read_arrivals(
    const std::string& path, const master::Mode& mode);

}  // namespace fixkeep::client_sim::replay
