#include "common/net/http/request_parser.hpp"

#include <gmock/gmock.h>

#include <vector>

#include "common/base/random.hpp"

namespace fixkeep::net::test {
namespace {

using namespace std::string_view_literals;
using State = HttpRequestParser::State;

constexpr std::size_t header_bytes = 512;
constexpr std::size_t body_bytes = 256;

// A parser and the buffer in front of it, as a connection has them.
class Reader {
 public:
  // A piece as it comes from the network. Keeps every request that is complete with it.
  void feed(std::string_view piece) {
    if (parser_.state() == State::refused) return;
    buffer_ += piece;
    while (!buffer_.empty() && parser_.state() != State::refused) {
      buffer_.erase(0, parser_.put(buffer_));
      if (parser_.state() != State::complete) break;
      const HttpRequest request = parser_.release();
      requests_.push_back(std::string{request.target()} + " " + request.body());
    }
    most_waiting_ = std::max(most_waiting_, buffer_.size());
  }

  [[nodiscard]] const std::vector<std::string>& requests() const { return requests_; }
  [[nodiscard]] State state() const { return parser_.state(); }
  [[nodiscard]] unsigned refused() const {
    return parser_.state() == State::refused ? parser_.refusal().status : 0;
  }
  [[nodiscard]] std::string detail() const { return parser_.refusal().detail; }
  [[nodiscard]] std::size_t most_waiting() const { return most_waiting_; }

 private:
  HttpOptions options_{.header_bytes = header_bytes, .body_bytes = body_bytes};
  HttpRequestParser parser_{options_};
  std::string buffer_;
  std::vector<std::string> requests_;
  std::size_t most_waiting_ = 0;
};

std::string chunked(const std::string& body) {
  return "POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n" + body;
}

const std::vector<std::pair<std::string, std::vector<std::string>>>& good_streams() {
  static const std::vector<std::pair<std::string, std::vector<std::string>>> streams{
      {"GET /a HTTP/1.1\r\nHost: h\r\n\r\n", {"/a "}},
      {"POST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody", {"/b body"}},
      {chunked("0\r\n\r\n"), {"/c "}},
      {chunked("000;last=1\r\nX-Trailer: t\r\n\r\n"), {"/c "}},
      {chunked("2\r\nab\r\n1;x\r\nc\r\n0\r\n\r\n"), {"/c abc"}},
      {"\r\n" + chunked("1\r\na\r\n0\r\n\r\n") + "\r\nGET /d HTTP/1.1\r\nHost: h\r\n\r\n",
       {"/c a", "/d "}},
  };
  return streams;
}

// The rest of a last chunk in a piece of less than five bytes once ended the process: Beast asserts
// that it never sees one.
TEST(HttpRequestParser, takes_a_request_wherever_it_is_cut) {
  for (const auto& [stream, requests] : good_streams()) {
    for (std::size_t first = 0; first <= stream.size(); ++first) {
      for (std::size_t second = first; second <= stream.size(); ++second) {
        Reader reader;
        reader.feed(stream.substr(0, first));
        reader.feed(stream.substr(first, second - first));
        reader.feed(stream.substr(second));
        ASSERT_EQ(reader.requests(), requests) << stream << first << ' ' << second;
        ASSERT_EQ(reader.state(), State::idle);
      }
    }
    Reader by_byte;
    for (const char byte : stream) by_byte.feed({&byte, 1});
    ASSERT_EQ(by_byte.requests(), requests) << stream;
  }
}

TEST(HttpRequestParser, never_waits_for_more_bytes_than_a_header_may_have) {
  const std::string filler(2000, 'x');
  for (const std::string& stream :
       {"GET /" + filler, "GET / HTTP/1.1\r\nX: " + filler, chunked("5;" + filler),
        chunked("0;" + filler), chunked("0\r\nX: " + filler), chunked(std::string(2000, '0')),
        chunked("1\r\na\r\n0\r\nX: y\r\nX: " + filler)}) {
    for (const std::size_t piece : {1U, 7U, 100U}) {
      Reader reader;
      for (std::size_t at = 0; at < stream.size(); at += piece) {
        reader.feed(stream.substr(at, piece));
      }
      EXPECT_EQ(reader.refused(), stream.starts_with("GET /x") ? 414U : 431U)
          << stream.substr(0, 80);
      EXPECT_LE(reader.most_waiting(), header_bytes + piece);
    }
  }
}

TEST(HttpRequestParser, names_the_limit_that_a_request_exceeds) {
  const auto detail = [](const std::string& stream) {
    Reader reader;
    reader.feed(stream);
    return reader.detail();
  };
  const std::string long_text(header_bytes, 'k');
  EXPECT_EQ(detail("GET / HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + long_text),
            "The header of a request has 512 bytes at most, with all fields (a token, cookies), "
            "chunk sizes, chunk extensions and trailers.");
  EXPECT_EQ(detail("GET /" + long_text),
            "The target of a request has to fit the 512 bytes of its header.");
  EXPECT_EQ(detail("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999\r\n\r\n"),
            "The body of a request has 256 bytes at most.");
}

TEST(HttpRequestParser, counts_what_frames_the_body_with_the_header) {
  // Each chunk has five bytes more than its single one of the body.
  const auto of_chunks = [](std::size_t count) {
    std::string body;
    for (std::size_t i = 0; i < count; ++i) body += "1\r\nx\r\n";
    return chunked(body + "0\r\n\r\n");
  };
  const std::size_t most_chunks = (header_bytes - of_chunks(0).size()) / 5;
  Reader fitting;
  fitting.feed(of_chunks(most_chunks));
  EXPECT_EQ(fitting.requests(), std::vector<std::string>{"/c " + std::string(most_chunks, 'x')});
  Reader excessive;
  excessive.feed(of_chunks(most_chunks + 1));
  EXPECT_EQ(excessive.refused(), 431U);
  EXPECT_TRUE(excessive.requests().empty());
}

TEST(HttpRequestParser, counts_the_whole_body) {
  const auto of_chunks = [](std::size_t count) {
    std::string body;
    for (std::size_t i = 0; i < count; ++i) body += "10\r\n" + std::string(16, 'x') + "\r\n";
    return chunked(body + "0\r\n\r\n");
  };
  Reader fitting;
  fitting.feed(of_chunks(body_bytes / 16));
  EXPECT_EQ(fitting.requests().size(), 1U);
  Reader excessive;
  excessive.feed(of_chunks(body_bytes / 16 + 1));
  EXPECT_EQ(excessive.refused(), 413U);
}

TEST(HttpRequestParser, takes_nothing_more_once_it_has_refused) {
  Reader reader;
  reader.feed("GET / HTTP/3.1\r\n\r\nGET /next HTTP/1.1\r\n\r\n");
  EXPECT_EQ(reader.refused(), 505U);
  EXPECT_TRUE(reader.requests().empty());
}

// Good streams with a few bytes changed, cut anywhere.
TEST(HttpRequestParser, finds_the_same_requests_in_damaged_bytes_however_they_are_cut) {
  Random random{11};
  constexpr std::string_view spice = "\r\n\t ;:,=\"0159afxA\x00\x7f\xff"sv;
  for (int round = 0; round < 20'000; ++round) {
    std::string stream = good_streams()[random.below(good_streams().size())].first;
    for (std::uint64_t changes = random.below(4); changes > 0; --changes) {
      const auto at = random.below(stream.size());
      const char byte = spice[random.below(spice.size())];
      switch (random.below(3)) {
        case 0: stream[at] = byte; break;
        case 1: stream.insert(at, 1 + random.below(3), byte); break;
        default: stream.erase(at, 1 + random.below(3));
      }
      if (stream.empty()) break;
    }
    Reader reader;
    for (std::size_t at = 0; at < stream.size();) {
      const std::size_t piece = 1 + random.below(random.chance(0.5) ? 6 : stream.size());
      reader.feed(std::string_view{stream}.substr(at, piece));
      at += piece;
    }
    Reader at_once;
    at_once.feed(stream);
    ASSERT_EQ(reader.requests(), at_once.requests()) << stream;
  }
}

}  // namespace
}  // namespace fixkeep::net::test
