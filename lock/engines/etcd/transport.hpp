// The connections of an etcd engine: requests over keep-alive HTTP/1.1 to one of the servers and
// the streaming answer of a watch.
//
// One server is current. When a request to the current server fails, the next server becomes
// current. Failures are: no connection, no answer in time, or the answer that the server cannot
// serve now. A growing pause follows after all servers have failed. A connection serves one request
// at a time: etcd's gateway would process pipelined requests one by one.
//
// Invariants: 1. The handler of post() is called exactly once, but never after close() and never
//                from within post().
//             2. After close(), nothing new is started, and open work ends immediately.
// Thread rule: the thread of the io_context. Bounds: `connections` connections and one more for
// urgent requests; 1 MiB per answer and per line of the stream; the bounds of
// common/net/http/client.hpp. The caller bounds the waiting requests. Fault model: a server may
// send anything. Errors: those of common/net/http/client.hpp; Errc::malformed_message if an answer
// says that the server cannot serve.
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
  // Time limit for making a connection, and from a request to its answer.
  Duration reply{std::chrono::seconds{1}};
  std::size_t connections = 8;
  std::shared_ptr<net::ServerTrust> tls;  // null: plain
  std::uint64_t seed = 0;                 // seed of the pauses
};

class EtcdTransport {
 public:
  using Handler = std::function<void(Result<EtcdReply>)>;
  struct StreamHandlers {
    std::function<void(std::string_view line)> on_line;
    std::function<void()> on_closed;  // called once, but not after close_stream()
  };

  EtcdTransport(boost::asio::io_context& context, EtcdTransportOptions options,
                EngineStatistics& statistics, std::function<void(bool)> on_reachable);
  EtcdTransport(const EtcdTransport&) = delete;
  EtcdTransport& operator=(const EtcdTransport&) = delete;
  ~EtcdTransport();

  enum class Order : std::uint8_t { in_turn, urgent };
  void post(std::string_view path, std::string body, Handler handler, Order order = Order::in_turn);
  // Opens the only stream. Closes an earlier stream without calling its on_closed().
  void open_stream(std::string_view path, std::string body, StreamHandlers handlers);
  void close_stream();
  // Sets the "Authorization" header of all later requests, except requests for a new token. etcd
  // refuses a request for a new token if the request contains an invalid token. It refuses every
  // other request that contains no token.
  void authorize(std::string token);
  void close();

  // True from a server's answer until all servers have failed after the last answer.
  [[nodiscard]] bool reachable() const;

  struct Impl;

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::engine
