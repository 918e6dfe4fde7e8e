// A game that speaks the gRPC form of the SDK, with the stubs that the official clients have.
#pragma once

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "tests/unit/worker/sdk/sdk_room.hpp"
#include "worker/sdk/agones/alpha.grpc.pb.h"
#include "worker/sdk/agones/beta.grpc.pb.h"
#include "worker/sdk/agones/calls.hpp"
#include "worker/sdk/agones/sdk.grpc.pb.h"
#include "worker/sdk/grpc/grpc_transport.hpp"

namespace fixkeep::worker::test {

// A room with a port of its own, and a game that has the three stubs of the official clients.
struct Played {
  Played(boost::asio::io_context& context, GrpcServer& server, const std::string& name,
         bool token_needed = false)
      : room(name, token_needed) {
    auto listeners = open_listeners();
    EXPECT_TRUE(listeners);
    port = listeners->port;
    transport = start_grpc_transport(context, server, room.session, {std::move(*listeners), {}});
    EXPECT_EQ(transport->variables().at("AGONES_SDK_GRPC_HOST"), "localhost");
    EXPECT_EQ(transport->variables().at("AGONES_SDK_GRPC_PORT"), std::to_string(port));
    dial();
  }
  void dial() {
    grpc::ChannelArguments arguments;
    arguments.SetInt("grpc.use_local_subchannel_pool", 1);  // a connection for each channel
    channel = grpc::CreateCustomChannel("127.0.0.1:" + std::to_string(port),
                                        grpc::InsecureChannelCredentials(), arguments);
    sdk = calls::sdk::SDK::NewStub(channel);
    alpha = calls::alpha::SDK::NewStub(channel);
    beta = calls::beta::SDK::NewStub(channel);
  }

  SdkRoom room;
  std::uint16_t port = 0;
  std::unique_ptr<Transport> transport;
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<calls::sdk::SDK::Stub> sdk;
  std::unique_ptr<calls::alpha::SDK::Stub> alpha;
  std::unique_ptr<calls::beta::SDK::Stub> beta;
};

// So that a test ends whatever happens.
struct Bounded : grpc::ClientContext {
  Bounded() { set_deadline(std::chrono::system_clock::now() + std::chrono::seconds{10}); }
};

template <class Reply>
struct Told {
  grpc::Status status;
  Reply reply;
};

struct GrpcTest : testing::Test {
  GrpcTest() {
    auto started = GrpcServer::start(context);
    EXPECT_TRUE(started);
    server = std::move(*started);
    played = std::make_unique<Played>(context, *server, "w1-1-1");
  }

  template <class Body>
  auto game(Body body) {
    return meanwhile(context, std::move(body));
  }
  template <class Stub, class Method, class Request>
  auto call(Stub& stub, Method method, const Request& request) {
    return game([&] { return call_now(stub, method, request); });
  }
  template <class Stub, class Interface, class Request, class Reply>
  static Told<Reply> call_now(Stub& stub,
                              grpc::Status (Interface::*method)(grpc::ClientContext*,
                                                                const Request&, Reply*),
                              const Request& request) {
    Bounded client;
    Told<Reply> told;
    told.status = (stub.*method)(&client, request, &told.reply);
    return told;
  }
  std::string state() {
    return call(*played->sdk, &Sdk::GetGameServer, Empty{}).reply.status().state();
  }

  using Sdk = calls::sdk::SDK::Stub;
  using Alpha = calls::alpha::SDK::Stub;
  using Beta = calls::beta::SDK::Stub;
  using Empty = calls::sdk::Empty;

  boost::asio::io_context context{1};
  std::unique_ptr<GrpcServer> server;
  std::unique_ptr<Played> played;
};

inline calls::alpha::PlayerID player(const std::string& id) {
  calls::alpha::PlayerID message;
  message.set_playerid(id);
  return message;
}

}  // namespace fixkeep::worker::test
