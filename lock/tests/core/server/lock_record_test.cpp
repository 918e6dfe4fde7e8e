#include "lock/core/server/lock_record.hpp"

#include <gtest/gtest.h>

#include <set>

#include "common/base/random.hpp"

namespace fixkeep::lock {
namespace {

LockRecord full_record() {
  LockRecord record{.ticket = 12, .lift = 7};
  record.value.stamp = {std::uint64_t{1} << 62U, MasterId{255}};
  record.value.fence = {3, MasterId{2}};
  record.value.uncertain = true;
  record.value.bytes = std::string{"\n\0 x\xff", 5};
  return record;
}

TEST(LockRecordTest, comes_back_as_it_was) {
  EXPECT_EQ(decode_record(encode_record(full_record())), full_record());
  EXPECT_EQ(decode_record(encode_record({})), LockRecord{});
}

TEST(LockRecordTest, bytes_that_are_no_record_are_none) {
  const auto good = encode_record(full_record());
  const auto line = good.substr(0, good.find('\n') + 1);
  for (std::size_t size = 0; size < line.size(); ++size) {
    EXPECT_FALSE(decode_record(line.substr(0, size))) << size;
  }
  EXPECT_TRUE(decode_record(line));
  for (const std::string bad :
       {"", "\n", "fixkeep1\n", "fixkeep1 1 2 3 4 5 6 2\n", "fixkeep1 1 2 3 4 5 6 1 1\n",
        "fixkeep1 1 2 3 70000 5 6 0\n", "fixkeep1 1 2 3 -4 5 6 0\n", "fixkeep2 1 2 3 4 5 6 0\n",
        "fixkeep1 99999999999999999999 2 3 4 5 6 0\n"}) {
    EXPECT_FALSE(decode_record(bad)) << bad;
  }
}

TEST(LockRecordTest, its_numbers_are_bounded_like_the_counters_that_come_of_them) {
  const auto most = std::to_string(largest_counter);
  const auto beyond = std::to_string(largest_counter + 1);
  for (const std::string place :
       {"12 # 6 4 5 6 0\n", "12 3 # 4 5 6 0\n", "12 3 4611686018427387904 6 # 6 0\n"}) {
    const auto record = [&](const std::string& number) {
      std::string bytes = "fixkeep1 " + place;
      return bytes.replace(bytes.find('#'), 1, number);
    };
    EXPECT_TRUE(decode_record(record(most))) << place;
    EXPECT_FALSE(decode_record(record(beyond))) << place;
  }
}

TEST(PathComponentTest, is_one_component_and_injective) {
  std::set<std::string> seen;
  for (const std::string name :
       {"", ".", "..", "a/b", "a%2Fb", "a b", "a", "A", "%", "a\n", "\xc3\xa9", "a:b-c_d"}) {
    const auto component = path_component(name);
    EXPECT_EQ(component.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789-_:%"),
              std::string::npos);
    EXPECT_TRUE(seen.insert(component).second) << name;
  }
  EXPECT_EQ(path_component("duel|eu/1"), "duel%7Ceu%2F1");
}

}  // namespace
}  // namespace fixkeep::lock
