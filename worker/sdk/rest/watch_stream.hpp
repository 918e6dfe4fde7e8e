// One client that watches its game server over HTTP. The answer never ends and has one line of JSON
// for each object: {"result":GameServer}. If the client asks for a WebSocket, it has one message
// each.
//
// It ends when its client goes or with close(). The client's bytes are read and ignored to see its
// end. Its operations keep it alive. The transport needs a weak pointer only. Thread rule: the
// session's. Bounds: one object under way (Watchers); 4 KiB from a client at a time. A WebSocket of
// a vanished client ends after some minutes. Errors: they end it.
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
  virtual void write(std::string object) = 0;  // then sent(), or close()
  virtual void close_socket() = 0;

  void begin();  // writes the first object
  void sent();
  // An operation of the socket calls this at its end. It calls next() unless the stream has ended
  // meanwhile or ends with the operation's error. It keeps the stream alive.
  template <class Next>
  [[nodiscard]] auto then(Next next) {
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

// The request says which kind it is.
[[nodiscard]] std::shared_ptr<WatchStream> make_watch_stream(const net::HttpRequest& request);

// The two kinds. Each has its own source: a WebSocket takes long to compile.
[[nodiscard]] std::shared_ptr<WatchStream> make_line_stream(const net::HttpRequest& request);
[[nodiscard]] std::shared_ptr<WatchStream> make_web_socket_stream(const net::HttpRequest& request);

}  // namespace fixkeep::worker
