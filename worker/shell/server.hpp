// A running worker: RoomHost, links to the masters, game processes and a timer on one thread.
//
// The loop: handlers of sockets and processes only put events in the inbox. Once everything ready
// has been read, RoomHost steps through the inbox in one go with BatchEnded last. The actions are
// then performed in order. All news of a batch thus leave in one message a master.
//
// Thread rule: the thread that runs the io_context. It starts the processes and must live as long
// as the worker (see worker/runner/game_runner.hpp). Bounds: see the links, the HTTP servers and
// the core. Errors: start() fails if the HTTP address cannot be listened on.
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
  // Null and `failure` filled in if an address cannot be listened on.
  [[nodiscard]] static std::unique_ptr<Server> start(boost::asio::io_context& context,
                                                     Settings settings,
                                                     node::StartFailure& failure);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Closes every room and tells the masters. It then calls `stopped` and the io_context runs out of
  // work. With Settings::drain, the rooms are drained first for at most that long. The second call
  // then closes them. One more call gives the games no more time. Only the first `stopped` is
  // called.
  void stop(std::function<void()> stopped);

  // Ends without its games: the next run goes on with them. It then calls `stopped` like stop().
  // Messages that arrive meanwhile are not heard. No effect if games do not outlive their worker.
  void leave(std::function<void()> stopped);

  // The configuration was read again: later rooms start as its games say. Later links use its
  // certificates. Nothing else of it is taken over. REQUIRES: not called from within a handler of
  // the server.
  void take_over(Settings read);

  [[nodiscard]] std::uint16_t admin_port() const;  // 0: it does not listen

 private:
  class Impl;
  explicit Server(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::worker
