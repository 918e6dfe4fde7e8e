#include "worker/shell/paced_actions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <numeric>
#include <string>
#include <vector>

namespace fixkeep::worker {
namespace {

using testing::ElementsAre;

struct Paced : testing::Test {
  void start(std::uint32_t room) {
    StartProcess action;
    action.room = RoomNumber{room};
    actions.add(action);
  }
  void kill(std::uint32_t room) { actions.add(KillProcess{RoomNumber{room}}); }
  void note(const Action& action) {
    if (const auto* started = std::get_if<StartProcess>(&action)) {
      said.push_back("start " + std::to_string(started->room.number()));
    } else if (const auto* killed = std::get_if<KillProcess>(&action)) {
      said.push_back("kill " + std::to_string(killed->room.number()));
    }
  }

  boost::asio::io_context context;
  std::vector<std::string> said;
  int turns = 0;
  PacedActions actions{context, [this](const Action& action) { note(action); },
                       [this] { ++turns; }};
};

TEST_F(Paced, few_starts_and_all_else_happen_at_once) {
  for (std::uint32_t room = 1; room <= 9; ++room) kill(room);
  for (std::uint32_t room = 1; room <= PacedActions::starts_a_turn; ++room) start(room);
  actions.run();
  EXPECT_EQ(said.size(), 9 + PacedActions::starts_a_turn);
  EXPECT_EQ(context.run(), 0U) << "no turn is asked for";
}

TEST_F(Paced, others_have_a_turn_between_many_starts) {
  for (std::uint32_t room = 1; room <= 10; ++room) start(room);
  actions.run();
  ASSERT_EQ(said.size(), PacedActions::starts_a_turn);
  boost::asio::post(context, [this] { said.emplace_back("a master is answered"); });
  context.run_one();
  context.run_one();
  EXPECT_EQ(said.at(2 * PacedActions::starts_a_turn), "a master is answered");
  context.run();
  EXPECT_EQ(said.size(), 11U);
  EXPECT_EQ(said.back(), "start 10");
  EXPECT_EQ(turns, 2);
}

TEST_F(Paced, what_is_added_meanwhile_comes_after_what_waits) {
  for (std::uint32_t room = 1; room <= 5; ++room) start(room);
  actions.run();
  kill(5);
  actions.run();
  EXPECT_EQ(said.size(), PacedActions::starts_a_turn) << "it would be killed before it starts";
  context.run();
  EXPECT_THAT(std::vector(said.begin() + PacedActions::starts_a_turn, said.end()),
              ElementsAre("start 5", "kill 5"));
}

TEST_F(Paced, all_happens_at_once_where_that_is_asked_for) {
  for (std::uint32_t room = 1; room <= 10; ++room) start(room);
  actions.run();
  actions.run_all();
  EXPECT_EQ(said.size(), 10U);
  context.run();
  EXPECT_EQ(said.size(), 10U);
}

TEST_F(Paced, nothing_happens_any_more_when_it_has_gone) {
  auto ends = std::make_unique<PacedActions>(
      context, [this](const Action& action) { note(action); }, [] {});
  for (std::uint32_t room = 1; room <= 5; ++room) {
    StartProcess action;
    action.room = RoomNumber{room};
    ends->add(action);
  }
  ends->run();
  ends.reset();
  context.run();
  EXPECT_EQ(said.size(), PacedActions::starts_a_turn);
}

}  // namespace
}  // namespace fixkeep::worker
