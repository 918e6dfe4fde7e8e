#include "common/net/link/hub_thread.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "tests/unit/common/net/link/test_process.hpp"

namespace fixkeep::net {
namespace {

// A worker whose links have a thread, and whose own io_context runs only when a test lets it.
struct SlowOwner {
  SlowOwner(const LinkOptions& options, const Process& listener) {
    LinkHandlers handlers;
    handlers.on_up = [this](const Peer& peer) { ups.push_back(peer); };
    hear_numbers(handlers, [this](const Peer&, std::uint64_t round) { rounds.push_back(round); });
    handlers.on_down = [this](const Peer&, error_code reason) { downs.push_back(reason); };
    auto started = HubThread::start(io, options, std::move(handlers));
    EXPECT_TRUE(started);
    hub = std::move(*started);
    hub->dial_only({{"m1", "127.0.0.1", listener.hub->port()}});
  }

  asio::io_context io;
  std::vector<Peer> ups;
  std::vector<std::uint64_t> rounds;
  std::vector<error_code> downs;
  std::unique_ptr<HubThread> hub;
};

struct HubThreadTest : LinkHubTest {
  static LinkOptions quick(LinkOptions options) {
    options.heartbeat_interval = 50ms;
    options.heartbeat_timeout = 1s;
    return options;
  }
  template <class Condition>
  [[nodiscard]] bool both(SlowOwner& owner, Condition condition) {
    return until([&] {
      owner.io.poll();
      owner.io.restart();
      return condition();
    });
  }
};

TEST_F(HubThreadTest, an_owner_that_is_busy_for_longer_than_any_timeout_keeps_its_links) {
  const auto listener = start(quick(master()));
  SlowOwner owner{quick(worker()), *listener};
  ASSERT_TRUE(both(owner, [&] { return listener->is_up() && owner.ups.size() == 1; }));
  for (std::uint64_t i = 1; i <= 3; ++i) ASSERT_TRUE(listener->send(Role::worker, "w1", i));
  const auto wakes = std::chrono::steady_clock::now() + 2500ms;
  ASSERT_TRUE(until([&] { return std::chrono::steady_clock::now() > wakes; }));
  EXPECT_TRUE(listener->downs.empty());
  EXPECT_TRUE(owner.rounds.empty()) << "it has not looked yet";
  ASSERT_TRUE(both(owner, [&] { return owner.rounds.size() == 3; }));
  EXPECT_EQ(owner.rounds, (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_TRUE(owner.downs.empty());
}

TEST_F(HubThreadTest, sends_in_order_over_the_link_that_it_was_meant_for) {
  constexpr std::uint64_t count = 10'000;
  const auto listener = start(master());
  SlowOwner owner{worker(), *listener};
  ASSERT_TRUE(both(owner, [&] { return listener->is_up() && owner.ups.size() == 1; }));
  for (std::uint64_t i = 0; i < count; ++i) {
    owner.hub->send(Role::master, "m1", owner.ups[0].link, numbered(Role::worker, Role::master, i));
  }
  owner.hub->send(Role::master, "m1", LinkNumber{77}, numbered(Role::worker, Role::master, count));
  ASSERT_TRUE(both(owner, [&] { return listener->rounds.size() >= count; }));
  for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(listener->rounds[i], i);
  owner.hub->close(Role::master, "m1", owner.ups[0].link, Errc::unexpected_message);
  ASSERT_TRUE(both(owner, [&] { return owner.downs.size() == 1; }));
  EXPECT_EQ(owner.downs[0], Errc::unexpected_message);
  EXPECT_EQ(listener->rounds.size(), count) << "the last one was for another link";
  EXPECT_GE(owner.hub->counters().frames_sent, count);
}

TEST_F(HubThreadTest, what_was_sent_before_the_end_arrives) {
  const auto listener = start(master());
  SlowOwner owner{worker(), *listener};
  ASSERT_TRUE(both(owner, [&] { return listener->is_up() && owner.ups.size() == 1; }));
  owner.hub->send(Role::master, "m1", owner.ups[0].link, numbered(Role::worker, Role::master, 7));
  owner.hub->stop(5s);
  std::thread end{[&] { owner.hub.reset(); }};
  EXPECT_TRUE(until([&] { return listener->downs.size() == 1; }));
  end.join();
  EXPECT_EQ(listener->rounds, std::vector<std::uint64_t>{7});
}

TEST_F(HubThreadTest, ends_at_once_without_being_stopped) {
  const auto listener = start(master());
  auto owner = std::make_unique<SlowOwner>(worker(), *listener);
  ASSERT_TRUE(both(*owner, [&] { return listener->is_up(); }));
  owner.reset();
  EXPECT_TRUE(until([&] { return listener->downs.size() == 1; }));
}

TEST_F(HubThreadTest, an_address_that_cannot_be_listened_on_is_an_error) {
  auto options = master();
  options.listen_address = "no address";
  EXPECT_FALSE(HubThread::start(io, options, {}));
}

// The reason is the same on both ends.
TEST_F(LinkHubTest, says_why_it_closes_a_link) {
  const auto listener = start(master());
  auto options = worker();
  options.reconnect_first = options.reconnect_most = 1h;
  const auto dialler = start(options, *listener);
  ASSERT_TRUE(until([&] { return listener->is_up() && dialler->is_up(); }));
  listener->hub->close(Role::worker, "w1", Errc::answer_missing);
  ASSERT_TRUE(until([&] { return listener->downs.size() == 1 && dialler->downs.size() == 1; }));
  EXPECT_EQ(listener->downs[0], Errc::answer_missing);
  EXPECT_EQ(dialler->downs[0], Errc::answer_missing);
}

}  // namespace
}  // namespace fixkeep::net
