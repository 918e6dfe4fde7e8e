// A master with waiting claims of a pool, for tests of what it lends.
//
// Thread rule: one owner. Bounds: those of a test. Errors: none.
#pragma once

#include "master/core/pools/lending.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/wire/warm_pool.hpp"
#include "master/core/claims/requests.hpp"
#include "master/core/claims/room_budget.hpp"

namespace fixkeep::master {
inline std::shared_ptr<const plan::Rules> widening_rules() {
  auto rules = std::make_shared<plan::Rules>();
  rules->numbers = {"rating"};
  rules->distances = {{0, {{Duration{0}, 20}, {std::chrono::seconds{20}, 60}}}};
  rules->size = {.least = 2, .best = 4, .most = 4, .after = std::chrono::seconds{10}};
  rules->party = 64;
  return rules;
}

struct LendingTest : testing::Test {
  static constexpr MasterId self{1};
  static constexpr MasterId other{2};
  static constexpr FencingToken first{1, other};
  static constexpr FencingToken second{2, other};

  LendingTest() { connect(Incarnation{1}); }
  void connect(Incarnation run) {
    directory.connect(worker, run);
    wire::WorkerState state;
    state.address = "here";
    state.headroom = state.room_limit = 10;
    directory.introduce(worker, state);
  }
  Step step() { return {now, out, locks}; }

  ClaimNumber match(const std::string& player, std::vector<PlayerId> party = {}) {
    wire::Claim claim{PlayerId{player}, std::move(party), {}, "0 1500"};
    Step current = step();
    MatchRequested request{TicketId{++tickets},           pool, mode, 64, std::move(claim),
                           now + std::chrono::minutes{10}};
    request.rules = rules;
    const auto number = requests.admit(std::move(request), current);
    seating.place(number.value(), current);
    return *number;
  }
  void hang_up() {
    Step current = step();
    requests.cancel(TicketId{tickets}, current);
  }
  std::vector<wire::ClaimsPart> gather(FencingToken hold) {
    return lending.lend({pool, hold}, hold.master, now);
  }
  std::vector<std::uint64_t> lent(FencingToken hold) {
    std::vector<std::uint64_t> numbers;
    const auto parts = gather(hold);
    for (const auto& claim : parts.at(0).claims) numbers.push_back(claim.number);
    return numbers;
  }
  void close(FencingToken hold, std::vector<std::uint64_t> passed = {}, bool again = false) {
    Step current = step();
    lending.closed({pool, hold, std::move(passed), again}, current);
  }
  void break_link(MasterId holder) {
    Step current = step();
    lending.link_broke(holder, current);
  }
  void seated(FencingToken hold, ClaimNumber number, const RoomId& where) {
    Step current = step();
    wire::ClaimsSeated word{
        pool, hold, where, mode, 64, ReservationId{9}, {}, std::chrono::seconds{15}, {number}};
    lending.seated(word, current);
  }
  [[nodiscard]] bool due() { return lending.due(*groups.find(pool), now); }
  void show_open_room() { show_open_room(pool); }
  void show_open_room(const GroupKey& group, std::vector<PlayerId> players = {}) {
    wire::RoomInfo info;
    info.number = room.number;
    info.group = group;
    info.mode = mode;
    info.phase = wire::RoomPhase::open;
    info.place = wire::at_port(20'000);
    info.capacity = 64;
    info.players = std::move(players);
    EXPECT_TRUE(directory.put(worker, info));
  }
  std::vector<wire::ReleaseSeats> given_back() const {
    std::vector<wire::ReleaseSeats> found;
    for (const Action& action : out) {
      const auto* sent = std::get_if<SendToWorker>(&action);
      const auto* back = sent ? std::get_if<wire::ReleaseSeats>(&sent->message) : nullptr;
      if (back != nullptr) found.push_back(*back);
    }
    return found;
  }
  [[nodiscard]] ClaimPlace place_of(ClaimNumber number) const {
    return std::as_const(claims).at(number).where->place;
  }
  bool answered(std::uint64_t ticket) const {
    return std::any_of(out.begin(), out.end(), [&](const Action& action) {
      const auto* seat = std::get_if<Seated>(&action);
      return seat != nullptr && seat->ticket == TicketId{ticket};
    });
  }

  const GroupKey pool{"battle"};
  const ModeName mode{"duel"};
  const WorkerId worker{"w"};
  const RoomId room{worker, Incarnation{1}, RoomNumber{3}};
  const std::shared_ptr<const plan::Rules> rules = widening_rules();
  MasterOptions options;
  MasterCounters counters;
  Directory directory{Placement::roomiest};
  GroupTable groups{{self, options.hold(), options.locks.join_grace}};
  Claims claims{groups};
  RoomBudget budget{0};
  LostSeats lost_seats{directory, claims};
  Requests requests{options, directory, groups, claims, lost_seats, budget, counters};
  Seating seating{options, directory, groups, claims, requests};
  Lending lending{directory, groups, claims, seating, lost_seats};
  TimePoint now{std::chrono::minutes{10}};
  Actions out;
  LockOrders locks;
  std::uint64_t tickets = 0;
};

}  // namespace fixkeep::master
