// An arrival is a party and its time, recorded or generated from a seed.
//
// A file has one arrival on each line, ordered by time:
//
//   {"at_ms": 0, "party": [{"rating": 1510, "roles": ["tank"]}], "latency_ms": {"eu": 24},
//    "attributes": {"version": "7"}}
//
// `party` has an object for each player with every number of the rules, and `roles` if the rules
// have roles. `latency_ms` is required if the rules have a latency, `attributes` if the mode has
// attributes.
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
  std::string pool;             // values of the mode's attributes
  master::plan::Ticket ticket;  // the id is the place in the list, from 1
};

// The distribution of a number among players.
struct Bell {
  std::int64_t mean = 1'500;
  std::int64_t deviation = 300;
  friend bool operator==(const Bell&, const Bell&) = default;
};
using Bells = std::map<std::string, Bell>;  // by the number's name

// Parses "level=30,10": the number "level" has mean 30 and deviation 10. Returns a mistake as text.
[[nodiscard]] std::variant<Bells::value_type, std::string> parse_bell(const std::string& text);

// Makes a party (usually one player) with the numbers, roles and latencies that the rules need.
[[nodiscard]] master::plan::Ticket made_ticket(TicketId id, const master::plan::Rules& rules,
                                               const Bell& bell, const Bells& own, Random& random);

// The options of a made day. Each number has a normal distribution, its own or the default. More
// players come in the evening than at night. Players and regions have places on a ring; these
// places decide the latencies.
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
