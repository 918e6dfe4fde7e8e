// A running worker: RoomHost, links to the masters, game processes and a timer on one thread.
//
// The loop: handlers of sockets and processes only put events into the inbox. After all ready
// sockets were read, RoomHost handles the whole inbox, with BatchEnded last. Then the actions are
// performed in order. Thus each master gets all news of a batch in one message.
//
// Thread rule: the thread that runs the io_context. This thread starts the processes and must live
// as long as the worker (see worker/runner/game_runner.hpp). Bounds: see the links, the HTTP
// servers and the core. Errors: start() fails if the worker cannot listen on the HTTP address.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/system/error_code.hpp>
#include <functional>
#include <memory>

#include "common/node/start.hpp"
#include "worker/shell/settings.hpp"

namespace fixkeep::worker {

class Server {
 public:
  // Returns null and sets `failure` if the worker cannot listen on an address.
  [[nodiscard]] static std::unique_ptr<Server> start(boost::asio::io_context& context,
                                                     Settings settings,
                                                     node::StartFailure& failure);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Closes every room and reports this to the masters. Then calls `stopped`, and the io_context
  // runs out of work. A second call kills the games without more grace. With Settings::drain, the
  // first call drains the rooms for at most this time, the second call closes them, and the third
  // call kills. The further calls ignore their `stopped`, unless the worker has already stopped.
  void stop(std::function<void()> stopped);

  // Ends this worker but leaves its games running; the next run adopts them. Then calls `stopped`,
  // like stop(). Messages that arrive after this call are ignored. If games do not outlive their
  // worker, this call has no effect.
  void leave(std::function<void()> stopped);

  // Applies a configuration that was read again: later rooms use its games, and later links use its
  // certificates. Its other values are ignored. REQUIRES: not called from within a handler of the
  // server.
  void take_over(Settings read);

  [[nodiscard]] std::uint16_t admin_port() const;  // 0: no listener

 private:
  class Impl;
  explicit Server(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::worker
