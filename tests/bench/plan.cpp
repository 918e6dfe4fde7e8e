// What one decision by rules that widen costs: 10 000 tickets that wait, typical ones and pools
// that are made to hurt, and what it costs to add and to remove a ticket. No sockets.
//
//   fixkeep-bench-plan [ROUNDS]       docs/benchmarks.md, "A decision by rules that widen"
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "common/base/random.hpp"
#include "master/rules/plan/planner.hpp"

namespace {

std::uint64_t allocations = 0;

}  // namespace

// All memory that the program takes comes through here.
void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc{};
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}

namespace fixkeep::master::plan {
namespace {

using std::chrono::seconds;

constexpr std::size_t tickets_waiting = 10'000;

// Of this thread alone: on a busy machine the clock on the wall says how busy it is.
double processor_ms() {
  timespec time{};
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

struct Pool {
  const char* name;
  bool typical = false;
  Rules rules;
  std::function<Ticket(Random&)> ticket;
  std::vector<Room> rooms{};
};

constexpr TimePoint now{seconds{1'000}};

Ticket ticket_of(std::uint32_t players, std::int64_t rating, Random& random) {
  static std::uint64_t ids = 0;
  Ticket ticket;
  ticket.id = TicketId{++ids};
  ticket.since = now - std::chrono::milliseconds{random.between(0, 60'000)};
  for (std::uint32_t i = 0; i < players; ++i) {
    ticket.members.push_back({PlayerHash{ticket.id.number() * 64 + i}, 0});
  }
  ticket.sums[0] = rating * players;
  ticket.latency_ms.fill(unmeasured);
  return ticket;
}

// Twelve halves of a dice of 200: a bell around 1500 with a deviation of about 200.
std::int64_t bell(Random& random) {
  std::int64_t sum = 300;
  for (int i = 0; i < 12; ++i) sum += random.between(0, 200);
  return sum;
}

std::uint32_t usual_party(Random& random) {
  const auto draw = random.below(100);
  if (draw < 60) return 1;
  if (draw < 82) return 2;
  if (draw < 92) return 3;
  return draw < 96 ? 4 : 5;
}

Rules rules_of(std::uint32_t teams, std::uint32_t size, std::size_t regions) {
  Rules rules;
  rules.numbers = {"rating"};
  rules.distances = {
      {0,
       {{Duration{0}, 50}, {seconds{10}, 100}, {seconds{20}, 200}, {seconds{40}, 400}},
       Widening::older}};
  rules.size = {.least = teams * size, .best = teams * size, .most = teams * size, .after = {}};
  rules.teams = TeamRule{teams, size, 0, 1'000};
  rules.party = size;
  rules.wait = seconds{120};
  if (regions == 0) return rules;
  rules.latency = LatencyRule{{}, {{Duration{0}, 60}, {seconds{15}, 100}, {seconds{30}, 180}}};
  for (std::size_t r = 0; r < regions; ++r)
    rules.latency->regions.push_back("r" + std::to_string(r));
  return rules;
}

// Players live on a ring, and regions lie on it at equal distances.
void place_on_ring(Ticket& ticket, std::size_t regions, Random& random) {
  const auto home = random.between(0, 999);
  for (std::size_t r = 0; r < regions; ++r) {
    const auto at = static_cast<std::int64_t>(1'000 * r / regions);
    const auto apart = std::abs(home - at);
    ticket.latency_ms[r] = static_cast<std::uint16_t>(15 + std::min(apart, 1'000 - apart) / 2);
  }
}

void add_typical(std::vector<Pool>& all) {
  all.push_back({"duel, one region", true, rules_of(2, 1, 0),
                 [](Random& random) { return ticket_of(1, bell(random), random); }});
  all.push_back({"5v5, parties of 1 to 5, 4 regions", true, rules_of(2, 5, 4), [](Random& random) {
                   Ticket ticket = ticket_of(usual_party(random), bell(random), random);
                   place_on_ring(ticket, 4, random);
                   return ticket;
                 }});
  Rules battle = rules_of(2, 30, 4);
  battle.size.least = 40;
  battle.size.after = seconds{60};
  battle.teams->difference = 30'000;
  all.push_back({"battle of 60 that starts with 40", true, battle, [](Random& random) {
                   Ticket ticket = ticket_of(usual_party(random), bell(random), random);
                   place_on_ring(ticket, 4, random);
                   return ticket;
                 }});
}

void add_odd_sizes_and_sums(std::vector<Pool>& all) {
  all.push_back({"5v5, only parties of 3", false, rules_of(2, 5, 0),
                 [](Random& random) { return ticket_of(3, bell(random), random); }});
  all.push_back(
      {"5v5, parties of 3 and every 50th of 2", false, rules_of(2, 5, 0), [](Random& random) {
         return ticket_of(random.below(50) == 0 ? 2 : 3, bell(random), random);
       }});
  all.push_back({"5v5, everybody at one rating", false, rules_of(2, 5, 0),
                 [](Random& random) { return ticket_of(usual_party(random), 1'500, random); }});
  Rules exact = rules_of(2, 5, 0);
  exact.teams->difference = 0;
  all.push_back({"5v5, teams of equal sums", false, exact, [](Random& random) {
                   return ticket_of(usual_party(random), 1 + (std::int64_t{1} << random.below(40)),
                                    random);
                 }});
}

void add_regions(std::vector<Pool>& all) {
  all.push_back({"5v5, two islands", false, rules_of(2, 5, 2), [](Random& random) {
                   Ticket ticket = ticket_of(usual_party(random), bell(random), random);
                   ticket.latency_ms[random.below(2)] = 20;
                   return ticket;
                 }});
  all.push_back({"5v5, 32 regions, all in reach", false, rules_of(2, 5, 32), [](Random& random) {
                   Ticket ticket = ticket_of(usual_party(random), bell(random), random);
                   for (auto& ms : ticket.latency_ms)
                     ms = static_cast<std::uint16_t>(random.between(10, 60));
                   return ticket;
                 }});
  all.push_back(
      {"5v5, 32 regions, only parties of 4", false, rules_of(2, 5, 32), [](Random& random) {
         Ticket ticket = ticket_of(4, bell(random), random);
         for (auto& ms : ticket.latency_ms) ms = static_cast<std::uint16_t>(random.between(10, 60));
         return ticket;
       }});
}

void add_crowds(std::vector<Pool>& all) {
  Rules shy = rules_of(2, 1, 0);
  shy.avoid = AvoidRule{};
  all.push_back({"duel, everybody avoids 16 others", false, shy, [](Random& random) {
                   Ticket ticket = ticket_of(1, 1'500, random);
                   for (std::size_t i = 0; i < avoided_most; ++i) {
                     ticket.avoids.push_back(PlayerHash{64 * random.below(ticket.id.number() + 1)});
                   }
                   return ticket;
                 }});
  all.push_back({"duel, everybody was passed over", false, rules_of(2, 1, 0), [](Random& random) {
                   Ticket ticket = ticket_of(1, bell(random), random);
                   ticket.passed = 3;
                   return ticket;
                 }});
  all.push_back({"5v5, 4 096 rooms that take nobody", false, rules_of(2, 5, 0), [](Random& random) {
                   return ticket_of(usual_party(random), bell(random), random);
                 }});
  for (std::uint64_t id = 1; id <= rooms_most; ++id) {
    Room room{.id = id, .since = now};
    room.teams = {{5, 0, 7'500, {}}, {4, 1, 6'000, {}}};
    room.low[0] = static_cast<std::int64_t>(id % 2'000);
    room.high[0] = room.low[0] + 500;
    all.back().rooms.push_back(room);
  }
}

// Four who fight together, as configs/matching/coop.json has them: many fight, few heal.
Rules coop_rules() {
  Rules rules;
  rules.size = {.least = 2, .best = 4, .most = 4, .after = seconds{45}};
  rules.latency = LatencyRule{{"eu", "us", "asia"}, {{Duration{0}, 80}, {seconds{20}, 160}}};
  rules.roles = {{"healer", 1}, {"fighter", 3}};
  rules.avoid = AvoidRule{seconds{60}};
  rules.party = 4;
  rules.wait = seconds{120};
  return rules;
}

Ticket coop_ticket(std::uint32_t healers_in_100, std::size_t avoided, Random& random) {
  Ticket ticket = ticket_of(1, 1'500, random);
  ticket.members[0].roles = random.below(100) < healers_in_100 ? 0b01 : 0b10;
  for (std::size_t r = 0; r < 3; ++r) ticket.latency_ms[r] = 20;
  while (ticket.avoids.size() < avoided)
    ticket.avoids.push_back(PlayerHash{64 * random.below(ticket.id.number() + 1)});
  return ticket;
}

// A room of each has a seat for a healer only.
std::vector<Room> coop_rooms(bool avoids) {
  std::vector<Room> rooms;
  for (std::uint64_t id = 1; id <= rooms_most; ++id) {
    Room room{.id = id, .since = now};
    room.region = static_cast<std::uint8_t>(id % 3);
    room.teams = {{3, 1, 0, {0b10, 0b10, 0b10}}};
    for (std::uint64_t p = 0; p < 3; ++p) room.players.push_back(PlayerHash{id * 1'000'003 + p});
    for (std::uint64_t p = 0; avoids && p < 48; ++p)
      room.avoided.push_back(PlayerHash{id * 1'000'003 + 100 + p});
    rooms.push_back(std::move(room));
  }
  return rooms;
}

void add_roles(std::vector<Pool>& all) {
  all.push_back({"coop, 1 of 100 heals", false, coop_rules(),
                 [](Random& random) { return coop_ticket(1, 0, random); }});
  all.push_back({"coop, 4 096 rooms that want healers", false, coop_rules(),
                 [](Random& random) { return coop_ticket(0, 0, random); }, coop_rooms(false)});
  all.push_back({"coop, 4 096 such rooms, lists of 16", false, coop_rules(),
                 [](Random& random) { return coop_ticket(0, avoided_most, random); },
                 coop_rooms(true)});
  Rules five = coop_rules();
  five.size = {.least = 5, .best = 5, .most = 5, .after = {}};
  five.roles = {{"tank", 1}, {"healer", 1}, {"damage", 3}};
  all.push_back({"five, 1 of 100 is a tank or heals", false, five, [](Random& random) {
                   Ticket ticket = coop_ticket(0, 0, random);
                   const auto draw = random.below(100);
                   ticket.members[0].roles = draw == 0 ? 0b001 : draw == 1 ? 0b010 : 0b100;
                   return ticket;
                 }});
  five.roles = {{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}, {"e", 1}, {"f", 1}};
  five.size = {.least = 6, .best = 6, .most = 6, .after = {}};
  all.push_back({"six roles, each plays some", false, five, [](Random& random) {
                   Ticket ticket = coop_ticket(0, 0, random);
                   ticket.members[0].roles = static_cast<std::uint8_t>(1 + random.below(63));
                   return ticket;
                 }});
}

// As many rooms as there may be, of which each takes some.
void add_rooms_to_typical(std::vector<Pool>& all) {
  static constexpr std::array names{"duel, 4 096 rooms", "5v5, 4 096 rooms", "battle, 4 096 rooms",
                                    "battle, sums refuse all"};
  std::vector<Pool> typical;
  add_typical(typical);
  typical.push_back(typical.back());
  for (std::size_t i = 0; i < typical.size(); ++i) {
    Pool pool = typical[i];
    pool.name = names[i];
    pool.typical = false;
    pool.rules.teams->difference = 20;
    const std::uint32_t size = pool.rules.teams->size;
    for (std::uint64_t id = 1; id <= rooms_most; ++id) {
      Room room{.id = id, .since = now};
      room.region = static_cast<std::uint8_t>(i == 0 ? 0 : id % 4);
      const auto rating = static_cast<std::int64_t>(1'000 + id % 1'000);
      room.teams = {{size, 0, rating * size, {}}, {size - 1, 1, rating * (size - 1), {}}};
      if (i == 3) room.teams[1].sum = 1'000'000;
      room.low[0] = room.high[0] = rating;
      pool.rooms.push_back(room);
    }
    all.push_back(pool);
  }
}

void add_second_distances(std::vector<Pool>& all) {
  Rules rules = rules_of(2, 1, 0);
  rules.teams.reset();
  rules.numbers = {"rating", "level"};
  rules.distances.push_back({1, {{Duration{0}, 10}}, Widening::older});
  all.push_back({"duel, two distances, few meet", false, rules, [](Random& random) {
                   Ticket ticket = ticket_of(1, 1'500, random);
                   ticket.sums[1] = random.between(0, 100'000);
                   return ticket;
                 }});
  all.push_back({"duel, two distances, nobody meets", false, rules, [](Random& random) {
                   Ticket ticket = ticket_of(1, 1'500, random);
                   ticket.sums[1] = 100 * static_cast<std::int64_t>(ticket.id.number());
                   return ticket;
                 }});
}

std::vector<Pool> pools() {
  std::vector<Pool> all;
  add_typical(all);
  add_odd_sizes_and_sums(all);
  add_regions(all);
  add_crowds(all);
  add_roles(all);
  add_second_distances(all);
  add_rooms_to_typical(all);
  return all;
}

struct Figures {
  std::vector<double> ms;
  std::uint64_t allocated = 0;
  std::size_t orders = 0;
  std::size_t cut = 0;  // calls that spent their budget
};

// Each round is a pool of its own, decided by a planner that has seen one as large.
Figures measure(const Pool& pool, int rounds) {
  Figures figures;
  Planner planner;
  Decision decision;
  for (int round = -2; round < rounds; ++round) {
    Random random{static_cast<std::uint64_t>(round + 10)};
    TicketPool tickets;
    for (std::size_t i = 0; i < tickets_waiting; ++i) tickets.insert(pool.ticket(random));
    // What another pool needed may not be enough for this one: its first call is not counted.
    planner.plan(pool.rules, tickets, pool.rooms, now, {}, decision);
    const auto before = allocations;
    const double from = processor_ms();
    planner.plan(pool.rules, tickets, pool.rooms, now, {}, decision);
    const double time = processor_ms() - from;
    if (round < 0) continue;
    figures.allocated += allocations - before;
    figures.ms.push_back(time);
    figures.orders += decision.orders.size();
    figures.cut += decision.next ? 1 : 0;
  }
  std::sort(figures.ms.begin(), figures.ms.end());
  return figures;
}

double at_percent(const std::vector<double>& sorted, std::size_t percent) {
  return sorted[(sorted.size() * percent + 99) / 100 - 1];  // the nearest rank
}

void measure_inserts() {
  Random random{1};
  TicketPool pool;
  std::vector<Ticket> tickets;
  std::vector<TicketPool::Slot> slots;
  for (std::size_t i = 0; i < tickets_waiting; ++i) {
    tickets.push_back(ticket_of(usual_party(random), bell(random), random));
  }
  const auto turn = [&] {
    slots.clear();
    for (const Ticket& ticket : tickets) slots.push_back(pool.insert(ticket));
    for (const auto slot : slots) pool.remove(slot);
  };
  for (int i = 0; i < 3; ++i) turn();  // each slot has had each size then, or nearly
  const auto before = allocations;
  const double from = processor_ms();
  static constexpr int turns = 100;
  for (int i = 0; i < turns; ++i) turn();
  const double time = processor_ms() - from;
  std::printf("{\"tickets_per_s\":%.0f,\"allocations\":%llu}\n",
              turns * static_cast<double>(tickets_waiting) / time * 1e3,
              static_cast<unsigned long long>(allocations - before));
}

void run(int rounds) {
  for (const Pool& pool : pools()) {
    const Figures figures = measure(pool, rounds);
    std::printf(
        "{\"pool\":\"%s\",\"typical\":%s,\"p50_ms\":%.2f,\"p99_ms\":%.2f,\"most_ms\":%.2f,"
        "\"orders\":%zu,\"spent\":%zu,\"allocations\":%llu}\n",
        pool.name, pool.typical ? "true" : "false", at_percent(figures.ms, 50),
        at_percent(figures.ms, 99), figures.ms.back(),
        figures.orders / static_cast<std::size_t>(rounds), figures.cut,
        static_cast<unsigned long long>(figures.allocated));
    (void)std::fflush(stdout);
  }
  measure_inserts();
}
}  // namespace
}  // namespace fixkeep::master::plan

int main(int argc, char** argv) {
  fixkeep::master::plan::run(std::max(argc > 1 ? std::atoi(argv[1]) : 100, 1));
  return 0;
}
