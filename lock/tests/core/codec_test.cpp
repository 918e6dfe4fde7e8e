#include "lock/core/codec.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/base/random.hpp"
#include "lock/core/limits.hpp"

namespace fixkeep::lock {
namespace {

// Numbers of every length, zero often.
std::uint64_t number(Random& random) {
  return random.chance(0.2) ? 0 : random.next() >> random.below(64);
}

FencingToken token(Random& random) {
  return {std::min(number(random), largest_counter),
          MasterId{static_cast<std::uint16_t>(number(random))}};
}

LockMessage any_lock_message(Random& random) {
  LockMessage message;
  message.key = GroupKey{std::string(1 + random.below(300), 'k')};
  message.kind = static_cast<std::uint8_t>(number(random));
  message.round = std::min(number(random), largest_counter);
  message.awaited = random.chance(0.5);
  if (random.chance(0.7)) {
    message.value.fence = token(random);
    message.value.stamp = std::max(message.value.fence, token(random));
    message.value.uncertain = random.chance(0.5);
    message.value.bytes = std::string(random.chance(0.3) ? 0 : random.below(4096), 'v');
  }
  message.token = std::max(message.value.stamp, token(random));
  if (random.chance(0.3)) {
    message.epoch = std::min(message.token, token(random));
    message.turns.resize(random.below(limits::masters + 1));
    for (LockTurn& turn : message.turns) {
      turn = {token(random).master, std::min(number(random), largest_counter), random.chance(0.5)};
    }
  }
  return message;
}

std::vector<MasterId> any_masters(Random& random) {
  std::vector<MasterId> masters;
  for (std::uint16_t id = 0; masters.size() < random.below(limits::masters);) {
    masters.emplace_back(id = static_cast<std::uint16_t>(id + 1 + random.below(900)));
  }
  return masters;
}

MeshMessage any_mesh_message(Random& random) {
  if (random.chance(0.5)) return any_lock_message(random);
  MasterList list{any_masters(random)};
  if (list.masters.empty()) list.masters.emplace_back(std::uint16_t{1});
  if (random.chance(0.3)) return list;
  MeshHello hello;
  for (auto left = random.below(4); left > 0; --left) {
    hello.outstanding.push_back(any_lock_message(random));
  }
  for (auto left = random.below(4); left > 0; --left) {
    hello.workers.emplace_back(std::string(1 + random.below(limits::worker_bytes), 'w'));
  }
  hello.last = random.chance(0.5);
  hello.highest_counter = std::min(number(random), largest_counter);
  hello.masters = any_masters(random);
  return hello;
}

std::string bytes_of(const MeshMessage& message) {
  std::string bytes;
  append(message, bytes);
  return bytes;
}

// tests/unit/common/wire compares the bytes with Protocol Buffers'.
TEST(Codec, reads_what_it_has_written) {
  Random random{11};
  for (int i = 0; i < 3'000; ++i) {
    const MeshMessage message = any_mesh_message(random);
    MeshMessage back;
    ASSERT_TRUE(parse(bytes_of(message), back)) << i;
    ASSERT_EQ(back, message) << i;
  }
}

TEST(Codec, counts_a_lock_message_without_writing_it) {
  Random random{7};
  for (int i = 0; i < 3'000; ++i) {
    const LockMessage message = any_lock_message(random);
    ASSERT_EQ(frame_size(message), 4 + bytes_of(message).size()) << i;
  }
}

TEST(Codec, takes_or_refuses_whatever_arrives_and_never_reads_beyond_it) {
  Random random{13};
  int taken = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = bytes_of(any_mesh_message(random));
    bytes.resize(std::min<std::size_t>(bytes.size(), 200));
    for (auto changes = 1 + random.below(4); changes > 0; --changes) {
      bytes[static_cast<std::size_t>(random.below(bytes.size()))] =
          static_cast<char>(random.below(256));
    }
    const std::string exact{bytes.data(), bytes.size()};
    MeshMessage back;
    if (!parse(exact, back)) continue;
    ++taken;
    MeshMessage again;
    ASSERT_TRUE(parse(bytes_of(back), again)) << i;
    ASSERT_EQ(again, back) << i;
  }
  EXPECT_GT(taken, 100) << "the changes are of a kind that a peer may make";
}

TEST(CodecDeathTest, asserts_the_bounds_of_what_it_writes) {
  MeshHello hello;
  hello.outstanding.resize(limits::outstanding + 1);
  EXPECT_DEATH(bytes_of(hello), "outstanding");
  MasterList list;
  list.masters.resize(limits::masters + 1);
  EXPECT_DEATH(bytes_of(list), "masters");
}

TEST(Codec, passes_over_fields_of_later_versions) {
  std::string bytes;
  append(LockMessage{.key = GroupKey{"k"}, .round = 3}, bytes);
  const std::string later = std::string{"\x7a\x02xy", 4} + bytes +         // field 15, bytes
                            std::string{"\x78\x05", 2} +                   // field 15, a number
                            std::string{"\x79", 1} + std::string(8, 'x');  // and eight bytes
  LockMessage back;
  ASSERT_TRUE(parse(later, back));
  EXPECT_EQ(back.round, 3U);
}

TEST(Codec, keeps_nothing_of_the_message_before) {
  std::string bytes;
  append(MasterList{{MasterId{3}}}, bytes);
  MasterList list{{MasterId{1}, MasterId{2}}};
  ASSERT_TRUE(parse(bytes, list));
  EXPECT_EQ(list, (MasterList{{MasterId{3}}}));

  bytes.clear();
  append(LockMessage{.key = GroupKey{"k"}}, bytes);
  LockMessage message{.key = GroupKey{"other"}, .round = 7, .awaited = true};
  ASSERT_TRUE(parse(bytes, message));
  EXPECT_EQ(message, LockMessage{.key = GroupKey{"k"}});
}

TEST(Codec, refuses_what_ends_too_early) {
  const std::string bytes = bytes_of(LockMessage{.key = GroupKey{"key"}, .round = 300});
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    MeshMessage back;
    EXPECT_FALSE(parse(std::string_view{bytes}.substr(0, length), back)) << length;
  }
}

}  // namespace
}  // namespace fixkeep::lock
