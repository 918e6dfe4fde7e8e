// Masters agree on the modes of a configuration that was read again.
#include "master/core/links/modes_agreement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "master/core/master_core.hpp"

namespace fixkeep::master {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

CoreModes modes(std::uint64_t hash, std::uint32_t warm = 0) {
  CoreModes made{.hash = hash};
  if (warm > 0) {
    made.warm = {{.name = ModeName{"duel"}, .capacity = 4, .rule = {.least = warm, .most = warm}}};
  }
  return made;
}

// Masters with links to each other, whose messages about modes the test carries.
struct ModesOfMasters : testing::Test {
  void start(std::uint16_t number, std::uint64_t hash) {
    MasterOptions options;
    options.self = options.locks.self = MasterId{number};
    options.locks.strategy = "none";
    options.modes.hash = hash;
    cores.try_emplace(MasterId{number}, options, now);
  }
  void start_with(std::uint64_t hash, std::uint16_t masters) {
    for (std::uint16_t number = 1; number <= masters; ++number) start(number, hash);
  }
  void link(std::uint16_t a, std::uint16_t b) {
    step(a, PeerConnected{MasterId{b}});
    step(b, PeerConnected{MasterId{a}});
  }
  void cut(std::uint16_t a, std::uint16_t b) {
    std::erase_if(on_their_way, [&](const auto& each) {
      return (each.from == MasterId{a} && each.to == MasterId{b}) ||
             (each.from == MasterId{b} && each.to == MasterId{a});
    });
    step(a, PeerDisconnected{MasterId{b}});
    step(b, PeerDisconnected{MasterId{a}});
  }
  void step(std::uint16_t number, Event&& event) {
    Actions actions;
    cores.at(MasterId{number}).step(std::move(event), now, actions);
    for (Action& action : actions) {
      if (std::holds_alternative<ModesInEffect>(action)) changed.push_back(number);
      const auto* const sent = std::get_if<SendToPeer>(&action);
      if (sent == nullptr) continue;
      const auto* const known = std::get_if<wire::ModesKnown>(&sent->message);
      if (known != nullptr) on_their_way.push_back({MasterId{number}, sent->peer, *known});
    }
  }
  void wait_for(Duration time) {
    now += time;
    for (const auto& [id, core] : cores) step(id.number(), TimePassed{});
  }
  void carry() {
    for (int most = 100; most > 0 && !on_their_way.empty(); --most) {
      const auto first = on_their_way.front();
      on_their_way.erase(on_their_way.begin());
      step(first.to.number(), PeerSaid{first.from, first.known});
    }
  }
  void read(std::uint16_t number, std::uint64_t hash) {
    step(number, ModesRead{modes(hash)});
    carry();
  }
  [[nodiscard]] std::vector<std::uint16_t> missing(std::uint16_t number) {
    std::vector<std::uint16_t> found;
    for (const MasterId each : cores.at(MasterId{number}).modes().missing(now)) {
      found.push_back(each.number());
    }
    return found;
  }

  struct Message {
    MasterId from;
    MasterId to;
    wire::ModesKnown known;
  };
  TimePoint now{std::chrono::minutes{10}};
  std::map<MasterId, MasterCore> cores;
  std::vector<Message> on_their_way;
  std::vector<std::uint16_t> changed;
};

TEST_F(ModesOfMasters, take_effect_when_all_that_are_linked_have_read_them) {
  start_with(7, 3);
  link(1, 2);
  link(1, 3);
  link(2, 3);
  EXPECT_THAT(on_their_way, IsEmpty()) << "masters that have read nothing say nothing";
  read(1, 8);
  EXPECT_THAT(missing(1), ElementsAre(2, 3));
  read(2, 8);
  EXPECT_THAT(missing(1), ElementsAre(3));
  EXPECT_THAT(changed, IsEmpty());
  read(3, 8);
  EXPECT_THAT(changed, testing::UnorderedElementsAre(1, 2, 3));
}

TEST_F(ModesOfMasters, are_withdrawn_by_a_file_as_before) {
  start_with(7, 2);
  link(1, 2);
  read(1, 8);
  read(1, 7);
  read(2, 8);
  EXPECT_THAT(missing(2), ElementsAre(1));
  EXPECT_THAT(changed, IsEmpty());
}

TEST_F(ModesOfMasters, wait_for_no_master_that_has_had_no_link_for_a_while) {
  start_with(7, 3);
  link(1, 2);
  link(1, 3);
  link(2, 3);
  read(1, 8);
  read(2, 8);
  cut(1, 3);
  cut(2, 3);
  EXPECT_THAT(missing(1), ElementsAre(3)) << "a link may break for a moment";
  EXPECT_EQ(cores.at(MasterId{1}).modes().next_tick(), now + ModesAgreement::patience);
  link(1, 3);
  wait_for(ModesAgreement::patience);
  EXPECT_THAT(changed, ElementsAre(2)) << "the first one has its link again";
  cut(1, 3);
  wait_for(ModesAgreement::patience - std::chrono::milliseconds{1});
  EXPECT_THAT(changed, ElementsAre(2));
  wait_for(std::chrono::milliseconds{1});
  EXPECT_THAT(changed, ElementsAre(2, 1));
}

TEST_F(ModesOfMasters, wait_for_no_master_that_is_not_listed_any_more) {
  start_with(7, 2);
  link(1, 2);
  read(1, 8);
  cut(1, 2);
  step(1, MastersListed{{}});
  EXPECT_THAT(changed, ElementsAre(1));
}

TEST_F(ModesOfMasters, take_effect_with_a_master_that_has_started_with_them) {
  start_with(7, 2);
  link(1, 2);
  read(1, 8);
  cut(1, 2);
  cores.erase(MasterId{2});
  start(2, 8);
  link(1, 2);
  EXPECT_THAT(changed, IsEmpty());
  carry();
  EXPECT_THAT(changed, ElementsAre(1)) << "the other one tells that it has them already";
}

TEST_F(ModesOfMasters, wait_for_what_a_new_link_tells) {
  start_with(7, 3);
  link(1, 2);
  read(1, 8);
  link(1, 3);
  EXPECT_THAT(missing(1), ElementsAre(2, 3));
  carry();
  link(2, 3);
  read(3, 8);
  read(2, 8);
  EXPECT_THAT(changed, testing::UnorderedElementsAre(1, 2, 3));
}

TEST_F(ModesOfMasters, are_told_to_workers_that_keep_warm_rooms) {
  start(1, 7);
  const WorkerId worker{"w"};
  wire::WorkerState state;
  state.modes.known = {ModeName{"duel"}};
  step(1, WorkerConnected{worker, Incarnation{1}});
  step(1, WorkerSaid{worker, state});
  Actions actions;
  const auto told = [&](CoreModes&& next) {
    actions.clear();
    cores.at(MasterId{1}).step(ModesRead{std::move(next)}, now, actions);
    std::optional<wire::KeepWarm> last;
    for (const Action& action : actions) {
      const auto* const sent = std::get_if<SendToWorker>(&action);
      const auto* const keep =
          sent == nullptr ? nullptr : std::get_if<wire::KeepWarm>(&sent->message);
      if (keep != nullptr) last = *keep;
    }
    return last;
  };
  const auto some = told(modes(8, 2));
  ASSERT_TRUE(some);
  EXPECT_THAT(some->pools, ElementsAre(wire::warm_pool_of(ModeName{"duel"}, 4)));
  const auto none = told(modes(9));
  ASSERT_TRUE(none);
  EXPECT_THAT(none->pools, IsEmpty()) << "rooms of the pool are closed";
}

}  // namespace
}  // namespace fixkeep::master
