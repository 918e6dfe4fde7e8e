// What a hub does with a peer that proves who it is and then talks rubbish.
#include "common/net/link/handshake.hpp"
#include "common/wire/codec.hpp"
#include "common/wire/limits.hpp"
#include "tests/unit/common/net/link/test_process.hpp"

namespace fixkeep::net {
namespace {

std::string prefix_of(std::size_t length) {
  std::string prefix;
  for (int shift = 24; shift >= 0; shift -= 8) prefix += static_cast<char>(length >> shift & 0xFFU);
  return prefix;
}

class LinkRubbishTest : public LinkHubTest {
 protected:
  LinkRubbishTest() : listener(start(master())), honest(start(worker(), *listener)) {
    EXPECT_TRUE(until([&] { return listener->is_up() && honest->is_up(); }));
  }

  // The next frame's payload.
  std::string read(tcp::socket& socket) {
    const auto bytes = [&](std::size_t count) {
      EXPECT_TRUE(until([&] { return socket.available() >= count; }));
      std::string read(count, '\0');
      asio::read(socket, asio::buffer(read));
      return read;
    };
    const auto length = wire::payload_length(bytes(wire::prefix_bytes));
    EXPECT_TRUE(length);
    return bytes(length ? *length : 0);
  }

  // A socket whose other end has taken it for the worker w2.
  tcp::socket proven() {
    const auto options = options_of(Role::worker, "w2", 20);
    Handshake handshake{Handshake::Side::dialler,
                        {.cluster = options.cluster,
                         .secret = options.secret,
                         .self = options.self,
                         .expected_name = "m1",
                         .known_masters = {}},
                        {}};
    auto socket = stranger(*listener);
    auto outcome = Handshake::Outcome::more;
    for (auto said = handshake.open(); outcome == Handshake::Outcome::more;) {
      asio::write(socket, asio::buffer(said));
      said.clear();
      outcome = handshake.receive(read(socket), said);
    }
    EXPECT_EQ(outcome, Handshake::Outcome::done);
    EXPECT_TRUE(until([&] { return listener->ups.size() == 2; }));
    return socket;
  }

  // The link of w2 went down for this reason, once, and the other one works as before.
  void expect_only_down(Errc reason) {
    ASSERT_EQ(listener->downs.size(), 1U);
    EXPECT_EQ(listener->downs[0], reason);
    EXPECT_TRUE(honest->downs.empty());
    ASSERT_TRUE(honest->send(Role::master, "m1", 5));
    EXPECT_TRUE(until([&] { return listener->rounds == std::vector<std::uint64_t>{5}; }));
    EXPECT_EQ(listener->downs.size(), 1U);
  }

  std::unique_ptr<Process> listener;
  std::unique_ptr<Process> honest;
};

TEST_F(LinkRubbishTest, closes_a_proven_link_that_talks_rubbish) {
  auto socket = proven();
  // The length is believable, what follows is not.
  asio::write(socket, asio::buffer(prefix_of(1000) + random_bytes(1000)));
  EXPECT_TRUE(gets_closed(socket));
  expect_only_down(Errc::malformed_message);
  // It dials again, as before, and has no link for a while.
  const auto again = start(options_of(Role::worker, "w2", 20), *listener);
  EXPECT_TRUE(until([&] { return listener->was_refused(Errc::malformed_message); }));
  EXPECT_TRUE(until([&] { return again->was_refused(Errc::malformed_message); }));
  EXPECT_EQ(listener->ups.size(), 2U);
  EXPECT_TRUE(until([&] { return again->is_up(); })) << "its second is over";
}

// On the announcement alone: not a byte of such a frame is waited for.
TEST_F(LinkRubbishTest, closes_a_proven_link_that_announces_an_oversized_frame) {
  auto socket = proven();
  asio::write(socket, asio::buffer(prefix_of(wire::limits::frame_bytes + 1)));
  EXPECT_TRUE(gets_closed(socket));
  expect_only_down(Errc::frame_too_large);
}

// The largest frame there may be, filled by a field that nobody knows.
TEST_F(LinkRubbishTest, takes_a_frame_of_the_largest_size) {
  auto socket = proven();
  std::string frame;
  wire::append_frame(numbered(Role::worker, Role::master, 7), frame);
  auto payload = frame.substr(wire::prefix_bytes);
  auto length = wire::limits::frame_bytes - payload.size() - 7;
  payload += "\xA2\x06";  // field 100: 100 << 3 | 2
  for (int i = 0; i < 4; ++i, length >>= 7U) payload += static_cast<char>(0x80U | (length & 0x7FU));
  payload += static_cast<char>(length);
  payload.resize(wire::limits::frame_bytes, 'x');
  frame = prefix_of(payload.size()) + payload;
  asio::async_write(socket, asio::buffer(frame), [](error_code, std::size_t) {});
  EXPECT_TRUE(until([&] { return listener->rounds == std::vector<std::uint64_t>{7}; }));
  EXPECT_TRUE(listener->downs.empty());
}

// A program that has only masters for peers, as the locks of one master alone.
TEST_F(LinkRubbishTest, closes_the_link_of_a_node_that_nobody_listens_to) {
  LinkHandlers handlers;
  handlers.on_up = [](const Peer&) {};
  handlers.on_down = [](const Peer&, error_code) {};
  const auto deaf = LinkHub::start(io, options_of(Role::master, "m2", 3), std::move(handlers));
  ASSERT_TRUE(deaf);
  const auto speaker = start(options_of(Role::worker, "w3", 30));
  speaker->hub->dial({"m2", "127.0.0.1", (*deaf)->port()});
  ASSERT_TRUE(until([&] { return speaker->is_up(); }));
  ASSERT_TRUE(speaker->send(Role::master, "m2", 7));
  EXPECT_TRUE(until([&] { return speaker->was_refused(Errc::malformed_message); }));
}

// --- directions ---

struct Direction {
  Role from{};
  Role to{};
};

std::vector<wire::Message> one_of_each_kind() {
  return {numbered(Role::worker, Role::master, 7),
          wire::OperatorAnswer{.request = 7, .status = 200},
          numbered(Role::master, Role::worker, 7), wire::OperatorCall{.request = 7},
          numbered(Role::master, Role::master, 7)};
}

class LinkDirectionTest : public LinkHubTest, public testing::WithParamInterface<Direction> {};

// All of them are messages of ours: the link of a node that says one to somebody to whom it cannot
// be said ends there, before anybody looks at it.
TEST_P(LinkDirectionTest, hears_what_can_be_said_to_it_and_takes_the_rest_for_rubbish) {
  const auto& [from, to] = GetParam();
  const auto belongs_here = numbered(from, to, 7).index();
  std::size_t heard = 0;
  for (const wire::Message& message : one_of_each_kind()) {
    const bool both_masters = from == to;
    const auto pair = linked(master(), both_masters ? options_of(Role::master, "m2", 2) : worker());
    Process& speaker = to == Role::worker ? *pair.listener : *pair.dialler;
    Process& hearer = to == Role::worker ? *pair.dialler : *pair.listener;
    ASSERT_TRUE(speaker.hub->send(to, to == Role::worker ? "w1" : "m1", message));
    ASSERT_TRUE(until([&] { return !hearer.rounds.empty() || !hearer.downs.empty(); }));
    if (message.index() == belongs_here) {
      EXPECT_EQ(hearer.rounds, std::vector<std::uint64_t>{7});
      EXPECT_TRUE(hearer.downs.empty());
      ++heard;
    } else {
      EXPECT_TRUE(hearer.rounds.empty());
      EXPECT_EQ(hearer.downs.at(0), Errc::malformed_message);
    }
  }
  EXPECT_EQ(heard, from == to ? 1U : 2U);
}

INSTANTIATE_TEST_SUITE_P(Links, LinkDirectionTest,
                         testing::Values(Direction{Role::worker, Role::master},
                                         Direction{Role::master, Role::worker},
                                         Direction{Role::master, Role::master}));

}  // namespace
}  // namespace fixkeep::net
