// A game that speaks the REST form of the SDK, one connection a call.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tests/unit/worker/sdk/sdk_room.hpp"
#include "worker/sdk/rest/rest_transport.hpp"

namespace fixkeep::worker::test {

using Json = nlohmann::json;

struct Reply {
  unsigned status = 0;
  std::string text;
  std::string type;

  [[nodiscard]] Json json() const { return Json::parse(text, nullptr, false); }
};

struct RestTest : testing::Test {
  RestTest() {
    auto listeners = open_listeners();
    EXPECT_TRUE(listeners);
    port = listeners->port;
    sdk = start_rest_transport(context, room.session, {std::move(*listeners), {}});
    EXPECT_EQ(sdk->variables().at("AGONES_SDK_HTTP_PORT"), std::to_string(port));
  }

  // `authorization`: empty: none is shown.
  Reply call(std::string_view method, const std::string& path, const std::string& body,
             const std::string& authorization = "") {
    namespace http = boost::beast::http;
    return meanwhile(context, [&] {
      boost::asio::io_context own;
      boost::asio::ip::tcp::socket socket{own};
      socket.connect({boost::asio::ip::address_v4::loopback(), port});
      http::request<http::string_body> request;
      request.method_string(method);
      request.target(path);
      request.version(11);
      request.set(http::field::host, "localhost");
      if (!authorization.empty()) request.set(http::field::authorization, authorization);
      request.body() = body;
      request.prepare_payload();
      http::write(socket, request);
      boost::beast::flat_buffer buffer;
      http::response<http::string_body> response;
      http::read(socket, buffer, response);
      return Reply{response.result_int(), response.body(),
                   std::string{response[http::field::content_type]}};
    });
  }
  Reply post(const std::string& path, const std::string& body) { return call("POST", path, body); }
  Reply put(const std::string& path, const std::string& body) { return call("PUT", path, body); }
  Reply get(const std::string& path) { return call("GET", path, ""); }

  boost::asio::io_context context{1};
  SdkRoom room;
  std::uint16_t port = 0;
  std::unique_ptr<Transport> sdk;
};

}  // namespace fixkeep::worker::test
