#include "tests/support/plan_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace fixkeep::test {

using namespace master::plan;

namespace {

using std::chrono::seconds;

Steps random_steps(Random& random, std::int64_t unit) {
  Steps steps{{Duration{0}, unit * random.between(0, 3)}};
  while (random.chance(0.6) && steps.size() < 4) {
    const bool last = random.chance(0.2);
    steps.push_back({steps.back().after + seconds{random.between(1, 15)},
                     last ? no_limit : steps.back().most + unit * random.between(1, 4)});
    if (last) break;
  }
  return steps;
}

void add_sizes(Rules& rules, Random& random) {
  rules.size.most = static_cast<std::uint32_t>(random.between(2, 6));
  if (random.chance(0.4)) {
    TeamRule teams;
    teams.count = static_cast<std::uint32_t>(random.between(2, 3));
    teams.size = static_cast<std::uint32_t>(random.between(1, teams.count == 2 ? 3 : 2));
    rules.size.most = teams.count * teams.size;
    if (!rules.numbers.empty() && random.chance(0.6)) {
      teams.number = random.below(rules.numbers.size());
      teams.difference = 10 * random.between(0, 6);
    }
    rules.teams = teams;
  }
  rules.size.best = rules.size.least = rules.size.most;
  if (random.chance(0.5)) {
    rules.size.best = static_cast<std::uint32_t>(random.between(1, rules.size.most));
    rules.size.least = static_cast<std::uint32_t>(random.between(1, rules.size.best));
    rules.size.after = seconds{random.between(0, 30)};
  }
  rules.party = static_cast<std::uint32_t>(random.between(1, 3));
  rules.passes = static_cast<std::uint32_t>(random.between(1, 3));
}

}  // namespace

Rules random_rules(Random& random) {
  Rules rules;
  const auto numbers = random.below(3);
  for (std::uint64_t n = 0; n < numbers; ++n) {
    rules.numbers.push_back("n" + std::to_string(n));
    const auto widening = random.chance(0.3) ? Widening::both : Widening::older;
    if (random.chance(0.8)) rules.distances.push_back({n, random_steps(random, 10), widening});
  }
  if (random.chance(0.4)) {
    rules.latency = LatencyRule{{"a", "b", "c"}, random_steps(random, 20)};
    rules.latency->regions.resize(1 + random.below(3));
  }
  add_sizes(rules, random);
  if (random.chance(0.3)) {
    const std::uint32_t seats = rules.team_size();
    rules.roles.push_back({"x", static_cast<std::uint32_t>(random.between(1, seats))});
    if (seats > rules.roles[0].seats) rules.roles.push_back({"y", seats - rules.roles[0].seats});
  }
  if (random.chance(0.3)) rules.avoid = AvoidRule{seconds{random.between(5, 60)}};
  return rules;
}

Ticket random_ticket(const Rules& rules, TicketId id, TimePoint now, Random& random) {
  Ticket ticket;
  ticket.id = id;
  ticket.since = now - seconds{random.between(0, 40)};
  const std::uint64_t players = random.chance(0.6) ? 1 : 1 + random.below(rules.party + 1);
  for (std::uint64_t m = 0; m < players; ++m) {
    ticket.members.push_back(
        {PlayerHash{id.number() * 8 + m}, static_cast<std::uint8_t>(random.below(4))});
    if (random.chance(0.7)) ticket.members.back().roles = 3;
    for (std::size_t n = 0; n < rules.numbers.size(); ++n) {
      ticket.sums[n] += 5 * random.between(-2, 12);
    }
  }
  for (auto& measured : ticket.latency_ms) {
    measured = random.chance(0.2) ? unmeasured : static_cast<std::uint16_t>(20 * random.below(8));
  }
  while (random.chance(0.2)) ticket.avoids.push_back(PlayerHash{8 * random.below(id.number() + 4)});
  return ticket;
}

namespace {

Room random_room(const Rules& rules, std::uint64_t id, TimePoint now, Random& random) {
  Room room;
  room.id = id;
  room.since = now - seconds{random.between(0, 9)};
  room.starting = random.chance(0.5);
  room.region =
      static_cast<std::uint8_t>(rules.latency ? random.below(rules.latency->regions.size()) : 0);
  for (std::uint32_t t = 0; t < rules.team_count(); ++t) {
    RoomTeam team;
    team.players = static_cast<std::uint32_t>(random.below(rules.team_size() + 1));
    team.free = rules.team_size() - team.players;
    team.sum = 5 * random.between(-2, 12) * team.players;
    for (std::uint32_t p = 0; p < team.players && !rules.roles.empty(); ++p) {
      const std::uint64_t all = (1U << rules.roles.size()) - 1;
      team.roles.push_back(static_cast<std::uint8_t>(1 + random.below(all)));
    }
    room.teams.push_back(team);
  }
  for (std::size_t n = 0; n < rules.numbers.size(); ++n) {
    room.low[n] = 5 * random.between(-2, 12);
    room.high[n] = room.low[n] + 5 * random.between(0, 4);
  }
  while (random.chance(0.2)) {
    Want want{.players = static_cast<std::uint32_t>(random.between(1, 2))};
    if (random.chance(0.5))
      want.team = static_cast<std::uint32_t>(random.below(rules.team_count()));
    if (!rules.roles.empty() && random.chance(0.5)) {
      want.roles = static_cast<std::uint8_t>(1U << random.below(rules.roles.size()));
    }
    room.wants.push_back(want);
  }
  while (random.chance(0.3)) room.players.push_back(PlayerHash{8 * random.below(12)});
  while (rules.avoid && random.chance(0.3)) {
    room.avoided.push_back(PlayerHash{8 * random.below(12)});
  }
  return room;
}

}  // namespace

PlanCase random_case(std::size_t tickets, Random& random) {
  PlanCase c;
  c.now = TimePoint{seconds{1'000}};
  c.rules = random_rules(random);
  for (std::size_t i = 0; i < tickets; ++i) {
    c.tickets.push_back(random_ticket(c.rules, TicketId{i + 1}, c.now, random));
    c.tickets.back().passed = static_cast<std::uint32_t>(random.below(4));
  }
  for (std::uint64_t room = 1; random.chance(0.4) && room < 4; ++room) {
    c.rooms.push_back(random_room(c.rules, room, c.now, random));
  }
  if (c.rules.latency && random.chance(0.3)) {
    c.regions = static_cast<std::uint32_t>(random.below(1U << c.rules.latency->regions.size()));
  }
  return c;
}

std::string to_text(const PlanCase& c, const Decision& decision) {
  const auto ms = [](Duration time) { return time.count() / 1000; };
  const auto& size = c.rules.size;
  std::string text =
      fmt::format("size {}/{}/{} after {} ms, party {}, passes {}\n", size.least, size.best,
                  size.most, ms(size.after), c.rules.party, c.rules.passes);
  const auto steps = [&](const Steps& all) {
    for (const Step& step : all) text += fmt::format(" {}@{} ms", step.most, ms(step.after));
    text += '\n';
  };
  for (const auto& rule : c.rules.distances) {
    text += fmt::format("distance of number {}, {}:", rule.number,
                        rule.widening == Widening::both ? "both" : "older");
    steps(rule.steps);
  }
  if (c.rules.latency) {
    text += fmt::format("latency to {} regions ({:b} open):", c.rules.latency->regions.size(),
                        c.regions);
    steps(c.rules.latency->steps);
  }
  if (c.rules.teams) {
    text += fmt::format("teams {} x {}, difference {}\n", c.rules.teams->count, c.rules.teams->size,
                        c.rules.teams->difference);
  }
  for (const auto& role : c.rules.roles) text += fmt::format("role {} {}\n", role.name, role.seats);
  for (const Ticket& ticket : c.tickets) {
    text +=
        fmt::format("ticket {}: {} players, waits {} ms, passed {}, sums {} {}, ping {} {} {}\n",
                    ticket.id.number(), ticket.members.size(), ms(c.now - ticket.since),
                    ticket.passed, ticket.sums[0], ticket.sums[1], ticket.latency_ms[0],
                    ticket.latency_ms[1], ticket.latency_ms[2]);
  }
  for (const Room& room : c.rooms) {
    text +=
        fmt::format("room {} in {}, {} to {}:", room.id, room.region, room.low[0], room.high[0]);
    for (const auto& team : room.teams) text += fmt::format(" {}+{}", team.players, team.free);
    text += '\n';
  }
  for (const Fill& fill : decision.fills) {
    text += fmt::format("fill {} -> {}\n", fill.ticket.number(), fill.room);
  }
  for (const Order& order : decision.orders) {
    text += fmt::format("order in {}:", order.region);
    for (std::uint32_t p = order.first; p < order.first + order.count; ++p) {
      const Placed& placed = decision.placed[p];
      text += fmt::format(" {}/{}", placed.ticket.number(), placed.team);
    }
    text += '\n';
  }
  for (const TicketId id : decision.passed) text += fmt::format("passed {}\n", id.number());
  return text;
}

}  // namespace fixkeep::test
