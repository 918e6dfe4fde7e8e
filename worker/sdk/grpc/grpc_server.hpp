// The gRPC form of the Agones SDK: one server for all rooms of a worker.
//
// The server itself does not listen. A room accepts connections on its own port and passes them to
// the server together with its session, so each call can find its room. gRPC names a connection and
// each of its calls by the number of its descriptor ("fd:42"). gRPC closes the descriptor only
// after the last call of the connection, and the number is reused only afterwards. While a call
// lives, the number in its name thus means the call's own connection.
//
// The alternative is a server for each room. Each server would cost threads and completion queues,
// and the end of a room would wait for them.
//
// Invariants: 1. A session is used only on the io_context's thread. A call is posted to this
//                thread. If the call has ended before its turn, it is not performed.
//             2. Every call ends: with its answer, or when its client, its connection or the server
// ends. Thread rule: made, used and ended on the io_context's thread before the io_context ends.
// gRPC's own threads run only live_call.hpp. Bounds: the rooms' connections; for each connection
// `concurrent_calls`, `message_bytes_most` and (with reset calls) CallBound::live_calls_most.
// Errors: gRPC cannot start.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <functional>
#include <memory>

#include "common/base/result.hpp"
#include "common/process/descriptor.hpp"
#include "worker/sdk/session.hpp"

namespace fixkeep::worker {

class GrpcServer {
 public:
  static constexpr int concurrent_calls = 64;
  static constexpr int message_bytes_most = 1 << 20;  // most bytes of a game's message
  // Receive buffer of a connection's socket. It is small, because it can be full of calls that are
  // reset immediately.
  static constexpr int socket_receive_bytes = 16 << 10;

  // A connection has two descriptors: gRPC's own and the worker's. The worker's descriptor detects
  // the end of the connection, and can end the connection.
  static constexpr std::size_t connection_descriptors = 2;
  // The server's own descriptors, on which its threads wait.
  static constexpr std::size_t server_descriptors = 4;

  // One connection to a room. When its last reference is gone, the connection is closed.
  class Connection;

  [[nodiscard]] static Result<std::unique_ptr<GrpcServer>> start(boost::asio::io_context& context);
  ~GrpcServer();  // waits until gRPC's threads have ended every call by themselves
  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;

  // Serves a connected socket, whose calls are for the session. `ended` is called when the
  // connection has ended, `known` when its first call was accepted. The two handlers are never
  // called after the Connection is destroyed. Errors: no descriptor is left.
  [[nodiscard]] Result<std::shared_ptr<Connection>> serve(process::Descriptor socket,
                                                          const std::shared_ptr<Session>& session,
                                                          std::function<void()> ended,
                                                          std::function<void()> known);

 private:
  class Impl;
  explicit GrpcServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace fixkeep::worker
