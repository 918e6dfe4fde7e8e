// Each limit of what masters say to each other: met, and exceeded by one.
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "common/wire/limits.hpp"
#include "tests/unit/common/wire/valid_frames.hpp"

namespace fixkeep::wire {
namespace {

using std::size_t;

TEST(MeshLimits, lock_message) {
  const auto valid = valid_lock_message();
  ASSERT_TRUE(accepted(valid));
  expect_text(valid, limits::group_bytes, [](pb::Frame& frame, const std::string& text) {
    frame.mutable_lock_message()->set_key(text);
  });
  expect_most(valid, 0xFF, [](pb::Frame& frame, size_t kind) {
    frame.mutable_lock_message()->set_kind(narrow(kind));
  });
  expect_most(valid, limits::lock_value_bytes, [](pb::Frame& frame, size_t size) {
    frame.mutable_lock_message()->mutable_value()->set_bytes(std::string(size, 'x'));
  });
  expect_most(valid, 0xFFFF, [](pb::Frame& frame, size_t master) {
    frame.mutable_lock_message()->mutable_token()->set_master(narrow(master));
  });
  expect_most(valid, 0xFFFF, [](pb::Frame& frame, size_t master) {
    frame.mutable_lock_message()->mutable_value()->mutable_stamp()->set_master(narrow(master));
  });
  expect_most(valid, 0xFFFF, [](pb::Frame& frame, size_t master) {
    frame.mutable_lock_message()->mutable_value()->mutable_fence()->set_master(narrow(master));
  });
}

TEST(MeshLimits, mesh_hello) {
  const auto valid = valid_mesh_hello();
  ASSERT_TRUE(accepted(valid));
  expect_text(valid, limits::group_bytes, [](pb::Frame& frame, const std::string& text) {
    frame.mutable_mesh_hello()->mutable_outstanding(0)->set_key(text);
  });
  expect_most(valid, limits::lock_value_bytes, [](pb::Frame& frame, size_t size) {
    auto* value = frame.mutable_mesh_hello()->mutable_outstanding(0)->mutable_value();
    value->set_bytes(std::string(size, 'x'));
  });
  expect_text(valid, limits::id_bytes, [](pb::Frame& frame, const std::string& text) {
    frame.mutable_mesh_hello()->set_workers(0, text);
  });
  expect_most(valid, limits::outstanding, [](pb::Frame& frame, size_t count) {
    repeat(frame.mutable_mesh_hello()->mutable_outstanding(), count);
  });
  expect_most(valid, limits::workers, [](pb::Frame& frame, size_t count) {
    repeat(frame.mutable_mesh_hello()->mutable_workers(), count);
  });
}

std::vector<MasterId> ascending_masters(std::size_t count) {
  std::vector<MasterId> masters;
  for (std::size_t left = count; left > 0; --left) {
    masters.emplace_back(static_cast<std::uint16_t>(0x10000 - left));
  }
  return masters;
}

TEST(MeshLimits, a_list_of_masters_names_each_once_and_somebody) {
  const auto accepted = [](const std::vector<std::uint32_t>& numbers) {
    pb::Frame frame;
    for (const auto number : numbers) frame.mutable_master_list()->add_masters(number);
    if (numbers.empty()) frame.mutable_master_list();
    return static_cast<bool>(decode(frame.SerializeAsString()));
  };
  EXPECT_TRUE(accepted({1, 2, 0xFFFF}));
  EXPECT_FALSE(accepted({}));
  EXPECT_FALSE(accepted({0, 1}));
  EXPECT_FALSE(accepted({1, 1}));
  EXPECT_FALSE(accepted({2, 1}));
  EXPECT_FALSE(accepted({0x10000}));
  std::vector<std::uint32_t> many(limits::masters + 1);
  std::iota(many.begin(), many.end(), 1U);
  EXPECT_FALSE(accepted(many));
}

TEST(MeshLimits, the_largest_part_of_a_hello_is_a_frame) {
  LockMessage lock;
  lock.key = GroupKey{std::string(limits::group_bytes, 'k')};
  lock.kind = 0xFF;
  lock.round = limits::counter;
  lock.token = {limits::counter, MasterId{0xFFFF}};
  lock.value = {lock.token, lock.token, true, std::string(limits::lock_value_bytes, 'x')};
  const MeshHello hello{{limits::outstanding, lock},
                        {limits::workers, WorkerId{std::string(limits::id_bytes, 'w')}},
                        true,
                        limits::counter,
                        ascending_masters(limits::masters)};
  std::string frame;
  append_frame(hello, frame);
  const auto back = decode(std::string_view{frame}.substr(prefix_bytes));
  ASSERT_TRUE(back);
  EXPECT_EQ(std::get<MeshHello>(*back), hello);
}

}  // namespace
}  // namespace fixkeep::wire
