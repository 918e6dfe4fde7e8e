#include "worker/keeper/plan.hpp"

#include <gmock/gmock.h>

#include "worker/keeper/protocol.hpp"

namespace fixkeep::worker::keeper {
namespace {

using std::chrono::milliseconds;

Plan full() {
  return {.program = "/usr/games/server",
          .game = {.command = {"server", "", "--name=a b\n\"c\"",
                               std::string{"nul\0a--not-an-option", 20}},
                   .environment = {"A=1", "EMPTY=", "LINES=a\nb"},
                   .working_folder = "/srv/game",
                   .files = {{"server.cfg", "a\nb"}, {"empty", ""}, {"a/c", std::string{"T\0", 2}}},
                   .keep_folder = KeepFolder::if_failed,
                   .limits = {.memory_mib = 1U << 20U, .processes = 7},
                   .daemon = true,
                   .terminal = true},
          .place = "/state/rooms/w1-1-1",
          .own_folder = "/state/rooms/w1-1-1/game",
          .follow = true,
          .beside = {"/usr/bin/beside", "", "a b"},
          .beside_port = 65'535,
          .user = Plan::User{1000, 1001, {4, 20, 4'294'967'294}},
          .cgroup = {"/sys/fs/cgroup/fixkeep-1", "/sys/fs/cgroup/memory/a b/fixkeep-1"},
          .output = "/state/output/w1-1-1.log",
          .output_bytes = 4'294'967'295,
          .record = "/state/rooms/w1-1-1/ended",
          .alone = milliseconds{3'600'000},
          .grace = milliseconds{5000}};
}

std::string entry(char letter, const std::string& value) {
  const auto length = static_cast<std::uint32_t>(value.size());
  return letter + std::string{reinterpret_cast<const char*>(&length), sizeof length} + value;
}

TEST(KeeperPlan, arrives_as_it_was_sent) {
  EXPECT_EQ(to_plan(to_text(full())), full());
  const Plan least{.program = "/bin/true", .game = {.command = {"true"}}};
  EXPECT_EQ(to_plan(to_text(least)), least);
  Plan as_root = least;
  as_root.user = Plan::User{0, 0, {}};
  EXPECT_EQ(to_plan(to_text(as_root)), as_root) << "root is a user, and not the same as none";
}

TEST(KeeperPlan, of_a_newer_worker_is_understood_as_far_as_it_goes) {
  EXPECT_EQ(to_plan(to_text(full()) + entry('z', "something new")), full());
}

TEST(KeeperPlan, is_refused_if_it_is_none) {
  EXPECT_EQ(to_plan(""), std::nullopt);
  const auto text = to_text(full());
  EXPECT_EQ(to_plan(std::string_view{text}.substr(0, text.size() - 1)), std::nullopt);
  EXPECT_EQ(to_plan(text + 'p'), std::nullopt) << "no length";
  EXPECT_EQ(to_plan(text + "p\xff\xff\xff\xff/bin/true"), std::nullopt) << "longer than it is";
  EXPECT_EQ(to_plan(text + entry('b', "many")), std::nullopt);
  EXPECT_EQ(to_plan(text + entry('b', "4294967296")), std::nullopt) << "too large";
  EXPECT_EQ(to_plan(text + entry('b', "-1")), std::nullopt) << "not 2^32 - 1 bytes";
  EXPECT_EQ(to_plan(text + entry('d', "2")), std::nullopt);
  EXPECT_EQ(to_plan(entry('T', "text") + text), std::nullopt) << "of no file";
  EXPECT_EQ(to_plan(to_text({.program = "/bin/true"})), std::nullopt) << "no arguments";
}

TEST(KeeperPacket, arrives_as_it_was_sent) {
  const Packet packet{.word = Word::ended,
                      .number = -1,
                      .detail = 1 << 30,
                      .extra = 7,
                      .text = std::string{"last\0lines\n", 11}};
  EXPECT_EQ(to_packet(to_bytes(packet)), packet);
}

TEST(KeeperPacket, is_cut_at_the_bound_and_refused_beyond_it) {
  const Packet packet{.word = Word::wrote, .text = std::string(packet_bytes * 2, 'x')};
  const auto bytes = to_bytes(packet);
  EXPECT_EQ(bytes.size(), packet_bytes);
  EXPECT_NE(to_packet(bytes), std::nullopt);
  EXPECT_EQ(to_packet(bytes + "x"), std::nullopt);
  EXPECT_EQ(to_packet(std::string_view{bytes}.substr(0, 15)), std::nullopt);
}

}  // namespace
}  // namespace fixkeep::worker::keeper
