#include "common/node/known_links.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "tests/unit/common/net/link/test_process.hpp"

namespace fixkeep::net {
namespace {

Peer worker_on(std::uint64_t link) {
  Peer peer;
  peer.role = Role::worker;
  peer.name = "w1";
  peer.link = LinkNumber{link};
  return peer;
}

TEST(KnownLinks, are_those_of_the_events_that_were_applied) {
  KnownLinks known;
  EXPECT_EQ(known.of(Role::worker, "w1"), LinkNumber::none);
  known.apply(came_up(worker_on(7)));
  EXPECT_EQ(known.of(Role::worker, "w1"), LinkNumber{7});
  EXPECT_EQ(known.of(Role::master, "w1"), LinkNumber::none);
  known.apply(went_down(worker_on(7)));
  EXPECT_EQ(known.of(Role::worker, "w1"), LinkNumber::none);
  known.apply(came_up(worker_on(9)));
  EXPECT_EQ(known.of(Role::worker, "w1"), LinkNumber{9});
}

// What a shell keeps of an event: a message, or a change of a link.
struct Arrival {
  std::optional<std::uint64_t> round;
  std::optional<LinkChange> change;
};

// A shell whose core answers each message with its number, and whose turn comes late: the link of
// the message was replaced before, and the hub has only the newer one.
TEST_F(LinkHubTest, sends_nothing_of_an_older_link_on_the_one_that_replaced_it_in_the_same_batch) {
  std::vector<Arrival> inbox;
  std::vector<Peer> ups;
  LinkHandlers handlers;
  handlers.on_up = [&](const Peer& peer) {
    ups.push_back(peer);
    inbox.push_back({{}, came_up(peer)});
  };
  handlers.on_message = [&](const Peer&, wire::Message&& message) {
    inbox.push_back({std::get<wire::LockMessage>(message).round, {}});
  };
  handlers.on_down = [&](const Peer& peer, error_code) { inbox.push_back({{}, went_down(peer)}); };
  auto started = LinkHub::start(io, master(), handlers);
  ASSERT_TRUE(started);
  const auto hub = std::move(*started);

  auto once = worker();
  once.reconnect_first = once.reconnect_most = 1h;
  const auto first = start(once);
  first->hub->dial("m1", "127.0.0.1", hub->port());
  ASSERT_TRUE(until([&] { return first->is_up() && inbox.size() == 1; }));
  ASSERT_TRUE(first->send(Role::master, "m1", 5));
  ASSERT_TRUE(until([&] { return inbox.size() == 2; }));
  const auto second = start(once);  // the same run of the same node, as far as the hub can see
  second->hub->dial("m1", "127.0.0.1", hub->port());
  ASSERT_TRUE(until([&] { return second->is_up() && inbox.size() == 4; }));
  ASSERT_EQ(ups.size(), 2U);
  EXPECT_LT(ups[0].link, ups[1].link);

  KnownLinks known;
  std::vector<bool> sent;
  for (const auto& arrival : inbox) {
    if (arrival.change) known.apply(*arrival.change);
    if (!arrival.round) continue;
    sent.push_back(
        hub->send(Role::worker, "w1", known.of(Role::worker, "w1"), numbered(*arrival.round)));
    hub->close(Role::worker, "w1", known.of(Role::worker, "w1"), Errc::unexpected_message);
  }
  EXPECT_EQ(sent, std::vector{false});
  ASSERT_TRUE(hub->send(Role::worker, "w1", known.of(Role::worker, "w1"), numbered(6)));
  ASSERT_TRUE(until([&] { return !second->rounds.empty(); }));
  EXPECT_EQ(second->rounds, std::vector<std::uint64_t>{6});
  EXPECT_TRUE(second->is_up());
}

TEST_F(LinkHubTest, tells_how_long_the_other_side_may_take_to_dial_again) {
  std::vector<Peer> ups;
  LinkHandlers handlers;
  handlers.on_up = [&](const Peer& peer) { ups.push_back(peer); };
  handlers.on_message = [](const Peer&, wire::Message&&) {};
  handlers.on_down = [](const Peer&, error_code) {};
  auto started = LinkHub::start(io, master(), handlers);
  ASSERT_TRUE(started);
  const auto hub = std::move(*started);
  auto options = worker();
  options.reconnect_most = 1234ms;
  const auto dialler = start(options);
  dialler->hub->dial("m1", "127.0.0.1", hub->port());
  ASSERT_TRUE(until([&] { return !ups.empty(); }));
  EXPECT_EQ(ups[0].redial_most, 1234ms);
}

TEST_F(LinkHubTest, tells_each_time_that_nobody_answers_where_it_dials) {
  tcp::acceptor nobody{io, {asio::ip::address_v4::loopback(), 0}};
  const auto port = nobody.local_endpoint().port();
  nobody.close();
  const auto dialler = start(worker());
  dialler->hub->dial("m1", "127.0.0.1", port);
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
