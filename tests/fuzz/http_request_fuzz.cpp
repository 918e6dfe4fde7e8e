// What an HTTP client sends on one connection, whole and in pieces.
//
// The first byte says how long the pieces are; the rest is what comes over the connection.
#include <string>
#include <vector>

#include "common/base/assert.hpp"
#include "common/net/http/request_parser.hpp"
#include "common/net/http/routes.hpp"
#include "tests/fuzz/targets.hpp"

namespace fixkeep::fuzz {
namespace {

using State = net::HttpRequestParser::State;

// Small, so that an input reaches them.
const net::HttpOptions& http_options() {
  static const net::HttpOptions options{.header_bytes = 512, .body_bytes = 256};
  return options;
}

struct HttpHeard {
  std::vector<std::string> requests;
  bool refused = false;
};

void note_request(const net::HttpRequest& request, HttpHeard& heard) {
  FIXKEEP_ASSERT(request.body().size() <= http_options().body_bytes, "a long body");
  const auto target = net::split_target(request.target());
  FIXKEEP_ASSERT(target.path.size() + target.query.size() <= request.target().size(), "target");
  std::size_t header = 0;
  for (const auto& field : request) header += field.name_string().size() + field.value().size();
  FIXKEEP_ASSERT(header <= http_options().header_bytes, std::to_string(header));
  std::string text{request.method_string()};
  text.append(" ").append(request.target()).append(" ").append(request.body());
  heard.requests.push_back(std::move(text));
}

// As a connection does it: what was not taken stands before what comes next.
HttpHeard hear_http(std::string_view input, std::size_t piece) {
  HttpHeard heard;
  net::HttpRequestParser parser{http_options()};
  std::string waiting;
  while (!input.empty()) {
    waiting += input.substr(0, piece);
    input.remove_prefix(std::min(piece, input.size()));
    while (!waiting.empty()) {
      const std::size_t taken = parser.put(waiting);
      FIXKEEP_ASSERT(taken <= waiting.size(), "took more than there is");
      waiting.erase(0, taken);
      if (parser.state() == State::refused) {
        FIXKEEP_ASSERT(parser.refusal().status >= 400, "refused without a reason");
        heard.refused = true;
        return heard;
      }
      (void)parser.take_expectation();
      if (parser.state() != State::complete) break;
      note_request(parser.release(), heard);
    }
    FIXKEEP_ASSERT(
        waiting.size() <= http_options().header_bytes + http_options().body_bytes + piece,
        "more waits than one request may have");
  }
  return heard;
}

}  // namespace

void fuzz_http_request(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto piece = static_cast<std::size_t>(static_cast<unsigned char>(bytes[0])) + 1;
  bytes.remove_prefix(1);
  const HttpHeard whole = hear_http(bytes, bytes.size() + 1);
  const HttpHeard pieces = hear_http(bytes, piece);
  // How bytes arrive decides neither what the requests are nor where they end.
  const std::size_t both = std::min(whole.requests.size(), pieces.requests.size());
  for (std::size_t i = 0; i < both; ++i) {
    FIXKEEP_ASSERT(whole.requests[i] == pieces.requests[i], pieces.requests[i]);
  }
  const HttpHeard& fewer = whole.requests.size() == both ? whole : pieces;
  FIXKEEP_ASSERT(fewer.refused || whole.requests.size() == pieces.requests.size(),
                 "a request is heard in one way only");
}

}  // namespace fixkeep::fuzz
