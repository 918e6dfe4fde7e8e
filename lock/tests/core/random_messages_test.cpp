// Honest masters among peers that say anything: nothing asserts. No master is granted a lock
// without a question. The table's own books stay in order. Two honest masters still exclude each
// other, however a third one lies: each needs the other's grant.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "common/base/random.hpp"
#include "lock/core/any_machine.hpp"
#include "lock/tests/core/table_mesh.hpp"

namespace fixkeep::lock {
namespace {

std::uint64_t any_number(Random& random) {
  return random.chance(0.7) ? random.below(6) : random.next();
}

LockMessage any_message(Random& random) {
  LockMessage message;
  message.key = GroupKey{std::string(1, static_cast<char>('a' + random.below(3)))};
  message.kind = static_cast<std::uint8_t>(random.chance(0.9) ? random.below(9) : random.next());
  message.round = any_number(random);
  message.token = {any_number(random), MasterId{static_cast<std::uint16_t>(random.below(9))}};
  message.value.stamp = {any_number(random), MasterId{static_cast<std::uint16_t>(random.below(9))}};
  message.value.uncertain = random.chance(0.3);
  message.value.bytes = std::string(random.below(4), 'x');
  message.epoch = {any_number(random), MasterId{static_cast<std::uint16_t>(random.below(9))}};
  for (auto turns = random.below(4); turns > 0; --turns) {
    message.turns.push_back({MasterId{static_cast<std::uint16_t>(random.below(9))},
                             any_number(random), random.chance(0.5)});
  }
  return message;
}

// Often one that may be believed, after what we have `told` a peer.
LockMessage any_answer(Random& random, const LockMessage& told) {
  auto message = any_message(random);
  if (random.chance(0.5)) return message;
  message.key = told.key;
  message.round = told.round;
  return message;
}

// Masters 1 and 2 are honest, 3 lies.
class LyingPeer {
 public:
  LyingPeer(const std::string& strategy, std::uint64_t seed) : random_(seed) {
    for (int self = 1; self <= 2; ++self) {
      MeshView mesh{.self = id_of(self), .configured = {id_of(3 - self), id_of(3)}};
      mesh.connected = mesh.up = mesh.configured;
      mesh.met = mesh.joined = true;
      honest_.emplace(self, Honest{make_machine(strategy, mesh), Want::nothing, {}});
    }
  }

  void step() {
    const int self = 1 + static_cast<int>(random_.below(2));
    auto& honest = honest_.at(self);
    switch (random_.below(5)) {
      case 0: caller(self, honest); break;
      case 1:
      case 2: {
        auto& inbox = honest.inbox;
        if (inbox.empty()) break;
        const auto message = inbox.front();
        inbox.pop_front();
        perform(self, Receive{id_of(3 - self), message});
        break;
      }
      case 3: {
        auto lie = any_message(random_);
        // One that may be believed: about the other's question, or its own.
        if (random_.chance(0.4)) lie.round = honest.told_liar.value_or(round_of(honest));
        if (random_.chance(0.4)) lie.round = honest.last_lie;
        honest.last_lie = lie.round;
        perform(self, Receive{id_of(3), lie});
        break;
      }
      case 4:
        perform(self, Receive{id_of(static_cast<int>(4 + random_.below(9))), any_message(random_)});
        if (std::exchange(honest.timer, false)) perform(self, Tick{});
        break;
    }
    EXPECT_FALSE(holds(1) && holds(2));
  }

  [[nodiscard]] int grants() const { return grants_; }

 private:
  enum class Want : std::uint8_t { nothing, waiting, holding };
  struct Honest {
    AnyMachine machine;
    Want want = Want::nothing;
    std::deque<LockMessage> inbox;  // from the other honest one
    bool timer = false;
    std::optional<std::uint64_t> told_liar{};  // the round of the last message to it
    std::uint64_t last_lie = 0;                // and of the last one from it
  };

  [[nodiscard]] bool holds(int self) const {
    return std::visit([](auto& seen) { return seen.holding(); }, honest_.at(self).machine);
  }
  static std::uint64_t round_of(const Honest& honest) {
    return std::visit([](auto& seen) { return seen.round(); }, honest.machine);
  }
  static FencingToken highest_of(const Honest& honest) {
    return std::visit([](auto& seen) { return seen.highest(); }, honest.machine);
  }

  void caller(int self, Honest& honest) {
    switch (honest.want) {
      case Want::nothing:
        honest.want = Want::waiting;
        perform(self, Acquire{});
        return;
      case Want::waiting:
        if (!random_.chance(0.3)) return;
        honest.want = Want::nothing;
        perform(self, Abandon{});
        return;
      case Want::holding:
        honest.want = Want::nothing;
        perform(self, Release{highest_of(honest), {}});
        return;
    }
  }

  void perform(int self, const LockEvent& event) {
    LockActions out;
    auto& honest = honest_.at(self);
    std::visit([&](auto& machine) { machine.step(event, {}, out); }, honest.machine);
    for (const auto& action : out) {
      if (const auto* send = std::get_if<Send>(&action)) {
        if (send->to == id_of(3 - self)) honest_.at(3 - self).inbox.push_back(send->message);
        if (send->to == id_of(3)) honest.told_liar = send->message.round;
      } else if (std::holds_alternative<Granted>(action)) {
        EXPECT_EQ(honest.want, Want::waiting);
        honest.want = Want::holding;
        ++grants_;
      } else if (const auto* timer = std::get_if<SetTimer>(&action)) {
        honest.timer = timer->at != TimePoint::max();
      }
    }
  }

  Random random_;
  std::map<int, Honest> honest_;
  int grants_ = 0;
};

class LyingPeers : public testing::TestWithParam<std::string> {};

TEST_P(LyingPeers, do_not_keep_honest_masters_from_excluding_each_other) {
  int grants = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    LyingPeer mesh{GetParam(), seed};
    for (int i = 0; i < 20'000 && !testing::Test::HasFailure(); ++i) mesh.step();
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
    grants += mesh.grants();
  }
  EXPECT_GT(grants, 100);  // the liar does grant by chance, so this is not vacuous
}

// Not the coordinator: it is believed. Not a token: a liar can make a second one.
INSTANTIATE_TEST_SUITE_P(Mesh, LyingPeers,
                         testing::ValuesIn(mesh_locks_without({"coordinator", "suzuki-kasami",
                                                               "naimi-trehel", "raymond"})),
                         lock_of);

// One table, all kinds of events in any order that its driver's side allows.
class RandomMessages : public testing::TestWithParam<std::string> {};

TEST_P(RandomMessages, do_not_confuse_the_books_of_a_table) {
  std::uint64_t grants = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random{seed};
    LockTable table{{.strategy = GetParam(),
                     .self = id_of(2),
                     .peers = {id_of(1), id_of(3)},
                     .wait = std::chrono::milliseconds{300},
                     .lease = std::chrono::milliseconds{200},
                     .idle = std::chrono::milliseconds{500},
                     .keys = 2},
                    start_of_time};
    enum class Want : std::uint8_t { nothing, waiting, holding };
    std::map<GroupKey, Want> wants;
    TimePoint now = start_of_time;
    TableActions out;
    LockMessage told;  // the last that a peer was sent
    for (int i = 0; i < 1'000; ++i) {
      now += std::chrono::milliseconds{random.below(20)};
      const auto peer = id_of(static_cast<int>(random.below(5)));
      const GroupKey key{std::string(1, static_cast<char>('a' + random.below(3)))};
      switch (random.below(8)) {
        case 0: table.connected(peer, {}, now, out); break;
        case 1: table.disconnected(peer, now, out); break;
        case 2: {
          MeshHello hello{.last = random.chance(0.7), .highest_counter = any_number(random)};
          for (auto n = random.below(3); n > 0; --n) {
            hello.outstanding.push_back(any_message(random));
          }
          (void)table.receive(peer, hello, now, out);
          break;
        }
        case 3: table.tick(now, out); break;
        case 4:
          if (wants[key] == Want::nothing) {
            wants[key] = Want::waiting;
            table.acquire(key, now, out);
          } else if (wants[key] == Want::holding) {
            wants[key] = Want::nothing;
            table.release(key, any_message(random).token, any_message(random).value, now, out);
          }
          break;
        case 5:
          if (wants[key] == Want::waiting && random.chance(0.3)) {
            wants[key] = Want::nothing;
            table.abandon(key, now, out);
          }
          break;
        default: (void)table.receive(peer, any_answer(random, told), now, out); break;
      }
      for (const auto& action : out) {
        if (const auto* granted = std::get_if<KeyGranted>(&action)) {
          ASSERT_EQ(wants[granted->key], Want::waiting) << "seed " << seed;
          ASSERT_LE(granted->token.counter, largest_counter) << "seed " << seed;
          wants[granted->key] = Want::holding;
          ++grants;
        } else if (const auto* send = std::get_if<SendToPeer>(&action)) {
          if (const auto* message = std::get_if<LockMessage>(&send->message)) told = *message;
        } else if (const auto* lost = std::get_if<KeyLost>(&action)) {
          ASSERT_NE(wants[lost->key], Want::nothing) << "seed " << seed;
          wants[lost->key] = Want::nothing;
        }
      }
      out.clear();
      ASSERT_LE(table.status(9).size(), 2U);
    }
  }
  // A vote that is given to a liar comes back with the exact words only.
  EXPECT_GT(grants, has_quorums(GetParam()) ? 5U : 300U);
}

INSTANTIATE_TEST_SUITE_P(Mesh, RandomMessages, testing::ValuesIn(mesh_locks_without()), lock_of);

}  // namespace
}  // namespace fixkeep::lock
