// The live feed over a real HTTP server and a real view desk. The directory is empty; what the
// master's thread tells beside it is the test's.
#include "master/http/feed/feed.hpp"

#include <gmock/gmock.h>

#include <thread>

#include "common/net/steady_clock.hpp"
#include "master/core/directory/directory.hpp"
#include "tests/support/feed_reader.hpp"

namespace fixkeep::master {
namespace {

using support::FeedReader;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class FeedTest : public ::testing::Test {
 protected:
  FeedTest() {
    server_ = net::HttpServer::start(
                  context_, {},
                  [this](net::HttpRequest&& request, const net::HttpResponder& responder) {
                    const auto last = request["Last-Event-ID"];
                    feed_->read(responder, {last.data(), last.size()});
                  })
                  .value();
    views_->turn(directory_.take_news(), directory_);
    port_ = server_->port();
    thread_ = std::thread{[this] { context_.run(); }};
  }
  ~FeedTest() override {
    boost::asio::post(context_, [this] {
      feed_->stop();
      views_->stop();
      server_.reset();
    });
    work_.reset();
    thread_.join();
  }

  template <class Action>
  auto on_thread(Action action) {
    std::packaged_task<std::invoke_result_t<Action>()> task{std::move(action)};
    auto done = task.get_future();
    boost::asio::post(context_, [&task] { task(); });
    return done.get();
  }
  void seat(std::uint64_t players) {
    on_thread([&] { facts_.counters.seated += players; });
  }

  static FeedOptions quick() {
    FeedOptions options;
    options.pause = std::chrono::milliseconds{5};
    options.keep_alive = std::chrono::milliseconds{100};
    options.linger = std::chrono::milliseconds{300};
    options.readers_most = 3;
    options.events_a_frame = 2;
    options.events_shown = 3;
    return options;
  }

  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      context_.get_executor()};
  Directory directory_{Placement::roomiest};
  FrameFacts facts_;
  std::shared_ptr<ViewDesk> views_ = ViewDesk::start(context_);
  std::shared_ptr<Feed> feed_ = Feed::start(
      context_, {.node = "m7", .cluster = "test", .modes = {}}, *views_, [this] { return facts_; },
      quick());
  std::unique_ptr<net::HttpServer> server_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

TEST_F(FeedTest, begins_with_all_that_is_known) {
  FeedReader reader{port_};
  EXPECT_THAT(reader.head(), HasSubstr("\r\nContent-Type: text/event-stream\r\n"));
  const auto first = reader.next();
  EXPECT_EQ(first.name, "snapshot");
  EXPECT_EQ(first.data["node"], "m7");
  EXPECT_EQ(first.data["cluster"], "test");
  for (const char* key : {"version", "modes", "rooms", "workers", "quarantined", "masters", "locks",
                          "waiting", "counts", "events", "at_ms"}) {
    EXPECT_TRUE(first.data.contains(key)) << key;
  }
}

TEST_F(FeedTest, goes_on_with_what_has_changed_and_nothing_else) {
  FeedReader reader{port_};
  (void)reader.next();
  seat(3);
  const auto change = reader.next();
  EXPECT_EQ(change.name, "change");
  EXPECT_EQ(change.data["counts"]["seated"], 3);
  EXPECT_FALSE(change.data.contains("workers"));
  EXPECT_FALSE(change.data.contains("rooms"));
  EXPECT_THAT(reader.next_text(), StartsWith(": ")) << "nothing new, and the reader learns that";
}

TEST_F(FeedTest, tells_what_waits_and_since_when) {
  const auto at = [](int ms) { return TimePoint{std::chrono::milliseconds{ms}}; };
  FeedReader reader{port_};
  const auto nobody = reader.next().data["waiting"];
  EXPECT_EQ(nobody["requests"], 0);
  EXPECT_TRUE(nobody["since_ms"].is_null());
  EXPECT_TRUE(nobody["groups"].empty());
  on_thread([&] {
    facts_.steady_zero_ms = 1'000'000;
    facts_.waiting = {3, at(5), {{GroupKey{"duel/eu"}, 2, at(5)}, {GroupKey{"duel/us"}, 1, at(9)}}};
  });
  const auto waiting = reader.next().data["waiting"];
  EXPECT_EQ(waiting["requests"], 3);
  EXPECT_EQ(waiting["since_ms"], 1'000'005);
  ASSERT_EQ(waiting["groups"].size(), 2U);
  EXPECT_EQ(waiting["groups"][1]["group"], "duel/us");
  EXPECT_EQ(waiting["groups"][1]["requests"], 1);
  EXPECT_EQ(waiting["groups"][1]["since_ms"], 1'000'009);
  EXPECT_THAT(reader.next_text(), StartsWith(": ")) << "waiting on is no news";
}

TEST_F(FeedTest, tells_the_locks_that_its_master_wants_or_has) {
  const std::chrono::milliseconds since{7};
  FeedReader reader{port_};
  EXPECT_TRUE(reader.next().data["locks"].empty());
  on_thread([&] {
    facts_.steady_zero_ms = 1'000'000;
    facts_.locks.strategy = "multiphase";
    facts_.locks.locks = {
        {GroupKey{"duel/eu"}, lock::Want::holding, "acquired", {7, MasterId{1}}, since},
        {GroupKey{"duel/us"}, lock::Want::waiting, "soliciting", {4, MasterId{2}}, since},
        {GroupKey{"duel/as"}, lock::Want::nothing, "none", {9, MasterId{3}}, since}};
  });
  const auto locks = reader.next().data["locks"];
  ASSERT_EQ(locks.size(), 2U);
  EXPECT_EQ(locks[0]["held"], true);
  EXPECT_EQ(locks[0]["token"], "7.m1");
  EXPECT_EQ(locks[0]["since_ms"], 1'000'007);
  EXPECT_EQ(locks[1]["held"], false);
  EXPECT_EQ(locks[1]["state"], "soliciting");
}

TEST_F(FeedTest, tells_how_long_matches_and_boots_took_and_how_many_rooms_were_duplicates) {
  using std::chrono::microseconds;
  FeedReader reader{port_};
  EXPECT_EQ(reader.next().data["times"]["match"]["counts"].size(), 0U);
  on_thread([&] {
    facts_.match_times.add(microseconds{1});
    facts_.match_times.add(microseconds{5});
    facts_.duplicates = 2;
  });
  const auto change = reader.next().data;
  EXPECT_EQ(change["times"]["match"]["counts"], nlohmann::json({0, 1, 0, 1}));
  EXPECT_EQ(change["times"]["match"]["sum_us"], 6);
  EXPECT_EQ(change["counts"]["duplicates"], 2);
}

TEST_F(FeedTest, times_the_boots_that_it_sees_begin) {
  const WorkerId worker{"w1"};
  FeedReader reader{port_};
  (void)reader.next();
  on_thread([&] {
    const auto zero = net::steady_now();
    const auto learn = [&](Duration after) {
      auto news = directory_.take_news();
      feed_->note(news, directory_, zero + after);
      views_->turn(std::move(news), directory_);
    };
    directory_.connect(worker, Incarnation{1});
    directory_.introduce(worker, {});
    learn(Duration{0});
    wire::RoomInfo room;
    room.number = RoomNumber{1};
    room.place = wire::at_port(20'000);
    room.group = GroupKey{"duel/eu"};
    room.mode = ModeName{"duel"};
    room.capacity = 8;
    EXPECT_TRUE(directory_.put(worker, room));
    learn(Duration{0});
    directory_.change({worker, Incarnation{1}, RoomNumber{1}},
                      {.number = RoomNumber{1}, .phase = wire::RoomPhase::open});
    learn(std::chrono::microseconds{1500});
  });
  // A frame that was being made has the rooms of then and the times of before.
  auto change = reader.next().data;
  if (!change.contains("times")) change = reader.next().data;
  const auto boots = change["times"]["boot"];
  EXPECT_EQ(boots["sum_us"], 1500);
  EXPECT_EQ(boots["counts"].size(), 12U) << "1500 is below 2^11, and not below 2^10";
}

TEST_F(FeedTest, tells_events_up_to_a_bound_and_how_many_are_missing) {
  FeedReader reader{port_};
  (void)reader.next();
  on_thread(
      [&] { feed_->note({}, events::Happenings(5, events::LockWanted{GroupKey{"duel/eu"}})); });
  const auto change = reader.next();
  ASSERT_EQ(change.data["events"].size(), 2U);
  EXPECT_EQ(change.data["events"][0]["event"], "lock-wanted");
  EXPECT_EQ(change.data["events"][0]["group"], "duel/eu");
  EXPECT_EQ(change.data["missed"], 3);
  FeedReader later{port_};
  EXPECT_EQ(later.next().data["events"].size(), 2U) << "those that were told are shown again";
}

TEST_F(FeedTest, gives_who_comes_back_what_was_missed) {
  FeedReader first{port_};
  const auto snapshot = first.next();
  first.close();
  FeedReader other{port_};
  (void)other.next();
  seat(1);
  const auto change = other.next();
  FeedReader again{port_, snapshot.id};
  const auto missed = again.next();
  EXPECT_EQ(missed.name, "change");
  EXPECT_EQ(missed.id, change.id);
  seat(1);
  EXPECT_EQ(again.next().data["counts"]["seated"], 2);
}

TEST_F(FeedTest, gives_a_snapshot_to_who_has_missed_too_much_or_comes_from_elsewhere) {
  FeedReader first{port_};
  const auto id = first.next().id;
  for (const auto& last :
       std::vector<std::string>{"1f.1", "x", ".", id + "0000", id.substr(0, id.find('.'))}) {
    FeedReader reader{port_, last};
    EXPECT_EQ(reader.next().name, "snapshot") << last;
  }
}

TEST_F(FeedTest, forgets_everything_a_while_after_its_last_reader) {
  FeedReader first{port_};
  const auto id = first.next().id;
  first.close();
  EXPECT_TRUE(on_thread([&] { return feed_->wanted(); })) << "it may come back";
  ASSERT_TRUE(net::test::eventually([&] { return !on_thread([&] { return feed_->wanted(); }); }));
  seat(1);
  FeedReader other{port_};
  (void)other.next();
  FeedReader again{port_, id};
  const auto snapshot = again.next();
  EXPECT_EQ(snapshot.name, "snapshot") << "what was not collected is no change";
  EXPECT_NE(snapshot.id, id);
}

TEST_F(FeedTest, has_a_bound_of_readers) {
  FeedReader one{port_};
  FeedReader two{port_};
  FeedReader three{port_};
  FeedReader four{port_};
  EXPECT_THAT(four.head(), StartsWith("HTTP/1.1 503 "));
  two.close();
  ASSERT_TRUE(net::test::eventually([&] {
    const FeedReader next{port_};
    return next.head().starts_with("HTTP/1.1 200 ");
  }));
}

}  // namespace
}  // namespace fixkeep::master
