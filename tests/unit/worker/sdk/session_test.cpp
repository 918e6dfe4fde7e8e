#include "worker/sdk/session.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <string>
#include <vector>

namespace fixkeep::worker {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

struct SessionTest : testing::Test {
  SessionTest() {
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
    handlers.changed = [this] { ++changed; };
    handlers.now = [this] { return time; };
    handlers.end_reservation_after = [this](auto after) {
      happened.push_back(after ? "timer " + std::to_string(after->count()) : "no timer");
    };
    session = std::make_shared<Session>(
        SessionFacts{.room = "w1-1-1",
                     .capacity = 2,
                     .counters = {{"rooms", {.count = 1, .capacity = 10}}},
                     .lists = {{"maps", {.capacity = 2, .values = {"ice"}}}}},
        handlers);
  }
  // What the game is told at once, or with the worker's decision.
  std::string connect(const std::string& player, bool admitted) {
    std::string told;
    const auto asked = answers.size();
    session->connect(PlayerId{player}, [&](const SdkResult<bool>& is_in) {
      told += !is_in ? is_in.error().message : *is_in ? "yes" : "no";
    });
    if (answers.size() > asked) answers.back()(admitted);
    return told;
  }
  std::vector<std::string> players() const {
    std::vector<std::string> names;
    for (const PlayerId& player : session->game_server().players.in()) {
      names.push_back(player.text());
    }
    return names;
  }
  std::uint64_t version() const { return session->game_server().resource_version; }

  WallTime time{seconds{1'700'000'000}};
  int changed = 0;
  SessionHandlers handlers;
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
  EXPECT_EQ(session->game_server().deleted, WallTime{seconds{1'700'000'000}});
  EXPECT_THAT(happened, ElementsAre("health", "ready", "shutdown"));
}

TEST_F(SessionTest, tells_the_worker_once_that_the_game_takes_players) {
  session->ready();
  session->ready();
  session->allocate();
  session->ready();
  EXPECT_THAT(happened, ElementsAre("ready"));
}

TEST_F(SessionTest, a_game_that_allocates_itself_takes_players) {
  session->allocate();
  EXPECT_EQ(session->state(), "Allocated");
  EXPECT_THAT(happened, ElementsAre("ready"));
  EXPECT_THAT(session->game_server().metadata.annotations(),
              ElementsAre(testing::Pair("agones.dev/last-allocated", "2023-11-14T22:13:20Z")));
}

TEST_F(SessionTest, begins_with_the_labels_of_its_description_and_those_of_the_worker) {
  const Session labelled{
      {.group = "duel|eu", .mode = "duel", .labels = {{"example.org/tier", "ranked"}}}, handlers};
  EXPECT_THAT(labelled.game_server().metadata.labels(),
              ElementsAre(testing::Pair("example.org/tier", "ranked"),
                          testing::Pair("fixkeep/group", "duel|eu"),
                          testing::Pair("fixkeep/mode", "duel")));
}

TEST_F(SessionTest, a_warm_game_that_is_given_to_a_group_is_allocated_and_labelled) {
  session->ready();
  const auto before = version();
  session->given("duel/region=eu");
  EXPECT_EQ(session->state(), "Allocated");
  EXPECT_EQ(session->game_server().metadata.labels().at("fixkeep/group"), "duel/region=eu");
  EXPECT_GT(version(), before);
}

TEST_F(SessionTest, a_game_that_is_given_while_it_starts_is_allocated_when_it_is_ready) {
  session->given("duel/region=eu");
  EXPECT_EQ(session->state(), "Scheduled");
  EXPECT_EQ(session->game_server().metadata.labels().at("fixkeep/group"), "duel/region=eu");
  EXPECT_THAT(happened, IsEmpty()) << "nobody may believe that it is ready";
  session->ready();
  EXPECT_EQ(session->state(), "Allocated");
  session->ready();
  EXPECT_EQ(session->state(), "Ready") << "once";
}

TEST_F(SessionTest, a_reservation_ends_in_ready) {
  session->reserve(seconds{30});
  EXPECT_EQ(session->state(), "Reserved");
  EXPECT_THAT(happened, ElementsAre("timer 30")) << "a reserved game does not take players yet";
  session->reservation_ended();
  EXPECT_EQ(session->state(), "Ready");
  EXPECT_THAT(happened, ElementsAre("timer 30", "no timer", "ready"));
}

TEST_F(SessionTest, a_reservation_may_be_made_anew_or_for_ever) {
  session->reserve(seconds{30});
  session->reserve(seconds{10});
  session->reserve(seconds{0});
  EXPECT_EQ(session->state(), "Reserved");
  EXPECT_THAT(happened, ElementsAre("timer 30", "timer 10", "no timer"));
  happened.clear();
  session->reserve(seconds{std::numeric_limits<std::int64_t>::max()});
  EXPECT_THAT(happened, ElementsAre("timer " + std::to_string(Session::reservation_most.count())));
}

TEST_F(SessionTest, whatever_follows_a_reservation_stops_its_timer) {
  const std::vector<std::function<void()>> ways{
      [&] { session->ready(); }, [&] { session->allocate(); }, [&] { session->shutdown(); }};
  for (const auto& way : ways) {
    session->reserve(seconds{30});
    happened.clear();
    way();
    EXPECT_EQ(happened.at(0), "no timer");
    const std::string state{session->state()};
    session->reservation_ended();  // was on its way
    EXPECT_EQ(session->state(), state);
  }
}

TEST_F(SessionTest, nothing_leads_out_of_shutdown_or_unhealthy) {
  session->unhealthy();
  const auto before = version();
  session->ready();
  session->allocate();
  session->reserve(seconds{1});
  session->shutdown();
  EXPECT_EQ(session->state(), "Unhealthy");
  EXPECT_EQ(version(), before);
  EXPECT_THAT(happened, IsEmpty());
}

TEST_F(SessionTest, asks_once_for_its_end) {
  session->shutdown();
  session->shutdown();
  session->unhealthy();
  EXPECT_EQ(session->state(), "Shutdown");
  EXPECT_THAT(happened, ElementsAre("shutdown"));
}

TEST_F(SessionTest, the_version_grows_with_each_change_and_with_nothing_else) {
  const auto grows_by = [&](std::uint64_t by, const std::function<void()>& change) {
    const auto before = version();
    change();
    EXPECT_EQ(version(), before + by);
  };
  grows_by(0, [&] { session->health(); });
  grows_by(1, [&] { session->ready(); });
  grows_by(0, [&] { session->ready(); });
  grows_by(1, [&] { session->allocate(); });
  grows_by(1, [&] { session->reserve(seconds{1}); });
  grows_by(0, [&] { session->reserve(seconds{2}); });
  grows_by(1, [&] { (void)session->set_label("a", "b"); });
  grows_by(0, [&] { (void)session->set_label("a", "b"); });
  grows_by(0, [&] { (void)session->set_label("a b", "b"); });
  grows_by(1, [&] { (void)session->set_annotation("a", "b"); });
  grows_by(1, [&] { (void)session->update_counter("rooms", {.difference = 1}); });
  grows_by(0, [&] { (void)session->update_counter("rooms", {.count = 2}); });
  grows_by(0, [&] { (void)session->update_counter("rooms", {.count = 20}); });
  grows_by(1, [&] { (void)session->add_list_value("maps", "dust"); });
  grows_by(0, [&] { (void)session->add_list_value("maps", "dust"); });
  grows_by(1, [&] { (void)session->remove_list_value("maps", "dust"); });
  grows_by(1, [&] { (void)session->update_list("maps", {.capacity = 5}); });
  grows_by(1, [&] { connect("ann", true); });
  grows_by(0, [&] { connect("ann", true); });
  grows_by(0, [&] { connect("eve", false); });
  grows_by(1, [&] { (void)session->disconnect(PlayerId{"ann"}); });
  grows_by(0, [&] { (void)session->disconnect(PlayerId{"ann"}); });
  grows_by(1, [&] { session->set_player_capacity(9); });
  grows_by(0, [&] { session->set_player_capacity(9); });
  grows_by(1, [&] { session->unhealthy(); });
}

TEST_F(SessionTest, a_watch_sees_every_change) {
  std::vector<std::string> seen;
  std::unique_ptr<Watchers::Watch> watch;
  watch = *session->watch([&] {
    seen.emplace_back(session->state());
    watch->sent();
  });
  watch->start();
  session->ready();
  session->allocate();
  EXPECT_THAT(seen, ElementsAre("Scheduled", "Ready", "Allocated"));
}

TEST_F(SessionTest, a_player_is_in_when_the_worker_admits_it_in_the_order_of_coming) {
  EXPECT_EQ(connect("bob", true), "yes");
  EXPECT_EQ(connect("eve", false), "no");
  EXPECT_EQ(connect("ann", true), "yes");
  EXPECT_THAT(players(), ElementsAre("bob", "ann"));
}

TEST_F(SessionTest, a_second_connect_is_false_and_the_worker_hears_of_it) {
  EXPECT_EQ(connect("bob", true), "yes");
  EXPECT_EQ(connect("bob", true), "no");
  EXPECT_THAT(players(), ElementsAre("bob"));
  EXPECT_THAT(happened, ElementsAre("connect bob", "connect bob"));
}

TEST_F(SessionTest, a_second_connect_before_the_answer_to_the_first_is_false) {
  std::vector<bool> told;
  const auto note = [&](const SdkResult<bool>& is_in) { told.push_back(*is_in); };
  session->connect(PlayerId{"bob"}, note);
  session->connect(PlayerId{"bob"}, note);
  EXPECT_THAT(told, ElementsAre(false));
  answers.at(1)(true);
  answers.at(0)(true);
  EXPECT_THAT(told, ElementsAre(false, true));
  EXPECT_THAT(players(), ElementsAre("bob"));
}

TEST_F(SessionTest, a_player_beyond_the_capacity_is_an_error_of_which_the_worker_does_not_hear) {
  connect("ann", true);
  session->connect(PlayerId{"bob"}, [](const SdkResult<bool>&) {});  // waited for
  EXPECT_EQ(connect("eve", true), "Players are already at capacity");
  EXPECT_THAT(happened, ElementsAre("connect ann", "connect bob"));
  answers.back()(false);
  EXPECT_EQ(connect("eve", true), "yes") << "bob was refused";
  session->set_player_capacity(0);
  EXPECT_THAT(players(), ElementsAre("ann", "eve"));
}

TEST_F(SessionTest, a_player_leaves_once_and_the_worker_hears_of_it_each_time) {
  connect("ann", true);
  EXPECT_TRUE(session->disconnect(PlayerId{"ann"}));
  EXPECT_FALSE(session->disconnect(PlayerId{"ann"}));
  EXPECT_THAT(players(), IsEmpty());
  EXPECT_THAT(happened, ElementsAre("connect ann", "disconnect ann", "disconnect ann"));
}

TEST_F(SessionTest, a_player_that_leaves_before_it_is_admitted_is_not_in) {
  std::string told;
  session->connect(PlayerId{"ann"},
                   [&](const SdkResult<bool>& is_in) { told = *is_in ? "y" : "n"; });
  EXPECT_FALSE(session->disconnect(PlayerId{"ann"}));
  answers.back()(true);
  EXPECT_EQ(told, "n");
  EXPECT_THAT(players(), IsEmpty());
  EXPECT_EQ(connect("ann", true), "yes");
}

TEST_F(SessionTest, an_answer_after_the_end_of_the_session_is_still_told) {
  std::string told;
  session->connect(PlayerId{"ann"},
                   [&](const SdkResult<bool>& is_in) { told = *is_in ? "y" : "n"; });
  session.reset();
  answers.back()(true);
  EXPECT_EQ(told, "y");
}

TEST(ParsePlayer, takes_1_to_128_bytes) {
  EXPECT_EQ(parse_player("ann"), PlayerId{"ann"});
  EXPECT_EQ(parse_player(std::string(128, 'a')), PlayerId{std::string(128, 'a')});
  EXPECT_FALSE(parse_player(""));
  EXPECT_FALSE(parse_player(std::string(129, 'a')));
}

// --- over the worker's end

// Another session that goes on with what the first one knows, as bytes.
std::shared_ptr<Session> next_run_of(const Session& session, SessionHandlers handlers) {
  auto memory = to_session_memory(to_bytes(session.memory()));
  EXPECT_TRUE(memory);
  auto next = std::make_shared<Session>(SessionFacts{.room = "w1-1-1", .capacity = 99}, handlers);
  next->go_on_with(std::move(*memory));
  return next;
}

TEST_F(SessionTest, goes_on_with_all_that_its_game_has_said) {
  session->ready();
  session->allocate();
  ASSERT_TRUE(session->set_label("map", "ice"));
  ASSERT_TRUE(session->set_annotation("story", std::string(1000, 'x')));
  ASSERT_TRUE(session->update_counter("rooms", {.count = 7}));
  ASSERT_TRUE(session->add_list_value("maps", "fire"));
  session->set_player_capacity(3);
  connect("anna", true);
  connect("bert", true);
  happened.clear();
  const auto before = session->memory();
  const auto next = next_run_of(*session, handlers);
  EXPECT_THAT(happened, ElementsAre("ready")) << "the worker may have died before it heard of it";
  auto after = next->memory();
  EXPECT_GT(after.resource_version, before.resource_version);
  after.resource_version = before.resource_version;
  EXPECT_EQ(after, before);
  EXPECT_EQ(next->state(), "Allocated");
  EXPECT_EQ(next->game_server().facts.capacity, 99U) << "that is the worker's";
}

TEST_F(SessionTest, goes_on_with_the_rest_of_a_reservation) {
  session->ready();
  session->reserve(seconds{60});
  time += seconds{45};
  happened.clear();
  auto next = next_run_of(*session, handlers);
  EXPECT_THAT(happened, ElementsAre("ready", "timer 15"));
  EXPECT_EQ(next->state(), "Reserved");
  time += seconds{45};
  happened.clear();
  next = next_run_of(*next, handlers);
  EXPECT_THAT(happened, ElementsAre("ready", "timer 0")) << "it ran out while no worker was there";
  session->reserve(seconds{0});
  happened.clear();
  next_run_of(*session, handlers);
  EXPECT_THAT(happened, ElementsAre("ready")) << "for ever";
}

TEST_F(SessionTest, that_wanted_to_end_says_so_again) {
  session->ready();
  session->shutdown();
  happened.clear();
  const auto next = next_run_of(*session, handlers);
  EXPECT_THAT(happened, ElementsAre("shutdown"));
  EXPECT_EQ(next->memory().deleted, time);
}

TEST_F(SessionTest, that_was_given_before_it_was_ready_is_allocated_with_its_first_ready) {
  session->given("duel|eu");
  const auto next = next_run_of(*session, handlers);
  EXPECT_EQ(next->state(), "Scheduled");
  next->ready();
  EXPECT_EQ(next->state(), "Allocated");
  EXPECT_EQ(next->game_server().metadata.labels().at("fixkeep/group"), "duel|eu");
}

TEST_F(SessionTest, tells_of_every_change_also_of_one_that_no_watch_sees) {
  const auto changes = [this](const std::function<void()>& change) {
    changed = 0;
    const auto before = session->memory();
    change();
    EXPECT_EQ(changed > 0, session->memory() != before);
    return changed > 0;
  };
  EXPECT_TRUE(changes([this] { session->ready(); }));
  EXPECT_FALSE(changes([this] { session->ready(); }));
  EXPECT_FALSE(changes([this] { session->health(); }));
  EXPECT_TRUE(changes([this] { session->reserve(seconds{60}); }));
  const auto version_before = version();
  EXPECT_TRUE(changes([this] { session->reserve(seconds{90}); }));
  EXPECT_EQ(version(), version_before);
  EXPECT_TRUE(changes([this] { connect("anna", true); }));
  EXPECT_TRUE(changes([this] { session->disconnect(PlayerId{"anna"}); }));
  EXPECT_TRUE(changes([this] { session->shutdown(); }));
}

TEST_F(SessionTest, of_bytes_that_are_no_memory_knows_nothing) {
  EXPECT_FALSE(to_session_memory("\xff\xff\xff"));
  auto memory = session->memory();
  memory.state = static_cast<GameState>(77);
  EXPECT_FALSE(to_session_memory(to_bytes(memory)));
}

}  // namespace
}  // namespace fixkeep::worker
