// The gRPC form of the Agones SDK: one server for all rooms of a worker.
//
// The server listens nowhere. A room accepts connections on a port of its own and gives them to the
// server together with its session: a call thus finds its room. gRPC names a connection and each
// call on it by the number of its descriptor ("fd:42"). A number is reused only after gRPC has
// closed the descriptor. gRPC does that only after the last call of the connection. While a call
// lives, its number thus means its own connection.
//
// The alternative is a server for each room. It would cost threads and completion queues for each.
// The end of a room would wait for them.
//
// Invariants: 1. A session is used on the io_context's thread only. A call comes there by a post.
//                It is not performed if it has ended before.
//             2. Every call ends with its answer, its client, its connection or the server.
// Thread rule: made, used and ended on the io_context's thread before the io_context ends. gRPC's
// own threads run only live_call.hpp. Bounds: the rooms' connections; for each connection
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
  // Bytes that a connection's socket keeps for gRPC: hundreds of calls that are reset at once.
  static constexpr int socket_receive_bytes = 16 << 10;

  // A connection has two: gRPC's own and ours. Ours shows its end and can end it.
  static constexpr std::size_t connection_descriptors = 2;
  // The server's own descriptors: its threads wait by them.
  static constexpr std::size_t server_descriptors = 4;

  // One connection as its room sees it. The last reference to it closes the connection.
  class Connection;

  [[nodiscard]] static Result<std::unique_ptr<GrpcServer>> start(boost::asio::io_context& context);
  ~GrpcServer();  // waits until gRPC's threads have ended every call, without help
  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;

  // Serves a connected socket: its calls are for the session. `ended` is called when the connection
  // has ended, `known` when a call of it was let in. Neither is called after its destruction.
  // Errors: no descriptor is left.
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
