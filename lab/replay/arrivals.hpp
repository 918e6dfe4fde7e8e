// An arrival is a party and its time. It is recorded or made from a seed.
//
// A file has one arrival a line in the order of time:
//
//   {"at_ms": 0, "party": [{"rating": 1510, "roles": ["tank"]}], "latency_ms": {"eu": 24},
//    "attributes": {"version": "7"}}
//
// `party` has an object for each player with every number of the rules. It has `roles` if the rules
// have roles. `latency_ms` is needed if the rules have a latency and `attributes` if the mode has
// some.
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
using Bells = std::map<std::string, Bell>;  // bell of each number, by its name

// "level=30,10" is the number level with this mean and deviation. The text says what is wrong.
[[nodiscard]] std::variant<Bells::value_type, std::string> parse_bell(const std::string& text);

// Makes a party (usually of one) with the numbers, roles and latencies of the rules.
[[nodiscard]] master::plan::Ticket made_ticket(TicketId id, const master::plan::Rules& rules,
                                               const Bell& bell, const Bells& own, Random& random);

// Each number follows a bell curve: its own if it has one. More players come in the evening than at
// night. Each lives somewhere on a ring around which the regions lie.
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
