#include <gtest/gtest.h>

#include "tests/unit/common/net/link/test_process.hpp"

namespace fixkeep::net {
namespace {

TEST_F(LinkHubTest, says_who_is_up_on_both_sides) {
  const auto [listener, dialler] = linked();
  EXPECT_EQ(listener->ups[0], worker().self);
  EXPECT_EQ(dialler->ups[0], master().self);
}

TEST_F(LinkHubTest, delivers_in_order_both_ways_in_few_writes) {
  constexpr std::uint64_t count = 100'000;
  const auto [listener, dialler] = linked();
  for (std::uint64_t i = 0; i < count; ++i) {
    ASSERT_TRUE(dialler->send(Role::master, "m1", i));
    ASSERT_TRUE(listener->send(Role::worker, "w1", i));
  }
  ASSERT_TRUE(
      until([&] { return listener->rounds.size() == count && dialler->rounds.size() == count; }));
  for (std::uint64_t i = 0; i < count; ++i) {
    ASSERT_EQ(listener->rounds[i], i);
    ASSERT_EQ(dialler->rounds[i], i);
  }
  EXPECT_GE(dialler->hub->counters().frames_sent, count);
  EXPECT_LT(dialler->hub->counters().writes, count / 100);
  EXPECT_GT(listener->batches, 0U);
  EXPECT_LT(listener->batches, count / 10);
}

TEST_F(LinkHubTest, refuses_another_secret_on_both_sides) {
  const auto listener = start(master());
  auto options = worker();
  options.secret = "not-what-the-others-have";
  const auto dialler = start(options, *listener);
  EXPECT_TRUE(until([&] {
    return listener->was_refused(Errc::wrong_secret) && dialler->was_refused(Errc::wrong_secret);
  }));
  EXPECT_TRUE(listener->ups.empty() && dialler->ups.empty());
}

LinkOptions started_at(LinkOptions options, std::uint64_t start) {
  options.self.start = StartNumber{start};
  return options;
}

// As a copied machine is, whose start may be later, earlier or invented.
TEST_F(LinkHubTest, refuses_another_process_of_a_name_until_the_one_that_is_linked_has_gone) {
  const auto listener = start(master());
  auto linked = start(started_at(worker(), 2), *listener);
  ASSERT_TRUE(until([&] { return listener->is_up() && linked->is_up(); }));
  // That it says the same incarnation, which stands in every room's id, does not help it.
  for (const std::uint64_t incarnation : {10, 11}) {
    for (const std::uint64_t begin : {std::uint64_t{1}, std::uint64_t{3}, ~std::uint64_t{0}}) {
      const auto other =
          start(started_at(options_of(Role::worker, "w1", incarnation), begin), *listener);
      ASSERT_TRUE(until([&] { return other->was_refused(Errc::duplicate_node); }));
      EXPECT_TRUE(other->ups.empty());
    }
  }
  const auto next = start(started_at(options_of(Role::worker, "w1", 11), 3), *listener);
  ASSERT_TRUE(until([&] { return next->was_refused(Errc::duplicate_node); }));
  EXPECT_TRUE(listener->downs.empty());
  linked.reset();
  EXPECT_TRUE(until([&] { return next->is_up(); }));
  EXPECT_EQ(listener->downs.size(), 1U);
  EXPECT_EQ(listener->ups.back().incarnation, Incarnation{11});
}

TEST_F(LinkHubTest, replaces_the_older_connection_of_the_same_process) {
  const auto listener = start(master());
  const auto first = start(worker(), *listener);
  ASSERT_TRUE(until([&] { return listener->is_up() && first->is_up(); }));
  std::size_t downs_at_second_up = 0;
  listener->at_up = [&](const Node&) { downs_at_second_up = listener->downs.size(); };
  // The same run of the same node as far as the listener can see.
  auto options = worker();
  options.reconnect_first = options.reconnect_most = 1h;
  const auto again = start(options, *listener);
  ASSERT_TRUE(until([&] { return again->is_up(); }));
  EXPECT_EQ(downs_at_second_up, 1U);
  EXPECT_EQ(listener->downs[0], Errc::link_replaced);
}

// A master says only in the handshake whose players it takes.
TEST_F(LinkHubTest, tells_masters_by_a_new_link_that_it_takes_other_players) {
  auto options = master();
  options.admits = "open";
  const auto listener = start(options);
  const auto linked_worker = start(worker(), *listener);
  auto other = options_of(Role::master, "m2", 2);
  other.admits = "open";
  const auto dialler = start(other, *listener);
  ASSERT_TRUE(until([&] { return dialler->is_up() && linked_worker->is_up(); }));
  ASSERT_TRUE(until([&] { return listener->ups.size() == 2; }));
  dialler->hub->admit("open");
  listener->hub->admit("tokens");
  ASSERT_TRUE(until([&] { return dialler->ups.size() == 2 && listener->ups.size() == 3; }));
  EXPECT_EQ(dialler->admits, (std::vector<std::string>{"open", "tokens"}));
  EXPECT_EQ(listener->downs, (std::vector<error_code>{Errc::connect_anew}));
  dialler->hub->admit("tokens");
  ASSERT_TRUE(until([&] { return dialler->ups.size() == 3 && listener->ups.size() == 4; }));
  EXPECT_EQ(listener->admits.back(), "tokens");
  EXPECT_TRUE(linked_worker->downs.empty()) << "a worker is not told";
}

TEST_F(LinkHubTest, closes_what_talks_rubbish_and_serves_the_others) {
  const auto [listener, dialler] = linked();
  auto socket = stranger(*listener);
  const auto rubbish = random_bytes(1U << 20U);
  asio::async_write(socket, asio::buffer(rubbish), [](error_code, std::size_t) {});
  EXPECT_TRUE(gets_closed(socket));
  ASSERT_FALSE(listener->refused.empty());
  EXPECT_EQ(listener->refused[0], Errc::frame_too_large);
  ASSERT_TRUE(dialler->send(Role::master, "m1", 5));
  EXPECT_TRUE(until([&] { return listener->rounds.size() == 1; }));
  EXPECT_TRUE(listener->downs.empty());
}

TEST_F(LinkHubTest, times_out_who_says_nothing_and_who_says_it_slowly) {
  auto options = master();
  options.handshake_timeout = 200ms;
  options.heartbeat_interval = 20ms;
  const auto listener = start(options);
  auto silent = stranger(*listener);
  EXPECT_TRUE(gets_closed(silent));
  EXPECT_TRUE(listener->was_refused(Errc::handshake_timeout));

  // A byte every 50 ms of a frame that is announced as 1000 bytes long.
  auto slow = stranger(*listener);
  asio::write(slow, asio::buffer(std::string{"\0\0\3\350", 4}));
  asio::steady_timer timer{io};
  std::size_t sent = 0;
  std::function<void()> drip = [&] {
    timer.expires_after(50ms);
    timer.async_wait([&](error_code stopped) {
      error_code error;
      if (!stopped) asio::write(slow, asio::buffer("x", 1), error);
      if (stopped || error || ++sent >= 100) return;
      drip();
    });
  };
  drip();
  EXPECT_TRUE(gets_closed(slow));
  timer.cancel();
  EXPECT_LT(sent, 100U);
}

TEST_F(LinkHubTest, admits_no_more_strangers_than_configured) {
  auto options = master();
  options.pending_handshakes = 2;
  options.handshake_timeout = 1h;
  const auto listener = start(options);
  auto one = stranger(*listener);
  auto two = stranger(*listener);
  auto three = stranger(*listener);
  EXPECT_TRUE(gets_closed(one)) << "the oldest goes";
  EXPECT_TRUE(listener->was_refused(Errc::handshake_crowded_out));
  const auto dialler = start(worker(), *listener);
  EXPECT_TRUE(until([&] { return dialler->is_up(); }));
}

// The hub in between has its own io_context, which is not run: it is a process that was stopped.
TEST_F(LinkHubTest, notices_a_stopped_process_and_takes_it_back) {
  auto options = master();
  options.heartbeat_interval = 20ms;
  options.heartbeat_timeout = 200ms;
  const auto listener = start(options);
  asio::io_context other;
  auto dialled = worker();
  dialled.heartbeat_interval = 20ms;
  dialled.heartbeat_timeout = 200ms;
  Process dialler{other, dialled};
  dialler.hub->dial({"m1", "127.0.0.1", listener->hub->port()});
  const auto both = [&](auto condition) {
    return until([&] {
      other.poll();
      return condition();
    });
  };
  ASSERT_TRUE(both([&] { return listener->is_up() && dialler.is_up(); }));
  ASSERT_TRUE(until([&] { return listener->downs.size() == 1; }));
  EXPECT_EQ(listener->downs[0], Errc::heartbeat_missed);
  ASSERT_TRUE(both([&] { return listener->ups.size() == 2 && dialler.ups.size() == 2; }));
  ASSERT_EQ(dialler.downs.size(), 1U);
  // What happened while it slept is that the other side hung up, and that is what it says.
  EXPECT_NE(dialler.downs[0], Errc::heartbeat_missed);
}

// A process that slept says nothing bad of a peer that went on talking.
TEST_F(LinkHubTest, blames_nobody_for_its_own_sleep) {
  auto options = master();
  options.heartbeat_timeout = 1h;  // the other side is patient
  options.heartbeat_interval = 20ms;
  const auto listener = start(options);
  asio::io_context other;
  auto dialled = worker();
  dialled.heartbeat_interval = 20ms;
  dialled.heartbeat_timeout = 200ms;
  Process dialler{other, dialled};
  dialler.hub->dial({"m1", "127.0.0.1", listener->hub->port()});
  ASSERT_TRUE(until([&] {
    other.poll();
    return listener->is_up() && dialler.is_up();
  }));
  const auto wakes = std::chrono::steady_clock::now() + 500ms;
  ASSERT_TRUE(until([&] { return std::chrono::steady_clock::now() > wakes; }));
  ASSERT_TRUE(listener->send(Role::worker, "w1", 1));
  ASSERT_TRUE(until([&] {
    other.poll();
    return dialler.rounds.size() == 1;
  }));
  EXPECT_TRUE(dialler.downs.empty());
}

// The other side says nothing at all.
TEST_F(LinkHubTest, counts_as_silence_only_what_it_was_awake_for) {
  auto options = master();
  options.heartbeat_timeout = options.heartbeat_interval = 1h;
  const auto listener = start(options);
  asio::io_context other;
  auto dialled = worker();
  dialled.heartbeat_interval = 100ms;
  dialled.heartbeat_timeout = 2s;
  Process dialler{other, dialled};
  dialler.hub->dial({"m1", "127.0.0.1", listener->hub->port()});
  ASSERT_TRUE(until([&] {
    other.poll();
    return listener->is_up() && dialler.is_up();
  }));
  const auto sleep = [&](std::chrono::milliseconds time) {
    const auto wakes = std::chrono::steady_clock::now() + time;
    ASSERT_TRUE(until([&] { return std::chrono::steady_clock::now() > wakes; }));
    other.poll();
    other.poll();
  };
  sleep(2500ms);
  sleep(2500ms);
  EXPECT_TRUE(dialler.downs.empty());
}

TEST_F(LinkHubTest, closes_a_link_whose_other_side_does_not_read) {
  auto options = master();
  options.send_queue_bytes = 1U << 20U;
  options.heartbeat_timeout = 1h;  // or on a slow machine its silence would be what is noticed
  const auto listener = start(options);
  asio::io_context other;
  Process dialler{other, worker()};
  dialler.hub->dial({"m1", "127.0.0.1", listener->hub->port()});
  ASSERT_TRUE(until([&] {
    other.poll();
    return listener->is_up() && dialler.is_up();
  }));
  std::uint64_t sent = 0;
  while (sent < 10'000'000 && listener->send(Role::worker, "w1", sent)) {
    if (++sent % 1000 == 0) io.poll();
  }
  ASSERT_TRUE(until([&] { return listener->downs.size() == 1; }));
  EXPECT_EQ(listener->downs[0], Errc::send_queue_full);
  EXPECT_FALSE(listener->send(Role::worker, "w1", 0));
}

TEST_F(LinkHubTest, comes_back_after_the_listener_restarted) {
  auto listener = start(master());
  const auto dialler = start(worker(), *listener);
  ASSERT_TRUE(until([&] { return dialler->is_up(); }));
  auto options = options_of(Role::master, "m1", 2);
  options.listen_port = listener->hub->port();
  listener.reset();
  ASSERT_TRUE(until([&] { return dialler->downs.size() == 1; }));
  listener = start(options);
  ASSERT_TRUE(until([&] { return dialler->ups.size() == 2; }));
  EXPECT_EQ(dialler->downs.size(), 1U);
  EXPECT_EQ(dialler->ups[1].incarnation, Incarnation{2});
}

TEST_F(LinkHubTest, may_be_called_from_its_handlers) {
  const auto listener = start(master());
  const auto dialler = start(worker());
  listener->at_message = [&](const Node& node, std::uint64_t round) {
    if (round == 1) listener->send(node.role, node.name, 2);
    if (round == 3) listener->hub->close(node.role, node.name, Errc::unexpected_message);
  };
  dialler->at_up = [&](const Node&) { dialler->send(Role::master, "m1", 1); };
  dialler->at_message = [&](const Node&, std::uint64_t) {
    for (std::uint64_t round = 3; round < 10; ++round) dialler->send(Role::master, "m1", round);
  };
  dialler->hub->dial({"m1", "127.0.0.1", listener->hub->port()});
  ASSERT_TRUE(until([&] { return listener->downs.size() == 1; }));
  EXPECT_EQ(listener->downs[0], Errc::unexpected_message);
  EXPECT_EQ(listener->rounds, (std::vector<std::uint64_t>{1, 3}));  // nothing after the close
}

TEST_F(LinkHubTest, sends_what_is_queued_before_it_stops) {
  constexpr std::uint64_t count = 50'000;
  const auto [listener, dialler] = linked();
  for (std::uint64_t i = 0; i < count; ++i) {
    ASSERT_TRUE(dialler->send(Role::master, "m1", i));
    ASSERT_TRUE(listener->send(Role::worker, "w1", i));  // traffic that it will not have read
  }
  dialler->hub->stop(20s);
  EXPECT_FALSE(dialler->send(Role::master, "m1", count));
  ASSERT_TRUE(until([&] { return dialler->downs.size() == 1 && listener->downs.size() == 1; }));
  EXPECT_EQ(listener->rounds.size(), count);
  EXPECT_EQ(dialler->downs[0], Errc::stopping);
  listener->hub->stop(0ms);
  io.run();  // ends, since nothing is left to wait for
}

TEST_F(LinkHubTest, stops_in_time_although_the_other_side_does_not_read) {
  const auto listener = start(master());
  asio::io_context other;
  Process dialler{other, worker()};
  dialler.hub->dial({"m1", "127.0.0.1", listener->hub->port()});
  ASSERT_TRUE(until([&] {
    other.poll();
    return listener->is_up() && dialler.is_up();
  }));
  for (std::uint64_t i = 0; i < 1'000'000; ++i) listener->send(Role::worker, "w1", i);
  listener->hub->stop(100ms);
  EXPECT_TRUE(until([&] { return listener->downs.size() == 1; }));
  EXPECT_EQ(listener->downs[0], Errc::stopping);
}

TEST_F(LinkHubTest, reports_nothing_once_it_is_gone) {
  const auto [listener, dialler] = linked();
  dialler->hub.reset();
  ASSERT_TRUE(until([&] { return listener->downs.size() == 1; }));
  EXPECT_TRUE(dialler->downs.empty());
}

TEST_F(LinkHubTest, reports_a_port_that_is_taken) {
  const auto listener = start(master());
  auto options = options_of(Role::master, "m2", 2);
  options.listen_port = listener->hub->port();
  const auto second = LinkHub::start(io, options, {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error(), boost::system::errc::address_in_use);
}

TEST_F(LinkHubTest, tells_each_time_that_nobody_answers_where_it_dials) {
  tcp::acceptor nobody{io, {asio::ip::address_v4::loopback(), 0}};
  const auto port = nobody.local_endpoint().port();
  nobody.close();
  const auto dialler = start(worker());
  dialler->hub->dial({"m1", "127.0.0.1", port});
  ASSERT_TRUE(until([&] { return dialler->unreachable.size() >= 2; }));
  const auto& failure = dialler->unreachable[0];
  EXPECT_TRUE(failure.dialled);
  EXPECT_EQ(failure.name, "m1");
  EXPECT_EQ(failure.address, "127.0.0.1:" + std::to_string(port));
  EXPECT_EQ(failure.reason, asio::error::connection_refused);
}

TEST_F(LinkHubTest, keeps_the_places_of_masters_free_from_workers) {
  auto few = master();
  few.links = 3;  // m1 and m2 are known
  const auto listener = start(few);
  const auto first = start(worker(), *listener);
  ASSERT_TRUE(until([&] { return first->is_up(); }));
  const auto second = start(options_of(Role::worker, "w2", 20), *listener);
  ASSERT_TRUE(until([&] { return second->was_refused(Errc::too_many_links); }));
  const auto other = start(options_of(Role::master, "m2", 30), *listener);
  EXPECT_TRUE(until([&] { return other->is_up(); }));
}

}  // namespace
}  // namespace fixkeep::net
