// The holder of a pool's lock plans with the shadow rules of its mode too, and nobody notices.
#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "common/wire/codec.hpp"
#include "tests/unit/master/core/orders/pool_holder.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::seconds;

// These are the rules of PoolHolder, but three players that are far apart need not wait.
ShadowRules wide_at_once() {
  auto rules = std::make_shared<plan::Rules>();
  rules->numbers = {"rating"};
  rules->distances = {{0, {{Duration{0}, 500}}}};
  rules->size = {.least = 2, .best = 3, .most = 3, .after = seconds{10}};
  rules->party = 3;
  return {{ModeName{"duel"}, std::move(rules)}};
}

struct Holder : PoolHolder {
  explicit Holder(ShadowRules shadows) : PoolHolder(false, std::move(shadows)) {}
  void TestBody() override {}

  // All that leaves the master, as it stands on its links, and what becomes of its lock.
  [[nodiscard]] std::string sent() const {
    std::string bytes;
    for (const Action& action : actions) {
      bytes += "action " + std::to_string(action.index()) + '\n';
      if (const auto* to_worker = std::get_if<SendToWorker>(&action)) {
        std::visit([&](const auto& message) { wire::append_frame(message, bytes); },
                   to_worker->message);
      } else if (const auto* to_peer = std::get_if<SendToPeer>(&action)) {
        std::visit([&](const auto& message) { wire::append_frame(message, bytes); },
                   to_peer->message);
      }
    }
    for (const LockOrder& order : locks) {
      bytes += "lock " + std::to_string(order.index()) + '\n';
      if (const auto* release = std::get_if<ReleaseLock>(&order)) {
        bytes += std::to_string(release->highest.counter) + wire::encode_hints(release->hints);
      }
    }
    return bytes;
  }

  // Ann has to wait for two equals. The shadow rules would have her play with bob and cid, or in
  // the room of eve, the best of all.
  void live_through() {
    const auto eves = [&] { return room(3, {{"eve", brings(1900)}, {"fay", brings(1910)}}); };
    connect({eves()});
    match("ann", 1500);
    grant();
    lend({lent(11, "bob", 1800), lent(12, "cid", 1810)});
    promise({eves()});
    pass(seconds{1});
    match("dan", 1510);
    const FencingToken again{8, self};
    grant(again);
    lend({lent(11, "bob", 1800), lent(12, "cid", 1810), lent(13, "gus", 1490)}, again);
    promise({eves()});
    ASSERT_EQ(to_worker<wire::SpawnRoom>().size(), 1U) << "for ann, dan and gus";
    start(to_worker<wire::SpawnRoom>()[0]);
  }
};

TEST(PoolShadow, changes_nothing_of_what_leaves_the_master) {
  Holder without{{}};
  without.live_through();
  Holder with{wide_at_once()};
  with.live_through();
  EXPECT_EQ(with.sent(), without.sent());
  EXPECT_GT(without.sent().size(), 300U) << "there is something to compare";
}

TEST(PoolShadow, is_counted_for_the_mode) {
  Holder holder{wide_at_once()};
  ASSERT_EQ(holder.core.counters().shadows.size(), 1U) << "it shows zeros before a decision";
  holder.live_through();
  const ShadowCounts& counts = holder.core.counters().shadows.at(ModeName{"duel"});
  EXPECT_EQ(counts.numbers, std::vector<std::string>{"rating"});
  EXPECT_EQ(counts.plans, 2U);
  EXPECT_EQ(counts.seated(), 3U) << "ann, dan and gus";
  EXPECT_EQ(counts.earlier, 1U) << "ann, at once";
}

TEST(PoolShadow, of_another_mode_is_not_planned) {
  ShadowRules shadows = wide_at_once();
  auto node = shadows.extract(ModeName{"duel"});
  node.key() = ModeName{"raid"};
  shadows.insert(std::move(node));
  Holder holder{std::move(shadows)};
  holder.live_through();
  EXPECT_EQ(holder.core.counters().shadows.at(ModeName{"raid"}).plans, 0U);
}

TEST(PoolShadow, knows_no_claim_of_a_master_whose_link_broke) {
  Holder holder{wide_at_once()};
  holder.connect();
  holder.match("ann", 1500);
  holder.grant();
  holder.lend({PoolHolder::lent(11, "bob", 1800), PoolHolder::lent(12, "cid", 1810)});
  holder.promise();
  holder.core.step(PeerDisconnected{PoolHolder::m2}, holder.now, holder.actions);
  holder.core.step(PeerConnected{PoolHolder::m2}, holder.now, holder.actions);
  holder.pass(seconds{1});
  holder.match("dan", 1510);
  const FencingToken again{8, PoolHolder::self};
  holder.grant(again);
  holder.lend({PoolHolder::lent(11, "hal", 1490)},
              again);  // the next run of m2 has its bob's number
  holder.promise();
  const ShadowCounts& counts = holder.core.counters().shadows.at(ModeName{"duel"});
  EXPECT_EQ(counts.earlier, 1U) << "ann";
  EXPECT_EQ(counts.not_yet, 2U) << "dan and hal";
}

}  // namespace
}  // namespace fixkeep::master
