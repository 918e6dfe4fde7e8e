#include "master/http/identity/token_cache.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fixkeep::master {
namespace {

using std::chrono::seconds;

constexpr auth::WallTime first_wall{seconds{1'800'000'000}};

auth::PlayerToken of(const std::string& player, auth::WallTime ends = first_wall + seconds{60}) {
  return {PlayerId{player}, ends};
}

std::string found(TokenCache& cache, std::string_view token, auth::WallTime now = first_wall) {
  const PlayerId* player = cache.find(token, now);
  return player == nullptr ? "nobody" : player->text();
}

TEST(TokenCache, keeps_a_token_until_it_ends) {
  TokenCache cache;
  cache.add("a", of("ann"));
  EXPECT_EQ(found(cache, "a", first_wall + seconds{59}), "ann");
  EXPECT_EQ(found(cache, "b"), "nobody");
  EXPECT_EQ(found(cache, "a", first_wall + seconds{60}), "nobody");
  EXPECT_EQ(cache.size(), 0U);
  EXPECT_EQ(cache.bytes(), 0U);
}

TEST(TokenCache, forgets_the_one_that_was_used_longest_ago) {
  TokenCache cache{{.entries = 2}};
  cache.add("a", of("ann"));
  cache.add("b", of("bob"));
  EXPECT_EQ(found(cache, "a"), "ann");
  cache.add("c", of("cid"));
  EXPECT_EQ(found(cache, "b"), "nobody");
  EXPECT_EQ(found(cache, "a"), "ann");
  EXPECT_EQ(found(cache, "c"), "cid");
}

TEST(TokenCache, is_bounded_by_bytes_too) {
  TokenCache cache{{.bytes = 10}};
  for (const std::string token : {"aaaa", "bbbb", "cccc"}) cache.add(token, of(token));
  EXPECT_EQ(cache.size(), 2U);
  EXPECT_EQ(cache.bytes(), 8U);
  cache.add(std::string(11, 'x'), of("large"));
  EXPECT_EQ(cache.bytes(), 0U);
}

TEST(TokenCache, has_a_token_once) {
  TokenCache cache;
  cache.add("a", of("ann"));
  cache.add("a", of("bob"));
  EXPECT_EQ(cache.size(), 1U);
  EXPECT_EQ(cache.bytes(), 1U);
  EXPECT_EQ(found(cache, "a"), "bob");
}

}  // namespace
}  // namespace fixkeep::master
