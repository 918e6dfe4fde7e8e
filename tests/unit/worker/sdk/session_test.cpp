#include "worker/sdk/session.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "worker/sdk/transports.hpp"

namespace fixkeep::worker {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct SessionTest : testing::Test {
  SessionTest() {
    SessionHandlers handlers;
    handlers.ready = [this] { happened.emplace_back("ready"); };
    handlers.health = [this] { happened.emplace_back("health"); };
    handlers.shutdown = [this] { happened.emplace_back("shutdown"); };
    handlers.connect = [this](const PlayerId& player, std::function<void(bool)> answer) {
      happened.push_back("connect " + player.text());
      answers.push_back(std::move(answer));
    };
    handlers.disconnect = [this](const PlayerId& player) {
      happened.push_back("disconnect " + player.text());
    };
    session = std::make_shared<Session>(SessionFacts{.room = "w1-1-1", .capacity = 4}, handlers);
  }
  // What the game is told, once the worker has decided.
  std::string connect(const std::string& player, bool admitted) {
    std::string told;
    session->connect(PlayerId{player}, [&](bool yes) { told += yes ? "yes" : "no"; });
    EXPECT_EQ(told, "") << "before the worker has decided";
    answers.back()(admitted);
    return told;
  }
  std::vector<std::string> players() const {
    std::vector<std::string> names;
    for (const PlayerId& player : session->players()) names.push_back(player.text());
    return names;
  }

  std::vector<std::string> happened;
  std::vector<std::function<void(bool)>> answers;
  std::shared_ptr<Session> session;
};

TEST_F(SessionTest, keeps_the_state_that_the_game_says_and_passes_it_on) {
  EXPECT_EQ(session->state(), "Scheduled");
  session->health();
  EXPECT_EQ(session->state(), "Scheduled");
  session->ready();
  EXPECT_EQ(session->state(), "Ready");
  session->shutdown();
  EXPECT_EQ(session->state(), "Shutdown");
  EXPECT_THAT(happened, ElementsAre("health", "ready", "shutdown"));
}

TEST_F(SessionTest, a_player_is_in_when_the_worker_admits_it) {
  EXPECT_EQ(connect("bob", true), "yes");
  EXPECT_EQ(connect("ann", true), "yes");
  EXPECT_EQ(connect("eve", false), "no");
  EXPECT_EQ(connect("bob", true), "yes") << "again, on another connection";
  EXPECT_THAT(players(), ElementsAre("ann", "bob"));
}

TEST_F(SessionTest, a_player_leaves_once_and_the_worker_hears_of_it_each_time) {
  connect("ann", true);
  EXPECT_TRUE(session->disconnect(PlayerId{"ann"}));
  EXPECT_FALSE(session->disconnect(PlayerId{"ann"}));
  EXPECT_THAT(players(), IsEmpty());
  EXPECT_THAT(happened, ElementsAre("connect ann", "disconnect ann", "disconnect ann"));
}

TEST_F(SessionTest, an_answer_after_the_end_of_the_session_is_still_told) {
  std::string told;
  session->connect(PlayerId{"ann"}, [&](bool yes) { told = yes ? "yes" : "no"; });
  session.reset();
  answers.back()(true);
  EXPECT_EQ(told, "yes");
}

TEST(ParsePlayer, takes_1_to_128_bytes) {
  EXPECT_EQ(parse_player("ann"), PlayerId{"ann"});
  EXPECT_EQ(parse_player(std::string(128, 'a')), PlayerId{std::string(128, 'a')});
  EXPECT_FALSE(parse_player(""));
  EXPECT_FALSE(parse_player(std::string(129, 'a')));
}

TEST(Transports, are_all_started_and_named_in_the_environment) {
  boost::asio::io_context context{1};
  const auto started =
      start_transports(context, std::make_shared<Session>(SessionFacts{}, SessionHandlers{}));
  ASSERT_TRUE(started);
  EXPECT_EQ(started->size(), transport_kinds.size());
  EXPECT_THAT(variables_of(*started), testing::Contains(testing::Key("AGONES_SDK_HTTP_PORT")));
}

}  // namespace
}  // namespace fixkeep::worker
