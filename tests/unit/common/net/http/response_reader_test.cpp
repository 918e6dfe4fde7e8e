// Answers of HTTP servers, good ones and what a bad one could send.
#include "common/net/http/response_reader.hpp"

#include <gmock/gmock.h>

namespace fixkeep::net {
namespace {

using State = HttpResponseReader::State;

constexpr HttpReaderLimits small{.head_bytes = 200, .body_bytes = 20};
constexpr HttpReaderLimits small_stream{.head_bytes = 200, .body_bytes = 20, .stream = true};
const std::string ok = "HTTP/1.1 200 OK\r\n";
const std::string in_chunks = ok + "Transfer-Encoding: chunked\r\n\r\n";

void read(HttpResponseReader& reader, const std::string& text) {
  EXPECT_EQ(reader.put(text), text.size());
}
TEST(HttpResponseReader, leaves_what_belongs_to_no_answer) {
  HttpResponseReader reader{small};
  const std::string answer = ok + "Content-Length: 1\r\n\r\nx";
  EXPECT_EQ(reader.put(answer + "HTTP/1.1 200"), answer.size());
  EXPECT_EQ(reader.put("more"), 0U);
}

// How many bytes it takes of something without an end, at most.
std::size_t taken_of(HttpReaderLimits limits, const std::string& begin, const std::string& again) {
  HttpResponseReader reader{limits};
  std::size_t taken = reader.put(begin);
  while (!reader.over() && taken < (1U << 20U)) taken += reader.put(again);
  EXPECT_EQ(reader.state(), State::failed) << begin << again;
  EXPECT_EQ(reader.error(), HttpAnswerError::too_large) << begin << again;
  return taken;
}

TEST(HttpResponseReader, nothing_without_an_end_is_read_for_long) {
  for (const auto& limits : {small, small_stream}) {
    for (const auto& [begin, again] : {
             std::pair<std::string, std::string>{"HTTP/1.1 200 ", "x"},
             {"", "HTTP/1.1 100 Continue\r\n\r\n"},
             {ok, "a: b\r\n"},
             {ok + "a: ", "b"},
             {in_chunks + "5;", "x"},
             {in_chunks, "0"},
             {in_chunks + "0\r\n", "a: b\r\n"},
         }) {
      EXPECT_LE(taken_of(limits, begin, again), limits.head_bytes) << begin << again;
    }
  }
}

TEST(HttpResponseReader, extensions_around_little_body_are_not_read_for_long) {
  const auto chunk = "1;" + std::string(100, 'x') + "\r\ny\r\n";
  EXPECT_LE(taken_of(small, in_chunks, chunk), 20 * chunk.size());
  EXPECT_LE(taken_of(small_stream, in_chunks, chunk), 20 * chunk.size());
}

TEST(HttpResponseReader, reads_no_body_beyond_its_limit_however_it_is_sent) {
  taken_of(small, in_chunks, "1\r\nx\r\n");
  taken_of(small, ok + "\r\n", "x");
}

TEST(HttpResponseReader, chunks_of_single_bytes_are_read_to_the_limit_of_the_body) {
  HttpResponseReader reader{{.head_bytes = 200, .body_bytes = 10'000}};
  read(reader, in_chunks);
  for (int i = 0; i < 10'000; ++i) read(reader, "1\r\nx\r\n");
  read(reader, "0\r\n\r\n");
  EXPECT_EQ(reader.state(), State::complete);
  EXPECT_EQ(reader.body().size(), 10'000U);
}

TEST(HttpResponseReader, a_stream_has_no_end_but_keeps_little_at_a_time) {
  HttpResponseReader reader{small_stream};
  read(reader, in_chunks);
  for (int i = 0; i < 10'000; ++i) {
    read(reader, "a\r\n0123456789\r\n");
    ASSERT_EQ(reader.take_body(), "0123456789");
  }
  EXPECT_EQ(reader.state(), State::body);
  read(reader, "14\r\n01234567890123456789\r\n1\r\n");
  EXPECT_EQ(reader.put("x"), 0U) << "nobody has taken what came before";
  EXPECT_EQ(reader.state(), State::failed);
}

TEST(HttpResponseReader, knows_fields_by_their_names_in_any_case) {
  HttpResponseReader reader{small};
  read(reader, ok + "ReTRY-AFTER: \t7 \r\nContent-Length: 0\r\nx:\r\n\r\n");
  EXPECT_EQ(reader.field("retry-after"), "7");
  EXPECT_EQ(reader.field("x"), "");
  EXPECT_EQ(reader.field("y"), "");
}

}  // namespace
}  // namespace fixkeep::net
