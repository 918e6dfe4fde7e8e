#include "worker/sdk/grpc/grpc_transport.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/net/http/connections_by_client.hpp"

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
    const auto from = peer_address(socket.get());
    if (connections_.size() >= grpc_connections) {
      const auto loser = by_client_.first_to_go_for(from);
      if (loser == 0) return;  // the socket's destructor closes the connection
      end(loser);
    }
    const std::uint64_t number = ++last_number_;
    auto connection = server_.serve(
        std::move(socket), session_, [this, number] { end(number); },
        [this, number] {
          const auto found = connections_.find(number);
          if (found == connections_.end()) return;
          by_client_.become(found->second.place, net::ConnectionUse::kept);
        });
    if (!connection) return;
    connections_.emplace(number, Served{std::move(*connection), by_client_.add(from, number)});
  }

 private:
  using ByClient = net::ConnectionsByClient<std::uint64_t>;
  struct Served {
    std::shared_ptr<GrpcServer::Connection> connection;
    ByClient::Place place;
  };

  void end(std::uint64_t number) {
    const auto node = connections_.extract(number);
    if (!node.empty()) by_client_.remove(node.mapped().place);
  }

  GrpcServer& server_;
  std::shared_ptr<Session> session_;
  ByClient by_client_;
  std::map<std::uint64_t, Served> connections_;
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
