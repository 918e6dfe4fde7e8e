// What one event makes a master look at, counted in claims, where clients make it as much as they
// can. fixkeep-bench-event-work measures the same in time.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "master/core/claims/requests.hpp"
#include "master/core/master_core.hpp"
#include "master/core/seats/seating.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::minutes;

std::string name(const char* prefix, std::size_t number) {
  return prefix + std::to_string(number);
}

std::vector<PlayerId> players(const char* prefix, std::size_t from, std::size_t count) {
  std::vector<PlayerId> found;
  for (std::size_t i = 0; i < count; ++i) found.emplace_back(name(prefix, from + i));
  return found;
}

wire::RoomInfo open_room(std::uint32_t number, std::uint32_t capacity,
                         const std::string& group = "g") {
  wire::RoomInfo room;
  room.number = RoomNumber{number};
  room.group = GroupKey{group};
  room.mode = ModeName{"duel"};
  room.phase = wire::RoomPhase::open;
  room.place = wire::at_port(20'000);
  room.capacity = capacity;
  return room;
}

MasterOptions lone_options() {
  MasterOptions options;
  options.self = MasterId{1};
  options.await_workers = Duration{0};
  options.out_of_sight = Duration{0};
  return options;
}

struct ClaimWork : testing::Test {
  // Claims that the event looked at.
  std::uint64_t looks(const std::function<void()>& event) {
    const std::uint64_t before = core.claim_looks();
    event();
    return core.claim_looks() - before;
  }
  void connect(std::uint32_t headroom, std::vector<wire::RoomInfo> rooms = {}) {
    core.step(WorkerConnected{w, Incarnation{1}}, now, actions);
    wire::WorkerState state;
    state.room_limit = 10;
    state.headroom = headroom;
    state.modes.known = {ModeName{"duel"}};
    state.rooms = std::move(rooms);
    core.step(WorkerSaid{w, state}, now, actions);
  }
  void set_headroom(std::uint32_t headroom) {
    wire::RoomsChanged news;
    news.headroom = headroom;
    core.step(WorkerSaid{w, news}, now, actions);
  }
  void tick() {
    now = std::max(now, core.next_tick());
    core.step(TimePassed{}, now, actions);
  }
  [[nodiscard]] std::map<std::uint64_t, Refusal> refusals() const {
    std::map<std::uint64_t, Refusal> found;
    for (const Action& action : actions) {
      const auto* refused = std::get_if<Refused>(&action);
      if (refused != nullptr) found.emplace(refused->ticket.number(), refused->reason);
    }
    return found;
  }
  // Since this was asked the last time.
  std::size_t locks_wanted() {
    return std::erase_if(
        locks, [](const LockOrder& order) { return std::holds_alternative<AcquireLock>(order); });
  }
  std::uint64_t match(const std::string& player, std::vector<PlayerId> party = {},
                      const std::string& group = "g") {
    MatchRequested request{TicketId{++tickets},
                           GroupKey{group},
                           ModeName{"duel"},
                           64,
                           {PlayerId{player}, std::move(party)},
                           now + minutes{10}};
    return looks([&] { core.step(std::move(request), now, actions); });
  }
  std::uint64_t cancel(std::uint64_t ticket) {
    return looks([&] { core.step(RequestCancelled{TicketId{ticket}}, now, actions); });
  }

  static constexpr std::size_t most = Requests::most_claims_of_player;
  const WorkerId w{"w"};
  TimePoint now{minutes{10}};
  Actions actions;
  LockOrders locks;
  MasterCore core{lone_options(), locks, now};
  std::uint64_t tickets = 0;
};

TEST_F(ClaimWork, a_player_whom_many_parties_name_is_in_so_few_claims_as_one_who_asks) {
  for (std::size_t i = 0; i < 200; ++i) {
    EXPECT_LE(match(name("leader", i), players("m", 0, 15)), 16 * most + 8) << i;
  }
  const auto refused = refusals();
  EXPECT_EQ(refused.size(), 200 - most);
  for (const auto& [ticket, reason] : refused) {
    EXPECT_GT(ticket, most);
    EXPECT_EQ(reason, Refusal::queue_full);
  }
  // One of the members alone is one claim more, too.
  (void)match("m3");
  EXPECT_EQ(refusals().at(tickets), Refusal::queue_full);
  // The bound is one of what waits.
  (void)cancel(1);
  (void)match("m3");
  EXPECT_FALSE(refusals().contains(tickets));
}

TEST_F(ClaimWork, a_claim_that_ends_looks_once_at_those_behind_it) {
  (void)match("first", players("m", 0, 63));
  const std::size_t behind = 63 * (most - 1);
  for (std::size_t i = 0; i < behind; ++i) {
    std::vector<PlayerId> party = players("other", 62 * i, 62);
    party.push_back(PlayerId{name("m", i % 63)});
    EXPECT_LE(match(name("leader", i), std::move(party), name("g", i)), most + 8);
  }
  EXPECT_EQ(refusals().size(), 0U);
  EXPECT_LE(cancel(1), 8 * behind);
}

TEST_F(ClaimWork, a_claim_behind_several_is_looked_at_when_the_last_of_them_is_gone) {
  (void)match("ann");
  (void)match("bob");
  (void)match("cid", {PlayerId{"ann"}, PlayerId{"bob"}}, "h");
  EXPECT_EQ(locks_wanted(), 0U);  // there is no worker
  connect(10);
  EXPECT_EQ(locks_wanted(), 1U);  // of g
  (void)cancel(1);
  EXPECT_EQ(locks_wanted(), 0U);
  (void)cancel(2);
  EXPECT_EQ(locks_wanted(), 1U);  // of h
}

TEST_F(ClaimWork, large_parties_that_wait_are_not_gone_through_for_each_that_comes) {
  connect(0, {open_room(1, 1)});
  for (std::size_t i = 0; i < 3'000; ++i) {
    EXPECT_LE(match(name("p", i), {PlayerId{name("q", i)}}), 16U) << i;
  }
  EXPECT_LE(match("alone"), 16U);
  const auto asked = std::find_if(actions.begin(), actions.end(), [](const Action& action) {
    const auto* sent = std::get_if<SendToWorker>(&action);
    return sent != nullptr && std::holds_alternative<wire::SeatRequest>(sent->message);
  });
  ASSERT_NE(asked, actions.end());  // the one seat is for the one who fits it
  const auto& request = std::get<wire::SeatRequest>(std::get<SendToWorker>(*asked).message);
  EXPECT_EQ(request.claims.front().player.text(), "alone");
}

TEST_F(ClaimWork, a_tick_looks_at_so_many_parked_claims_and_the_next_one_at_the_others) {
  const std::size_t waiting = 2 * Seating::most_checks + 100;
  std::vector<wire::RoomInfo> rooms{open_room(1, 10'000)};
  rooms.front().group = GroupKey{"other"};
  for (const PlayerId& player : players("s", 0, waiting)) {
    rooms.front().players.push_back(player);
  }
  connect(0, std::move(rooms));
  for (std::size_t i = 0; i < waiting; ++i) EXPECT_LE(match(name("s", i)), 16U);
  // They are given up after their second, each once, in as many turns as it takes.
  std::uint64_t longest = 0;
  int ticks = 0;
  for (; refusals().size() < waiting && ticks < 1'000; ++ticks) {
    longest = std::max(longest, looks([&] { tick(); }));
  }
  EXPECT_EQ(refusals().size(), waiting);
  EXPECT_LE(longest, 16 * Seating::most_checks);
  EXPECT_LT(ticks, 200);
}

TEST_F(ClaimWork, groups_that_sleep_in_vain_are_gone_through_in_turns) {
  connect(0);
  for (std::size_t i = 0; i < 3'000; ++i) EXPECT_LE(match(name("p", i), {}, name("g", i)), 16U);
  set_headroom(1);
  const std::size_t awake = locks_wanted();
  EXPECT_GT(awake, 0U);
  EXPECT_LT(awake, 64U);
  set_headroom(0);
  std::uint64_t longest = looks([&] { set_headroom(0); });
  for (std::uint64_t ticket = 1; ticket <= awake; ++ticket) {
    longest = std::max(longest, cancel(ticket));
  }
  for (int ticks = 0; ticks < 10; ++ticks) {
    longest = std::max(longest, looks([&] { core.step(TimePassed{}, now, actions); }));
  }
  EXPECT_LE(longest, 2'000U);
  // None of them is forgotten: where there is room for all, all ask for their locks.
  (void)locks_wanted();
  set_headroom(10);
  EXPECT_GT(locks_wanted(), 0U);
}

TEST_F(ClaimWork, requests_for_the_very_same_have_a_bound_of_their_own) {
  for (std::size_t i = 0; i < Requests::most_tickets_of_claim + 10; ++i) (void)match("ann");
  EXPECT_EQ(refusals().size(), 10U);
  EXPECT_EQ(refusals().at(tickets), Refusal::queue_full);
}

TEST_F(ClaimWork, whoever_has_seats_in_so_many_rooms_gets_no_further_one) {
  std::vector<wire::RoomInfo> rooms;
  for (std::uint32_t i = 1; i <= Requests::most_seats_of_player; ++i) {
    rooms.push_back(open_room(i, 8));
    rooms.back().group = GroupKey{name("other", i)};
    rooms.back().mode = ModeName{"race"};  // whatever it is
    rooms.back().players = {PlayerId{"ann"}};
    if (i > 1) rooms.back().players.push_back(PlayerId{"bob"});
  }
  connect(0, std::move(rooms));
  (void)match("cid", {PlayerId{"ann"}});
  EXPECT_EQ(refusals().at(tickets), Refusal::already_seated);
  (void)match("cid", {PlayerId{"bob"}});
  EXPECT_FALSE(refusals().contains(tickets));
}

}  // namespace
}  // namespace fixkeep::master
