#include "worker/sdk/grpc/grpc_server.hpp"

#include <fcntl.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/server_posix.h>
#include <sys/socket.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "worker/sdk/grpc/call_bound.hpp"
#include "worker/sdk/grpc/grpc_calls.hpp"

namespace fixkeep::worker {

using boost::asio::posix::stream_descriptor;
using boost::system::error_code;

class GrpcServer::Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(boost::asio::io_context& context, process::Descriptor watched, std::string peer,
             std::shared_ptr<SessionsByPeer> sessions, SessionsByPeer::Entry entry,
             std::function<void()> ended)
      : watched_(context, watched.release()),
        peer_(std::move(peer)),
        sessions_(std::move(sessions)),
        entry_(entry),
        ended_(std::move(ended)) {}
  ~Connection() {
    sessions_->remove(peer_, entry_);
    // Ends the connection. gRPC notices the end and closes its own descriptor.
    ::shutdown(watched_.native_handle(), SHUT_RDWR);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Waits for an error of the socket. Before gRPC closes a connection, it shuts down both sides,
  // and this ends the wait.
  void wait_for_its_end() {
    watched_.async_wait(stream_descriptor::wait_error, [weak = weak_from_this()](error_code error) {
      const auto self = weak.lock();
      if (error || self == nullptr) return;
      const auto ended = std::move(self->ended_);
      ended();
    });
  }

 private:
  stream_descriptor watched_;
  std::string peer_;
  std::shared_ptr<SessionsByPeer> sessions_;
  SessionsByPeer::Entry entry_;
  std::function<void()> ended_;
};

class GrpcServer::Impl {
 public:
  explicit Impl(boost::asio::io_context& context)
      : place_{context, std::make_shared<SessionsByPeer>()}, calls_(place_) {}
  ~Impl() {
    if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::now());
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  bool start() {
    grpc::ServerBuilder builder;
    builder.RegisterCallbackGenericService(&calls_);
    builder.SetMaxReceiveMessageSize(message_bytes_most);
    builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, concurrent_calls);
    // Clients ping often to check the connection, even without a call. An end with "too_many_pings"
    // would disconnect a game. 0: any number is allowed.
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
    std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> bounds;
    bounds.push_back(std::make_unique<CallBound>());
    builder.experimental().SetInterceptorCreators(std::move(bounds));
    server_ = builder.BuildAndStart();
    return server_ != nullptr;
  }

  Result<std::shared_ptr<Connection>> serve(process::Descriptor socket,
                                            const std::shared_ptr<Session>& session,
                                            std::function<void()> ended,
                                            std::function<void()> known) {
    process::Descriptor watched{::fcntl(socket.get(), F_DUPFD_CLOEXEC, 0)};
    if (!watched) return error_code{errno, boost::system::system_category()};
    const int buffer = socket_receive_bytes;
    (void)::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    const std::string peer = "fd:" + std::to_string(socket.get());
    const auto entry = place_.sessions->add(peer, session, std::move(known));
    const auto connection = std::make_shared<Connection>(place_.context, std::move(watched), peer,
                                                         place_.sessions, entry, std::move(ended));
    grpc::AddInsecureChannelFromFd(server_.get(), socket.release());
    connection->wait_for_its_end();
    return connection;
  }

 private:
  CallPlace place_;
  GrpcCalls calls_;
  std::unique_ptr<grpc::Server> server_;
};

Result<std::unique_ptr<GrpcServer>> GrpcServer::start(boost::asio::io_context& context) {
  auto impl = std::make_unique<Impl>(context);
  if (!impl->start()) return make_error_code(boost::system::errc::not_enough_memory);
  return std::unique_ptr<GrpcServer>{new GrpcServer{std::move(impl)}};
}

GrpcServer::GrpcServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

GrpcServer::~GrpcServer() = default;

Result<std::shared_ptr<GrpcServer::Connection>> GrpcServer::serve(
    process::Descriptor socket, const std::shared_ptr<Session>& session,
    std::function<void()> ended, std::function<void()> known) {
  return impl_->serve(std::move(socket), session, std::move(ended), std::move(known));
}

}  // namespace fixkeep::worker
