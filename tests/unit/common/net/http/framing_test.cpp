// Where a request ends, and what of it costs memory, seen by a client.
#include <gmock/gmock.h>

#include "tests/unit/common/net/http/test_client.hpp"

namespace fixkeep::net::test {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string smuggled = "GET /smuggled HTTP/1.1\r\nHost: test\r\n\r\n";

// What a server says to a head that another server may frame differently.
std::string answer_to(const std::string& head) {
  RunningServer server{echo};
  Client client{server.port()};
  client.send(head + "\r\n\r\n" + smuggled);
  return client.read_to_end();
}

std::string chunked_post(const std::string& body) {
  return "POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n" + body;
}

// --- one end of a request, not two --------------------------------------------------------------

TEST(HttpServer, never_takes_a_body_for_the_next_request) {
  for (const char* fields : {"Transfer-Encoding: xchunked",
                             "Transfer-Encoding: identity",
                             "Transfer-Encoding:",
                             "Transfer-Encoding: chunked, chunked",
                             "Transfer-Encoding: chunked, gzip",
                             "Transfer-Encoding: \"chunked\"",
                             "Transfer-Encoding: chunked,",
                             "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked",
                             "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
                             "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
                             "Transfer-Encoding: xchunked\r\nContent-Length: 0",
                             "Content-Length: 0\r\nTransfer-Encoding: xchunked",
                             "Content-Length: 0\r\nTransfer-Encoding: chunked",
                             "Transfer-Encoding: chunked\r\nContent-Length: 0",
                             "Transfer-Encoding : chunked",
                             "Content-Length: 0\r\nContent-Length: 0",
                             "Content-Length: 0\r\nContent-Length: 40",
                             "Content-Length: 0, 0",
                             "Content-Length: +0",
                             "Content-Length: 0x0",
                             "Content-Length: ",
                             "Content-Length: 0 0",
                             "Content-Length: 18446744073709551616"}) {
    EXPECT_THAT(
        answer_to("POST / HTTP/1.1\r\nHost: test\r\n" + std::string{fields}),
        AllOf(StartsWith("HTTP/1.1 400 Bad Request\r\n"), HasSubstr("Connection: close\r\n"),
              HasSubstr("urn:fixkeep:error:malformed-http"), Not(HasSubstr("/smuggled"))))
        << fields;
  }
}

TEST(HttpServer, refuses_a_transfer_coding_of_a_client_that_cannot_know_it) {
  EXPECT_THAT(answer_to("POST / HTTP/1.0\r\nConnection: keep-alive\r\n"
                        "Transfer-Encoding: chunked\r\n\r\n0"),
              AllOf(StartsWith("HTTP/1.1 400 "), Not(HasSubstr("/smuggled"))));
}

TEST(HttpServer, says_that_it_cannot_undo_another_transfer_coding) {
  EXPECT_THAT(
      answer_to("POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: gzip, chunked"),
      AllOf(StartsWith("HTTP/1.1 501 Not Implemented\r\n"), HasSubstr("Connection: close\r\n"),
            HasSubstr("urn:fixkeep:error:unknown-transfer-coding"), Not(HasSubstr("/smuggled"))));
}

TEST(HttpServer, takes_the_chunked_coding_in_any_case) {
  RunningServer server{echo};
  Client client{server.port()};
  client.send("POST / HTTP/1.1\r\nHost: test\r\ntransfer-encoding: \t Chunked \r\n\r\n" +
              std::string{"4;name=value\r\nroom\r\n0;last\r\nX-Trailer: value\r\n\r\n"} +
              get("/next"));
  EXPECT_THAT(client.read_answer(), EndsWith("POST / room"));
  EXPECT_THAT(client.read_answer(), EndsWith("GET /next "));
}

// --- every byte counts --------------------------------------------------------------------------

TEST(HttpServer, refuses_what_frames_a_body_beyond_the_limit_of_a_header) {
  std::string trailers;
  while (trailers.size() < 1'000'000) trailers += "X-Another: field\r\n";
  std::string small_chunks;
  while (small_chunks.size() < 1'000'000) small_chunks += "1;" + std::string(60, 'x') + "\r\ny\r\n";
  const std::string filler(1'000'000, 'x');  // NOLINT(bugprone-string-constructor)
  for (const std::string& body : {"5;" + filler, "5" + std::string(filler.size(), ' '),
                                  "0;" + filler, "5\r\nabcde\r\n0;" + filler,
                                  "0\r\nX-Trailer: " + filler, "0\r\n" + trailers, small_chunks}) {
    RunningServer server{echo};
    Client client{server.port()};
    std::thread sender{[&] { client.send(chunked_post(body)); }};
    EXPECT_THAT(client.read_to_end(),
                AllOf(StartsWith("HTTP/1.1 431 "), HasSubstr("urn:fixkeep:error:header-too-large")))
        << body.substr(0, 40);
    sender.join();
  }
}

TEST(HttpServer, refuses_endless_empty_lines) {
  RunningServer server{echo};
  Client client{server.port()};
  std::string lines;
  while (lines.size() < 100'000) lines += "\r\n";
  std::thread sender{[&] { client.send(lines); }};
  EXPECT_THAT(client.read_to_end(), StartsWith("HTTP/1.1 400 "));
  sender.join();
}

}  // namespace
}  // namespace fixkeep::net::test
