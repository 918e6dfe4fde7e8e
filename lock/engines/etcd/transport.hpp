// The connections of an etcd engine: requests over keep-alive HTTP/1.1 to one of the servers and
// the streaming answer of a watch.
//
// One server is current. When a request to it fails the next one becomes current. Failures are: no
// connection, no answer in time, or an answer that it cannot serve now. A growing pause follows
// each round of failures. A connection serves one request at a time: etcd's gateway would answer
// pipelined ones one after the other.
//
// Invariants: 1. The handler of post() is called once, or never after close(). It is never called
//                from within post().
//             2. After close() nothing is started. Open work ends at once.
// Thread rule: the io_context's. Bounds: `connections` and one more for urgent requests; 1 MiB of
// an answer or of a line of the stream; common/net/http/client.hpp. The caller bounds the waiting
// requests. Fault model: a server says anything. Errors: that client's; Errc::malformed_message if
// an answer says that the server cannot serve.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/net/tls/server_trust.hpp"
#include "lock/engines/engine.hpp"

namespace fixkeep::engine {

struct EtcdReply {
  unsigned status = 0;
  std::string body;
};

struct EtcdTransportOptions {
  std::vector<ServerAddress> servers;
  Duration reply{std::chrono::seconds{1}};  // limit to connect; also to send and get the answer
  std::size_t connections = 8;
  std::shared_ptr<net::ServerTrust> tls;  // null: plain
  std::uint64_t seed = 0;                 // seed of the pauses
};

class EtcdTransport {
 public:
  using Handler = std::function<void(Result<EtcdReply>)>;
  struct StreamHandlers {
    std::function<void(std::string_view line)> on_line;
    std::function<void()> on_closed;  // once, unless closed by close_stream()
  };

  EtcdTransport(boost::asio::io_context& context, EtcdTransportOptions options,
                EngineStatistics& statistics, std::function<void(bool)> on_reachable);
  EtcdTransport(const EtcdTransport&) = delete;
  EtcdTransport& operator=(const EtcdTransport&) = delete;
  ~EtcdTransport();

  enum class Order : std::uint8_t { in_turn, urgent };
  void post(std::string_view path, std::string body, Handler handler, Order order = Order::in_turn);
  // At most one; an earlier one is closed without a word.
  void open_stream(std::string_view path, std::string body, StreamHandlers handlers);
  void close_stream();
  // Sets the "Authorization" of all later requests, except the request for another token. etcd
  // refuses that one with a void token. It refuses all others without a token.
  void authorize(std::string token);
  void close();

  // The last request was answered or not every server has failed since.
  [[nodiscard]] bool reachable() const;

  struct Impl;

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::engine
