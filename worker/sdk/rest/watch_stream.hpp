// A WatchStream serves one client that watches its game server over HTTP. The answer never ends. It
// contains one line of JSON for each state: {"result":GameServer}. If the client requests a
// WebSocket, each state is one message.
//
// The stream ends when its client disconnects, or by close(). The stream reads the client's bytes
// only to notice the disconnect, and ignores them. The stream's pending operations keep it alive,
// so the transport needs only a weak pointer. Thread rule: the session's thread. Bounds: one state
// sent at a time (Watchers); at most 4 KiB from a client at a time. A WebSocket of a vanished
// client ends after some minutes. Errors: they end the stream.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <memory>
#include <string>

#include "common/net/http/server.hpp"
#include "worker/sdk/errors.hpp"
#include "worker/sdk/session.hpp"

namespace fixkeep::worker {

class WatchStream : public std::enable_shared_from_this<WatchStream> {
 public:
  WatchStream() = default;
  virtual ~WatchStream() = default;
  WatchStream(const WatchStream&) = delete;
  WatchStream& operator=(const WatchStream&) = delete;

  // Errors: too many watchers. REQUIRES: called once before run().
  [[nodiscard]] SdkResult<> watch(Session& session);
  virtual void run(boost::asio::ip::tcp::socket socket) = 0;
  void close();

 protected:
  virtual void write(std::string object) = 0;  // the stream then calls sent() or close()
  virtual void close_socket() = 0;

  void begin();  // writes the first object
  void sent();
  // Returns the completion handler of a socket operation. The handler keeps the stream alive. It
  // calls next(), or closes the stream if the operation has failed. If the stream has already
  // ended, the handler does nothing.
  [[nodiscard]] auto then(auto next) {
    return [self = shared_from_this(), this, next](boost::system::error_code error,
                                                   std::size_t /*bytes*/ = 0) {
      if (is_closed()) return;
      if (error) {
        close();
      } else {
        next();
      }
    };
  }

 private:
  [[nodiscard]] bool is_closed() const { return watch_ == nullptr; }

  std::unique_ptr<Watchers::Watch> watch_;
};

// Makes the kind of stream that the request asks for.
[[nodiscard]] std::shared_ptr<WatchStream> make_watch_stream(const net::HttpRequest& request);

// The two kinds have their own source files, because a WebSocket takes long to compile.
[[nodiscard]] std::shared_ptr<WatchStream> make_line_stream(const net::HttpRequest& request);
[[nodiscard]] std::shared_ptr<WatchStream> make_web_socket_stream(const net::HttpRequest& request);

}  // namespace fixkeep::worker
