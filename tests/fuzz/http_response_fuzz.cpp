// What an HTTP server answers to a client of ours, whole and in pieces.
//
// The first byte says how long the pieces are, and with its highest bit that the connection ends;
// the rest is what comes over the connection.
#include <algorithm>
#include <string>

#include "common/base/assert.hpp"
#include "common/net/http/response_reader.hpp"
#include "tests/fuzz/targets.hpp"

namespace fixkeep::fuzz {
namespace {

using ReaderState = net::HttpResponseReader::State;

// Small, so that an input reaches them.
constexpr net::HttpReaderLimits answer_limits{.head_bytes = 256, .body_bytes = 128};

struct HttpAnswered {
  ReaderState state{};
  unsigned status = 0;
  bool keep_alive = false;
  std::string body;
  std::size_t taken = 0;
};

HttpAnswered hear_answer(std::string_view input, std::size_t piece, bool ends) {
  net::HttpResponseReader reader{answer_limits};
  HttpAnswered heard;
  while (!input.empty() && !reader.over()) {
    const auto now = input.substr(0, piece);
    const auto taken = reader.put(now);
    FIXKEEP_ASSERT(taken <= now.size(), "took more than there is");
    FIXKEEP_ASSERT(taken == now.size() || reader.over(), "left bytes that it wants");
    heard.taken += taken;
    input.remove_prefix(now.size());
  }
  if (ends) reader.put_end();
  FIXKEEP_ASSERT(!ends || reader.over(), "waits for more of a connection that has ended");
  FIXKEEP_ASSERT(reader.body().size() <= answer_limits.body_bytes, "a long body");
  FIXKEEP_ASSERT(heard.taken <= answer_limits.head_bytes + 17 * answer_limits.body_bytes,
                 "read for long");
  heard.state = reader.state();
  if (reader.state() == ReaderState::failed) {
    FIXKEEP_ASSERT(reader.error(), "failed without a reason");
    return heard;
  }
  heard.status = reader.status();
  heard.keep_alive = reader.keep_alive();
  heard.body = reader.body();
  return heard;
}

}  // namespace

void fuzz_http_response(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto first = static_cast<unsigned char>(bytes[0]);
  const bool ends = first >= 0x80;
  bytes.remove_prefix(1);
  const auto whole = hear_answer(bytes, bytes.size() + 1, ends);
  const auto pieces = hear_answer(bytes, static_cast<std::size_t>(first & 0x7fU) + 1, ends);
  // How bytes arrive does not decide what the answer is, nor where it ends.
  FIXKEEP_ASSERT(whole.state == pieces.state, pieces.body);
  FIXKEEP_ASSERT(whole.body == pieces.body, pieces.body);
  FIXKEEP_ASSERT(whole.status == pieces.status && whole.keep_alive == pieces.keep_alive,
                 pieces.body);
  FIXKEEP_ASSERT(whole.state != ReaderState::complete || whole.taken == pieces.taken, whole.body);
}

}  // namespace fixkeep::fuzz
