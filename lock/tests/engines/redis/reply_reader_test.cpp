#include "lock/engines/redis/reply_reader.hpp"

#include <gtest/gtest.h>
#include <hiredis/hiredis.h>

#include <string>
#include <variant>

#include "lock/engines/redis/scripts.hpp"

namespace fixkeep::engine {
namespace {

// Whether a reader takes the bytes for the beginning of a reply, or a whole one.
bool is_taken(const std::string& bytes) {
  const ReplyReader reader = make_reply_reader();
  redisReaderFeed(reader.get(), bytes.data(), bytes.size());
  void* read = nullptr;
  const bool taken = redisReaderGetReply(reader.get(), &read) == REDIS_OK;
  if (read != nullptr) freeReplyObject(read);
  return taken;
}

std::string array_of(int elements) {
  std::string bytes = "*" + std::to_string(elements) + "\r\n";
  for (int i = 0; i < elements; ++i) bytes += ":1\r\n";
  return bytes;
}

TEST(ReplyReader, reads_what_our_scripts_answer) {
  EXPECT_TRUE(is_taken("*4\r\n:1\r\n$3\r\n123\r\n:0\r\n$0\r\n\r\n"));
  EXPECT_TRUE(is_taken("*4\r\n:1\r\n$3\r\n12")) << "the rest is still to come";
  EXPECT_TRUE(is_taken(":1\r\n"));
  EXPECT_TRUE(is_taken("-NOSCRIPT No matching script\r\n"));
}

// A master reads the bytes that answer its request for a lock.
lock::RedlockReply acquired(const std::string& bytes) {
  const ReplyReader reader = make_reply_reader();
  redisReaderFeed(reader.get(), bytes.data(), bytes.size());
  void* read = nullptr;
  EXPECT_EQ(redisReaderGetReply(reader.get(), &read), REDIS_OK);
  auto reply = read_reply(RedisScript::acquire, *static_cast<const redisReply*>(read));
  freeReplyObject(read);
  return reply;
}

TEST(RedisScripts, believe_nothing_that_none_of_ours_answers) {
  const auto good = acquired("*4\r\n:1\r\n$3\r\n123\r\n:0\r\n$0\r\n\r\n");
  ASSERT_TRUE(std::holds_alternative<lock::AcquireReply>(good));
  EXPECT_TRUE(std::get<lock::AcquireReply>(good).granted);
  EXPECT_EQ(std::get<lock::AcquireReply>(good).counter, 123U);
  for (const char* const other : {
           ":1\r\n",                                         // no array
           "*1\r\n$1\r\n1\r\n",                              // whether it is granted is text
           "*1\r\n:1\r\n",                                   // nothing but that it is
           "*4\r\n:1\r\n:123\r\n:0\r\n$0\r\n\r\n",           // the counter is no text
           "*4\r\n:1\r\n$3\r\n12x\r\n:0\r\n$0\r\n\r\n",      // the counter is no number
           "*4\r\n:1\r\n$3\r\n123\r\n$1\r\n0\r\n$0\r\n\r\n"  // whether it was clean is text
       }) {
    EXPECT_TRUE(std::holds_alternative<lock::CommandFailed>(acquired(other))) << other;
  }
}

TEST(ReplyReader, makes_no_room_for_an_array_of_any_size_that_a_server_says) {
  EXPECT_TRUE(is_taken(array_of(most_reply_elements)));
  EXPECT_FALSE(is_taken(array_of(most_reply_elements + 1)));
  // Thirteen bytes, for which hiredis alone makes room of 17 GB.
  EXPECT_FALSE(is_taken("*2147483647\r\n"));
}

TEST(ReplyReader, keeps_no_arrays_within_arrays) {
  EXPECT_FALSE(is_taken("*2\r\n*1\r\n:1\r\n:1\r\n"));
}

}  // namespace
}  // namespace fixkeep::engine
