#include "common/node/event_queue.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/unit/common/net/link/test_process.hpp"

namespace fixkeep::node {
namespace {

using net::LinkNumber;
using net::Role;

LinkChange worker_up(std::uint64_t link) {
  return {Role::worker, "w1", LinkNumber{link}};
}
const LinkChange worker_down{Role::worker, "w1", LinkNumber::none};

TEST(KnownLinks, are_those_of_the_changes_that_were_applied) {
  KnownLinks known;
  EXPECT_EQ(known.of(Role::worker, "w1"), LinkNumber::none);
  known.apply(worker_up(7));
  EXPECT_EQ(known.of(Role::worker, "w1"), LinkNumber{7});
  EXPECT_EQ(known.of(Role::master, "w1"), LinkNumber::none);
  known.apply(worker_down);
  EXPECT_EQ(known.of(Role::worker, "w1"), LinkNumber::none);
  known.apply(worker_up(9));
  EXPECT_EQ(known.of(Role::worker, "w1"), LinkNumber{9});
}

TEST(EventQueue, steps_all_in_the_order_in_which_they_came) {
  EventQueue<int> queue;
  EXPECT_TRUE(queue.push(1));
  EXPECT_FALSE(queue.push(2)) << "a run is awaited already";
  EXPECT_FALSE(queue.push(3));
  std::vector<int> stepped;
  queue.run([&](int event) { stepped.push_back(event); });
  EXPECT_EQ(stepped, (std::vector{1, 2, 3}));
  EXPECT_TRUE(queue.empty());
  EXPECT_TRUE(queue.push(4)) << "the next run has to be asked for";
}

TEST(EventQueue, takes_what_a_step_brings_about_into_the_same_batch) {
  EventQueue<int> queue;
  ASSERT_TRUE(queue.push(1));
  ASSERT_FALSE(queue.push(2));
  std::vector<int> stepped;
  queue.run([&](int event) {
    stepped.push_back(event);
    if (event == 1) {
      EXPECT_FALSE(queue.push(3));
      queue.run([](int) { FAIL() << "a step within a step"; });
    }
  });
  EXPECT_EQ(stepped, (std::vector{1, 2, 3}));
  EXPECT_TRUE(queue.empty());
}

TEST(EventQueue, knows_the_link_as_of_the_event_that_is_stepped) {
  EventQueue<int> queue;
  ASSERT_TRUE(queue.push(1, worker_up(7)));
  ASSERT_FALSE(queue.push(2));
  ASSERT_FALSE(queue.push(3, worker_down));
  ASSERT_FALSE(queue.push(4, worker_up(8)));
  EXPECT_EQ(queue.links().of(Role::worker, "w1"), LinkNumber::none);
  std::vector<LinkNumber> links;
  queue.run([&](int) { links.push_back(queue.links().of(Role::worker, "w1")); });
  EXPECT_EQ(links, (std::vector{LinkNumber{7}, LinkNumber{7}, LinkNumber::none, LinkNumber{8}}));
}

using net::LinkHubTest;

// A core that answers each message with its number, and whose turn comes late: the link of the
// message was replaced before, and the hub has only the newer one.
TEST_F(LinkHubTest, sends_nothing_of_an_older_link_on_the_one_that_replaced_it_in_the_same_batch) {
  using Round = std::optional<std::uint64_t>;  // none: a link came or went
  EventQueue<Round> queue;
  std::size_t arrived = 0;
  std::vector<net::Peer> ups;
  const auto push = [&](Round round, const std::optional<LinkChange>& change) {
    ++arrived;
    (void)queue.push(Round{round}, change);
  };
  net::LinkHandlers handlers;
  handlers.on_up = [&](const net::Peer& peer) {
    ups.push_back(peer);
    push({}, came_up(peer));
  };
  net::hear_numbers(handlers, [&](const net::Peer&, std::uint64_t round) { push(round, {}); });
  handlers.on_down = [&](const net::Peer& peer, boost::system::error_code) {
    push({}, went_down(peer));
  };
  auto started = net::LinkHub::start(io, master(), handlers);
  ASSERT_TRUE(started);
  const auto hub = std::move(*started);

  auto once = worker();
  once.reconnect_first = once.reconnect_most = std::chrono::hours{1};
  const auto first = start(once);
  first->hub->dial({"m1", "127.0.0.1", hub->port()});
  ASSERT_TRUE(until([&] { return first->is_up() && arrived == 1; }));
  ASSERT_TRUE(first->send(Role::master, "m1", 5));
  ASSERT_TRUE(until([&] { return arrived == 2; }));
  const auto second = start(once);  // the same run of the same node, as far as the hub can see
  second->hub->dial({"m1", "127.0.0.1", hub->port()});
  ASSERT_TRUE(until([&] { return second->is_up() && arrived == 4; }));
  ASSERT_EQ(ups.size(), 2U);
  EXPECT_LT(ups[0].link, ups[1].link);

  const auto known = [&] { return queue.links().of(Role::worker, "w1"); };
  std::vector<bool> sent;
  queue.run([&](Round round) {
    if (!round) return;
    sent.push_back(
        hub->send(Role::worker, "w1", known(), net::numbered(Role::master, Role::worker, *round)));
    hub->close(Role::worker, "w1", known(), Errc::unexpected_message);
  });
  EXPECT_EQ(sent, std::vector{false});
  ASSERT_TRUE(hub->send(Role::worker, "w1", known(), net::numbered(Role::master, Role::worker, 6)));
  ASSERT_TRUE(until([&] { return !second->rounds.empty(); }));
  EXPECT_EQ(second->rounds, std::vector<std::uint64_t>{6});
  EXPECT_TRUE(second->is_up());
}

}  // namespace
}  // namespace fixkeep::node
