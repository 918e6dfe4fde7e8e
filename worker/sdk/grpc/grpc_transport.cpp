#include "worker/sdk/grpc/grpc_transport.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace fixkeep::worker {
namespace {

class GrpcTransport final : public Transport {
 public:
  GrpcTransport(boost::asio::io_context& context, GrpcServer& server,
                std::shared_ptr<Session> session, Endpoint endpoint)
      : server_(server),
        session_(std::move(session)),
        acceptor_(context, session_->game_server().facts.room, std::move(endpoint),
                  [this](process::Descriptor connection) { serve(std::move(connection)); }) {}

  void listen(std::vector<process::Descriptor> sockets) override {
    acceptor_.listen(std::move(sockets));
  }
  [[nodiscard]] std::map<std::string, std::string> variables() const override {
    return {{"AGONES_SDK_GRPC_HOST", acceptor_.host()},
            {"AGONES_SDK_GRPC_PORT", std::to_string(acceptor_.port())}};
  }
  void serve(process::Descriptor socket) override {
    if (connections_.size() >= grpc_connections) return;  // closes it
    const std::uint64_t number = ++last_number_;
    auto connection =
        server_.serve(std::move(socket), session_, [this, number] { connections_.erase(number); });
    if (connection) connections_.emplace(number, std::move(*connection));
  }

 private:
  GrpcServer& server_;
  std::shared_ptr<Session> session_;
  std::map<std::uint64_t, std::shared_ptr<GrpcServer::Connection>> connections_;
  std::uint64_t last_number_ = 0;
  Acceptor acceptor_;
};

}  // namespace

std::unique_ptr<Transport> start_grpc_transport(boost::asio::io_context& context,
                                                GrpcServer& server,
                                                std::shared_ptr<Session> session,
                                                Endpoint endpoint) {
  return std::make_unique<GrpcTransport>(context, server, std::move(session), std::move(endpoint));
}

}  // namespace fixkeep::worker
