// Two masters of a pool, one of which decides: what both can say of their requests that wait.
#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "common/wire/codec.hpp"
#include "master/core/master_core.hpp"
#include "master/core/pools/lending.hpp"
#include "master/rules/plan/brings.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::shared_ptr<const plan::Rules> duel_by_rating() {
  auto rules = std::make_shared<plan::Rules>();
  rules->numbers = {"rating"};
  rules->distances = {{0, {{Duration{0}, 50}, {seconds{10}, 200}}, {}}};
  return rules;
}

// Masters 1 and 2 with whole links, and a worker that has no rooms and promises whatever it is
// asked to. Messages pass through the codec, and arrive in the same instant.
class TwoMasters {
 public:
  TwoMasters() {
    for (const MasterId self : {MasterId{1}, MasterId{2}}) {
      cores_.emplace(self, MasterCore{options(self), now});
    }
    // Both ends of the link are there before anything is said over it.
    events_.emplace_back(MasterId{1}, PeerConnected{MasterId{2}});
    events_.emplace_back(MasterId{2}, PeerConnected{MasterId{1}});
    for (const auto& [self, core] : cores_) {
      wire::WorkerState state;
      state.zone = ZoneName{"a"};
      state.address = "10.0.0.1";
      state.room_limit = state.headroom = 10;
      state.modes.known = {ModeName{"duel"}};
      step(self, WorkerConnected{worker, Incarnation{1}});
      step(self, WorkerSaid{worker, state});
    }
    pass(seconds{5});
  }

  TicketId ask(MasterId master, const std::string& player, std::int64_t rating,
               Duration wait = seconds{60}) {
    const TicketId ticket = post(master, player, rating, wait);
    run();
    return ticket;
  }
  // It is heard with whatever comes next.
  TicketId post(MasterId master, const std::string& player, std::int64_t rating,
                Duration wait = seconds{60}) {
    const TicketId ticket{++tickets_};
    MatchRequested match{.ticket = ticket,
                         .group = GroupKey{"duel"},
                         .mode = ModeName{"duel"},
                         .capacity = 2,
                         .claim = {},
                         .deadline = now + wait};
    match.claim.player = PlayerId{player};
    plan::Brings brings;
    brings.numbers[0] = rating;
    match.claim.brings = plan::to_text(brings, *rules_);
    match.rules = rules_;
    events_.emplace_back(master, std::move(match));
    return ticket;
  }
  void step(MasterId master, Event&& event) {
    events_.emplace_back(master, std::move(event));
    run();
  }
  void run() {
    while (!events_.empty()) {
      auto [at, next] = std::move(events_.front());
      events_.pop_front();
      Actions actions;
      cores_.at(at).step(std::move(next), now, actions);
      for (Action& action : actions) perform(at, std::move(action));
    }
  }
  void pass(Duration time) {
    const TimePoint end = now + time;
    while (now < end) {
      now += milliseconds{50};
      for (const auto& [self, core] : cores_) step(self, TimePassed{});
    }
  }
  [[nodiscard]] std::shared_ptr<const wire::Explained> told(MasterId master, TicketId ticket) {
    const auto why = cores_.at(master).why(ticket);
    return why ? why->explained : nullptr;
  }

  TimePoint now{seconds{1'000}};
  std::vector<Refused> refused;

 private:
  static MasterOptions options(MasterId self) {
    MasterOptions options;
    options.self = self;
    options.incarnation = Incarnation{self.number()};
    options.locks.self = self;
    options.locks.peers = {MasterId{static_cast<std::uint16_t>(3 - self.number())}};
    return options;
  }
  static wire::BetweenMasters through_codec(wire::BetweenMasters&& message) {
    std::string frame;
    wire::append_frame(wire::Message{std::move(message)}, frame);
    const auto payload = std::string_view{frame}.substr(wire::prefix_bytes);
    return wire::decode<wire::BetweenMasters>(payload).value();
  }
  void perform(MasterId from, Action&& action) {
    if (auto* sent = std::get_if<SendToPeer>(&action)) {
      events_.emplace_back(sent->peer, PeerSaid{from, through_codec(std::move(sent->message))});
    } else if (auto* order = std::get_if<SendToWorker>(&action)) {
      const auto* prepare = std::get_if<wire::PrepareSpawn>(&order->message);
      if (prepare == nullptr) return;
      const wire::PrepareReply reply{prepare->request, prepare->group, true, prepare->token, {}};
      events_.emplace_back(from, WorkerSaid{worker, reply});
    } else if (auto* told = std::get_if<Refused>(&action)) {
      refused.push_back(*told);
    }
  }

  const WorkerId worker{"w"};
  std::map<MasterId, MasterCore> cores_;
  std::deque<std::pair<MasterId, Event>> events_;
  std::shared_ptr<const plan::Rules> rules_ = duel_by_rating();
  std::uint64_t tickets_ = 0;
};

constexpr MasterId m1{1};
constexpr MasterId m2{2};

TEST(Why, is_told_to_the_master_of_each_request) {
  TwoMasters two;
  const TicketId ann = two.ask(m1, "ann", 1'000);
  const TicketId bob = two.ask(m2, "bob", 1'100);
  two.pass(seconds{1});
  for (const auto& [master, ticket] : {std::pair{m1, ann}, std::pair{m2, bob}}) {
    const auto why = two.told(master, ticket);
    ASSERT_NE(why, nullptr) << master.number();
    EXPECT_EQ(why->tickets, 1U);
    EXPECT_EQ(why->meets, 0U);
    EXPECT_EQ(why->players_missing, 1U);
    ASSERT_TRUE(why->nearest);
    EXPECT_EQ(why->nearest->beyond, 50U);
    ASSERT_TRUE(why->nearest->in);
    EXPECT_GT(*why->nearest->in, seconds{8});
    EXPECT_LE(*why->nearest->in, seconds{10});
  }
}

TEST(Why, comes_with_the_refusal_of_a_request_that_has_waited_in_vain) {
  TwoMasters two;
  (void)two.ask(m1, "ann", 1'000, seconds{2});
  two.pass(seconds{3});
  ASSERT_EQ(two.refused.size(), 1U);
  EXPECT_EQ(two.refused[0].reason, Refusal::wait_timeout);
  ASSERT_TRUE(two.refused[0].why);
  ASSERT_NE(two.refused[0].why->explained, nullptr);
  EXPECT_EQ(two.refused[0].why->explained->tickets, 0U);
}

TEST(Why, is_said_anew_by_a_later_decision) {
  TwoMasters two;
  const TicketId ann = two.ask(m1, "ann", 1'000);
  two.pass(seconds{1});
  EXPECT_EQ(two.told(m1, ann)->tickets, 0U);
  two.pass(seconds{1});
  (void)two.ask(m2, "bob", 5'000);
  two.pass(seconds{1});
  EXPECT_EQ(two.told(m1, ann)->tickets, 1U);
}

// So many that the oldest ones take all looks of a decision.
TEST(Why, is_told_to_those_first_who_have_asked) {
  TwoMasters two;
  std::vector<TicketId> tickets;
  for (int i = 0; i < 1'000; ++i) {
    tickets.push_back(two.post(m1, "p" + std::to_string(i), 1'000 * i));
  }
  two.pass(seconds{1});
  EXPECT_NE(two.told(m1, tickets.front()), nullptr);
  EXPECT_EQ(two.told(m1, tickets.back()), nullptr);
  two.step(m1, WhyAsked{tickets.back()});
  two.pass(seconds{1});
  EXPECT_NE(two.told(m1, tickets.back()), nullptr) << "the question brings a decision about";
}

TEST(Why, is_told_anew_to_who_asks_when_it_is_old) {
  TwoMasters two;
  const TicketId ann = two.ask(m1, "ann", 1'000);
  two.pass(milliseconds{200});
  // The oldest were explained just now, and nothing widens for a while.
  (void)two.ask(m1, "bob", 5'000);
  two.pass(seconds{1});
  EXPECT_EQ(two.told(m1, ann)->tickets, 0U);
  two.step(m1, WhyAsked{ann});
  two.pass(seconds{1});
  EXPECT_EQ(two.told(m1, ann)->tickets, 1U);
}

TEST(Why, is_not_known_of_a_request_that_is_over_or_of_a_group) {
  TwoMasters two;
  const TicketId ann = two.ask(m1, "ann", 1'000);
  two.pass(seconds{1});
  two.step(m1, RequestCancelled{ann});
  EXPECT_EQ(two.told(m1, ann), nullptr);
  two.step(m1, WhyAsked{ann});
}

}  // namespace
}  // namespace fixkeep::master
