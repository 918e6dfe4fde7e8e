#include "lock/engines/redis/reply_reader.hpp"

#include <gtest/gtest.h>
#include <hiredis/hiredis.h>

#include <string>

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
