// The SDK as REST: what a game sends over one connection, as HTTP.
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <optional>

#include "common/base/assert.hpp"
#include "common/net/http/request_parser.hpp"
#include "tests/fuzz/sdk_room.hpp"
#include "tests/fuzz/targets.hpp"
#include "worker/sdk/rest/rest_calls.hpp"

namespace fixkeep::fuzz {
namespace {

// That of a client that has gone: answers are made, and go nowhere. Only a connection has one, so
// there is one, once.
const net::HttpResponder& responder_to_nobody() {
  static const net::HttpResponder responder = [] {
    std::optional<net::HttpResponder> kept;
    boost::asio::io_context context;
    const auto server = net::HttpServer::start(
        context, {}, [&](net::HttpRequest&&, const net::HttpResponder& to) { kept = to; });
    FIXKEEP_ASSERT(server, "no port");
    boost::asio::ip::tcp::socket client{context};
    client.connect({boost::asio::ip::make_address("127.0.0.1"), (*server)->port()});
    boost::asio::write(client, boost::asio::buffer("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
    for (int i = 0; i < 100 && !kept; ++i) context.run_one();
    (*server)->close();
    FIXKEEP_ASSERT(kept.has_value(), "no request came");
    return *kept;
  }();
  return responder;
}

}  // namespace

void fuzz_sdk_rest(std::string_view bytes) {
  static const net::HttpOptions options;
  SdkRoom room;
  net::HttpRequestParser parser{options};
  while (!bytes.empty()) {
    bytes.remove_prefix(parser.put(bytes));
    if (parser.state() != net::HttpRequestParser::State::complete) return;
    const net::HttpRequest request = parser.release();
    bool watched = false;
    worker::answer_rest_call(room.session(), request, responder_to_nobody(),
                             [&] { watched = true; });
    // Every second player is let in, and comes when the next request does.
    room.answer_at_the_door(request.body().size() % 2 == 0);
    if (watched) room.reservation_ends();
    room.check();
  }
}

}  // namespace fixkeep::fuzz
