#include <gtest/gtest.h>

#include <string>

#include "common/base/random.hpp"
#include "common/net/link/handshake.hpp"
#include "common/wire/codec.hpp"
#include "common/wire/limits.hpp"
#include "tests/support/version_1.hpp"
#include "typed.pb.h"

namespace fixkeep::net {
namespace {

using Outcome = Handshake::Outcome;

HandshakeOptions options_of(Role role, const std::string& name) {
  return {.cluster = "test",
          .secret = "a-secret-of-the-tests",
          .certified = std::nullopt,
          .self = {role, name, Incarnation{7}},
          .expected_name = "m1",
          .known_masters = {"m1", "m2", "m3"}};
}

HandshakeOptions worker() {
  return options_of(Role::worker, "w1");
}

HandshakeOptions master() {
  return options_of(Role::master, "m1");
}

auth::Digest challenge(unsigned char byte) {
  auth::Digest bytes{};
  bytes.fill(byte);
  return bytes;
}

std::string payload(const std::string& frame) {
  EXPECT_GE(frame.size(), wire::prefix_bytes);
  return frame.substr(std::min(frame.size(), wire::prefix_bytes));
}

struct Ends {
  Errc dialler{};
  Errc listener{};
};

// Lets the two talk until one of them ends it, and says how each one's own end came.
Ends converse(Handshake& dialler, Handshake& listener) {
  std::string to_listener = dialler.open();
  for (;;) {
    std::string to_dialler;
    auto outcome = listener.receive(payload(to_listener), to_dialler);
    if (outcome == Outcome::verified) {
      std::string nothing;
      const auto last = dialler.receive(payload(listener.accept()), nothing);
      return {last == Outcome::done ? Errc{} : dialler.error(), Errc{}};
    }
    if (to_dialler.empty()) return {dialler.error(), listener.error()};
    to_listener.clear();
    outcome = dialler.receive(payload(to_dialler), to_listener);
    if (outcome != Outcome::more) return {dialler.error(), listener.error()};
  }
}

Ends converse(HandshakeOptions dialler, HandshakeOptions listener) {
  Handshake one{Handshake::Side::dialler, std::move(dialler), challenge(1)};
  Handshake other{Handshake::Side::listener, std::move(listener), challenge(2)};
  return converse(one, other);
}

TEST(LinkHandshake, tells_each_side_who_the_other_is) {
  Handshake dialler{Handshake::Side::dialler, worker(), challenge(1)};
  Handshake listener{Handshake::Side::listener, master(), challenge(2)};
  const auto ends = converse(dialler, listener);
  EXPECT_EQ(ends.dialler, Errc{});
  EXPECT_EQ(ends.listener, Errc{});
  EXPECT_EQ(listener.peer(), worker().self);
  EXPECT_EQ(dialler.peer(), master().self);
}

TEST(LinkHandshake, tells_both_sides_what_is_wrong) {
  auto other_cluster = worker();
  other_cluster.cluster = "production";
  EXPECT_EQ(converse(other_cluster, master()).listener, Errc::wrong_cluster);
  EXPECT_EQ(converse(other_cluster, master()).dialler, Errc::wrong_cluster);

  auto other_secret = worker();
  other_secret.secret = "another-secret-of-them";
  EXPECT_EQ(converse(other_secret, master()).listener, Errc::wrong_secret);
  EXPECT_EQ(converse(other_secret, master()).dialler, Errc::wrong_secret);

  EXPECT_EQ(converse(options_of(Role::master, "m9"), master()).dialler, Errc::unknown_node);
  EXPECT_EQ(converse(options_of(Role::master, "m1"), master()).dialler, Errc::duplicate_node);

  auto expects_another = worker();
  expects_another.expected_name = "m2";
  EXPECT_EQ(converse(expects_another, master()).dialler, Errc::unknown_node);
}

// What the dialler would say if it spoke another version of the protocol.
std::string greeting_of_version(std::uint32_t version) {
  Handshake dialler{Handshake::Side::dialler, worker(), challenge(1)};
  wire::typed::HandshakeFrame frame;
  EXPECT_TRUE(frame.ParseFromString(payload(dialler.open())));
  wire::typed::Greeting greeting;
  EXPECT_TRUE(greeting.ParseFromString(frame.greeting()));
  greeting.set_version(version);
  frame.set_greeting(greeting.SerializeAsString());
  return frame.SerializeAsString();
}

TEST(LinkHandshake, refuses_every_version_but_its_own) {
  constexpr auto own = wire::limits::protocol_version;
  for (const std::uint32_t version : {0U, own - 1, own + 1, ~0U}) {
    Handshake listener{Handshake::Side::listener, master(), challenge(2)};
    std::string refusal;
    EXPECT_EQ(listener.receive(greeting_of_version(version), refusal), Outcome::failed);
    EXPECT_EQ(listener.error(), Errc::wrong_version);
    EXPECT_EQ(listener.other_version(), version);
    EXPECT_EQ(listener.peer().name, "w1") << "as it says";
    Handshake dialler{Handshake::Side::dialler, worker(), challenge(1)};
    std::string nothing;
    EXPECT_EQ(dialler.receive(payload(refusal), nothing), Outcome::failed);
    EXPECT_EQ(dialler.error(), Errc::wrong_version);
    EXPECT_EQ(dialler.other_version(), own) << "that the listener speaks";
  }
  Handshake listener{Handshake::Side::listener, master(), challenge(2)};
  std::string answer;
  EXPECT_EQ(listener.receive(greeting_of_version(own), answer), Outcome::more);
}

TEST(LinkHandshake, tells_a_node_of_version_1_in_its_words_and_knows_its_version) {
  Handshake listener{Handshake::Side::listener, master(), challenge(2)};
  std::string refusal;
  EXPECT_EQ(listener.receive(payload(test::greeting_of_version_1()), refusal), Outcome::failed);
  EXPECT_EQ(listener.error(), Errc::wrong_version);
  EXPECT_EQ(listener.other_version(), 1U);
  EXPECT_EQ(listener.peer().name, "w1");
  EXPECT_EQ(payload(test::greeting_of_version_1()), greeting_of_version(1));
  EXPECT_EQ(payload(refusal).substr(0, 2), payload(test::refusal_of_version_1()))
      << "what follows it skips";

  Handshake dialler{Handshake::Side::dialler, worker(), challenge(1)};
  std::string nothing;
  EXPECT_EQ(dialler.receive(payload(test::refusal_of_version_1()), nothing), Outcome::failed);
  EXPECT_EQ(dialler.error(), Errc::wrong_version);
  EXPECT_EQ(dialler.other_version(), 1U) << "later ones say it";
}

TEST(LinkHandshake, believes_the_certificate_of_a_node_of_version_1_and_not_its_greeting) {
  auto options = master();
  options.certified = CertifiedNode{"test", Role::worker, "w9"};
  Handshake listener{Handshake::Side::listener, options, challenge(2)};
  std::string refusal;
  EXPECT_EQ(listener.receive(payload(test::greeting_of_version_1()), refusal), Outcome::failed);
  EXPECT_EQ(listener.error(), Errc::wrong_version);
  EXPECT_EQ(listener.peer().name, "w9");
}

TEST(LinkHandshake, knows_no_version_of_a_node_that_refuses_for_another_reason) {
  Handshake dialler{Handshake::Side::dialler, worker(), challenge(1)};
  std::string nothing;
  EXPECT_EQ(dialler.receive(payload(refusal_frame(Errc::unknown_node)), nothing), Outcome::failed);
  EXPECT_EQ(dialler.other_version(), 0U);
}

TEST(LinkHandshake, never_sends_the_secret) {
  Handshake dialler{Handshake::Side::dialler, worker(), challenge(1)};
  Handshake listener{Handshake::Side::listener, master(), challenge(2)};
  std::string all = dialler.open();
  std::string answer;
  ASSERT_EQ(listener.receive(payload(all), answer), Outcome::more);
  std::string proof;
  ASSERT_EQ(dialler.receive(payload(answer), proof), Outcome::more);
  std::string nothing;
  ASSERT_EQ(listener.receive(payload(proof), nothing), Outcome::verified);
  all += answer + proof + listener.accept();
  EXPECT_EQ(all.find(worker().secret), std::string::npos);
}

TEST(LinkHandshake, refuses_a_recorded_conversation) {
  Handshake dialler{Handshake::Side::dialler, worker(), challenge(1)};
  Handshake listener{Handshake::Side::listener, master(), challenge(2)};
  const auto greeting = dialler.open();
  std::string answer;
  std::string proof;
  ASSERT_EQ(listener.receive(payload(greeting), answer), Outcome::more);
  ASSERT_EQ(dialler.receive(payload(answer), proof), Outcome::more);

  Handshake again{Handshake::Side::listener, master(), challenge(3)};
  std::string ignored;
  ASSERT_EQ(again.receive(payload(greeting), ignored), Outcome::more);
  EXPECT_EQ(again.receive(payload(proof), ignored), Outcome::failed);
  EXPECT_EQ(again.error(), Errc::wrong_secret);
}

// A dialler without the secret sends back what it is sent.
TEST(LinkHandshake, refuses_its_own_words) {
  Handshake dialler{Handshake::Side::dialler, worker(), challenge(1)};
  std::string out;
  EXPECT_EQ(dialler.receive(payload(dialler.open()), out), Outcome::failed);
  EXPECT_EQ(dialler.error(), Errc::unknown_node);

  // Even where the name fits, the proof of one direction is none for the other.
  auto same = options_of(Role::master, "m2");
  same.expected_name = "m2";
  Handshake mirrored{Handshake::Side::dialler, same, challenge(1)};
  std::string proof;
  ASSERT_EQ(mirrored.receive(payload(mirrored.open()), proof), Outcome::more);
  EXPECT_EQ(mirrored.receive(payload(proof), out), Outcome::failed);
  EXPECT_EQ(mirrored.error(), Errc::wrong_secret);
}

TEST(LinkHandshake, refuses_a_proof_before_a_greeting_and_a_second_greeting) {
  Handshake dialler{Handshake::Side::dialler, worker(), challenge(1)};
  Handshake listener{Handshake::Side::listener, master(), challenge(2)};
  std::string answer;
  std::string proof;
  ASSERT_EQ(listener.receive(payload(dialler.open()), answer), Outcome::more);
  ASSERT_EQ(dialler.receive(payload(answer), proof), Outcome::more);

  std::string out;
  EXPECT_EQ(listener.receive(payload(dialler.open()), out), Outcome::failed);
  EXPECT_EQ(listener.error(), Errc::unexpected_message);
  Handshake fresh{Handshake::Side::listener, master(), challenge(4)};
  EXPECT_EQ(fresh.receive(payload(proof), out), Outcome::failed);
  EXPECT_EQ(fresh.error(), Errc::unexpected_message);
}

// Every single bit of what the dialler says is either needed or refused: no changed conversation
// makes a link under another name.
TEST(LinkHandshake, survives_every_flipped_bit) {
  Handshake sample{Handshake::Side::dialler, worker(), challenge(1)};
  const auto greeting = payload(sample.open());
  for (std::size_t bit = 0; bit < greeting.size() * 8; ++bit) {
    auto changed = greeting;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
    Handshake dialler{Handshake::Side::dialler, worker(), challenge(1)};
    Handshake listener{Handshake::Side::listener, master(), challenge(2)};
    std::string answer;
    if (listener.receive(changed, answer) != Outcome::more) continue;
    std::string proof;
    if (dialler.receive(payload(answer), proof) != Outcome::more) continue;
    std::string out;
    EXPECT_EQ(listener.receive(payload(proof), out), Outcome::failed) << "bit " << bit;
  }
}

TEST(LinkHandshake, survives_random_bytes) {
  Random random{42};
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes(random.below(200), '\0');
    for (auto& byte : bytes) byte = static_cast<char>(random.below(256));
    Handshake listener{Handshake::Side::listener, master(), challenge(2)};
    std::string out;
    EXPECT_NE(listener.receive(bytes, out), Outcome::verified);
  }
  Handshake listener{Handshake::Side::listener, master(), challenge(2)};
  std::string out;
  EXPECT_EQ(listener.receive(std::string(handshake_frame_bytes + 1, 'x'), out), Outcome::failed);
}

}  // namespace
}  // namespace fixkeep::net
