// Answers of HTTP servers, good ones and what a bad one could send.
#include "common/net/http/response_reader.hpp"

#include <gmock/gmock.h>

#include <ostream>

namespace fixkeep::net {
namespace {

using State = HttpResponseReader::State;
using boost::system::error_code;

constexpr HttpReaderLimits small{.head_bytes = 200, .body_bytes = 20};
constexpr HttpReaderLimits small_stream{.head_bytes = 200, .body_bytes = 20, .stream = true};
const std::string ok = "HTTP/1.1 200 OK\r\n";
const std::string in_chunks = ok + "Transfer-Encoding: chunked\r\n\r\n";

// Whole, and byte by byte: the same comes of it.
void read(HttpResponseReader& reader, const std::string& text) {
  EXPECT_EQ(reader.put(text), text.size());
}
struct Outcome {
  State state;
  unsigned status;
  std::string body;
  bool keep_alive;
  friend bool operator==(const Outcome&, const Outcome&) = default;
  friend void PrintTo(const Outcome& it, std::ostream* out) {
    *out << static_cast<int>(it.state) << ' ' << it.status << ' ' << it.body << ' '
         << it.keep_alive;
  }
};
Outcome outcome_of(const std::string& text, bool ends = false) {
  HttpResponseReader whole{small};
  whole.put(text);
  HttpResponseReader slow{small};
  for (const char c : text) slow.put({&c, 1});
  if (ends) whole.put_end();
  if (ends) slow.put_end();
  Outcome made{whole.state(), whole.status(), whole.body(), whole.keep_alive()};
  EXPECT_EQ(made, (Outcome{slow.state(), slow.status(), slow.body(), slow.keep_alive()})) << text;
  return made;
}
error_code error_of(const std::string& text, bool ends = false) {
  HttpResponseReader reader{small};
  reader.put(text);
  if (ends) reader.put_end();
  EXPECT_EQ(outcome_of(text, ends).state, reader.state()) << text;
  return reader.state() == State::failed ? reader.error() : error_code{};
}

TEST(HttpResponseReader, reads_a_body_of_a_told_length) {
  EXPECT_EQ(outcome_of(ok + "Content-Length: 5\r\n\r\nhello"),
            (Outcome{State::complete, 200, "hello", true}));
  EXPECT_EQ(outcome_of("HTTP/1.1 503 \r\ncontent-length:0\r\nConnection: Close\r\n\r\n"),
            (Outcome{State::complete, 503, "", false}));
  EXPECT_EQ(outcome_of("HTTP/1.0 404 Not Found\r\nContent-Length: 1\r\n\r\nx"),
            (Outcome{State::complete, 404, "x", false}));
}

TEST(HttpResponseReader, reads_chunks_and_drops_extensions_and_trailers) {
  EXPECT_EQ(outcome_of(in_chunks + "5;a=b\r\nhello\r\nA\r\n, you all.\r\n0\r\nX: y\r\n\r\n"),
            (Outcome{State::complete, 200, "hello, you all.", true}));
}

TEST(HttpResponseReader, reads_to_the_end_of_the_connection_where_nothing_else_is_told) {
  EXPECT_EQ(outcome_of(ok + "\r\nhello", true), (Outcome{State::complete, 200, "hello", false}));
}

TEST(HttpResponseReader, some_answers_have_no_body) {
  EXPECT_EQ(outcome_of("HTTP/1.1 204 No Content\r\n\r\n"),
            (Outcome{State::complete, 204, "", true}));
  EXPECT_EQ(outcome_of("HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n"),
            (Outcome{State::complete, 304, "", true}));
}

TEST(HttpResponseReader, passes_over_interim_answers) {
  EXPECT_EQ(outcome_of("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" +
                       ok + "Content-Length: 1\r\n\r\nx"),
            (Outcome{State::complete, 200, "x", true}));
}

TEST(HttpResponseReader, leaves_what_belongs_to_no_answer) {
  HttpResponseReader reader{small};
  const std::string answer = ok + "Content-Length: 1\r\n\r\nx";
  EXPECT_EQ(reader.put(answer + "HTTP/1.1 200"), answer.size());
  EXPECT_EQ(reader.put("more"), 0U);
}

TEST(HttpResponseReader, refuses_what_two_readers_could_take_for_different_answers) {
  for (const auto& text : std::vector<std::string>{
           ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
           ok + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nx",
           ok + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
           ok + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
           ok + "Content-Length: +1\r\n\r\nx",
           ok + "Content-Length: 1, 1\r\n\r\nx",
           ok + "Content-Length: 99999999999999999999\r\n\r\nx",
           ok + "Content-Length: \r\n\r\nx",
           ok + "Content-Length : 1\r\n\r\nx",
           ok + "Content-Length: 1\r\n folded\r\n\r\nx",
           ok + "no colon\r\n\r\n",
           "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
           "HTTP/1.1 200 OK\nContent-Length: 1\n\nx",
           "HTTP/2 200\r\n\r\n",
           "HTTP/1.1 99 x\r\n\r\n",
           "HTTP/1.1 2000 x\r\n\r\n",
           "HTTP/1.1 -20 x\r\n\r\n",
           "HTTP/1.1 101 Switching Protocols\r\n\r\n",
           "ICY 200 OK\r\n\r\n",
           in_chunks + "\r\n",
           in_chunks + "-1\r\n",
           in_chunks + "0x5\r\nhello\r\n",
           in_chunks + "1\r\nxy\r\n",
           in_chunks + "FFFFFFFFFFFFFFFFF\r\n",
       }) {
    EXPECT_EQ(error_of(text), HttpAnswerError::malformed) << text;
  }
}

TEST(HttpResponseReader, an_answer_that_is_cut_off_is_none) {
  for (const auto& text : {std::string{}, ok, ok + "Content-Length: 2\r\n\r\nx",
                           in_chunks + "5\r\nhel", in_chunks + "5\r\nhello\r\n0\r\n"}) {
    EXPECT_EQ(error_of(text, true), HttpAnswerError::cut_off) << text;
  }
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

TEST(HttpResponseReader, refuses_a_body_beyond_its_limit_however_it_is_sent) {
  EXPECT_EQ(error_of(ok + "Content-Length: 21\r\n\r\n"), HttpAnswerError::too_large);
  EXPECT_EQ(error_of(in_chunks + "15\r\n"), HttpAnswerError::too_large);
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
