#include "worker/sdk/grpc/grpc_transport.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <grpcpp/create_channel_posix.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/server_posix.h>
#include <poll.h>
#include <sys/socket.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <future>
#include <map>
#include <thread>

#include "tests/unit/worker/sdk/sdk_room.hpp"
#include "worker/sdk/grpc/grpc_services.hpp"

namespace fixkeep::worker::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Key;
using testing::Pair;

// A room with a port of its own, and a game that has the three stubs of the official clients.
struct Played {
  Played(boost::asio::io_context& context, GrpcServer& server, const std::string& name)
      : room(name) {
    auto listeners = open_listeners();
    EXPECT_TRUE(listeners);
    port = listeners->port;
    transport = start_grpc_transport(context, server, room.session, {std::move(*listeners), {}});
    EXPECT_THAT(transport->variables(),
                ElementsAre(Pair("AGONES_SDK_GRPC_HOST", "localhost"),
                            Pair("AGONES_SDK_GRPC_PORT", std::to_string(port))));
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

struct GrpcTransportTest : testing::Test {
  GrpcTransportTest() {
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

calls::sdk::KeyValue key_value(const std::string& key, const std::string& value) {
  calls::sdk::KeyValue message;
  message.set_key(key);
  message.set_value(value);
  return message;
}

calls::alpha::PlayerID player(const std::string& id) {
  calls::alpha::PlayerID message;
  message.set_playerid(id);
  return message;
}

TEST_F(GrpcTransportTest, the_life_of_a_game) {
  calls::sdk::Duration duration;
  duration.set_seconds(30);
  EXPECT_TRUE(call(*played->sdk, &Sdk::Reserve, duration).status.ok());
  EXPECT_EQ(state(), "Reserved");
  EXPECT_TRUE(call(*played->sdk, &Sdk::Ready, Empty{}).status.ok());
  EXPECT_EQ(state(), "Ready");
  EXPECT_TRUE(call(*played->sdk, &Sdk::Allocate, Empty{}).status.ok());
  EXPECT_EQ(state(), "Allocated");
  EXPECT_TRUE(call(*played->sdk, &Sdk::Shutdown, Empty{}).status.ok());
  EXPECT_EQ(state(), "Shutdown");
  EXPECT_THAT(played->room.happened, ElementsAre("timer 30", "ready", "shutdown"));
}

TEST_F(GrpcTransportTest, the_game_server_and_its_metadata) {
  EXPECT_TRUE(call(*played->sdk, &Sdk::SetLabel, key_value("map", "ice")).status.ok());
  EXPECT_TRUE(call(*played->sdk, &Sdk::SetAnnotation, key_value("note", "any text")).status.ok());
  const auto refused = call(*played->sdk, &Sdk::SetLabel, key_value("not a key", "")).status;
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  const auto shown = call(*played->sdk, &Sdk::GetGameServer, Empty{}).reply;
  EXPECT_EQ(shown.object_meta().name(), "w1-1-1");
  EXPECT_EQ(shown.object_meta().resource_version(), "3");
  EXPECT_EQ(shown.object_meta().creation_timestamp(), 1'700'000'000);
  EXPECT_EQ(shown.object_meta().labels().at("agones.dev/sdk-map"), "ice");
  EXPECT_EQ(shown.object_meta().annotations().at("agones.dev/sdk-note"), "any text");
  EXPECT_EQ(shown.spec().health().period_seconds(), 5);
  EXPECT_EQ(shown.status().ports(0).port(), 20001);
  EXPECT_EQ(shown.status().counters().at("rooms").capacity(), 10);
  EXPECT_THAT(shown.status().lists().at("players").values(), ElementsAre("test0"));
}

TEST_F(GrpcTransportTest, health_is_one_stream_for_the_life_of_the_game) {
  game([&] {
    Bounded client;
    Empty reply;
    const auto stream = played->sdk->Health(&client, &reply);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(stream->Write(Empty{}));
    stream->WritesDone();
    EXPECT_TRUE(stream->Finish().ok());
    return true;
  });
  EXPECT_THAT(played->room.happened, ElementsAre("health", "health", "health"));
}

TEST_F(GrpcTransportTest, a_watch_sends_the_object_at_once_and_after_every_change) {
  Bounded client;
  std::unique_ptr<grpc::ClientReader<calls::sdk::GameServer>> stream;
  const auto next = [&] {
    calls::sdk::GameServer shown;
    EXPECT_TRUE(stream->Read(&shown));
    return shown.status().state();
  };
  EXPECT_EQ(game([&] {
              stream = played->sdk->WatchGameServer(&client, Empty{});
              return next();
            }),
            "Scheduled");
  played->room.session->ready();
  EXPECT_EQ(game(next), "Ready");
  played->room.session->allocate();
  EXPECT_EQ(game(next), "Allocated");
  client.TryCancel();
  EXPECT_FALSE(game([&] { return stream->Finish().ok(); }));
}

TEST_F(GrpcTransportTest, player_tracking) {
  auto& alpha = *played->alpha;
  EXPECT_TRUE(call(alpha, &Alpha::PlayerConnect, player("ann")).reply.bool_());
  const auto again = call(alpha, &Alpha::PlayerConnect, player("ann"));
  EXPECT_TRUE(again.status.ok());
  EXPECT_FALSE(again.reply.bool_());
  EXPECT_FALSE(call(alpha, &Alpha::PlayerConnect, player("stranger")).reply.bool_());
  EXPECT_TRUE(call(alpha, &Alpha::IsPlayerConnected, player("ann")).reply.bool_());
  EXPECT_EQ(call(alpha, &Alpha::GetPlayerCount, calls::alpha::Empty{}).reply.count(), 1);
  EXPECT_THAT(call(alpha, &Alpha::GetConnectedPlayers, calls::alpha::Empty{}).reply.list(),
              ElementsAre("ann"));
  calls::alpha::Count one;
  one.set_count(1);
  EXPECT_TRUE(call(alpha, &Alpha::SetPlayerCapacity, one).status.ok());
  EXPECT_EQ(call(alpha, &Alpha::GetPlayerCapacity, calls::alpha::Empty{}).reply.count(), 1);
  EXPECT_EQ(call(alpha, &Alpha::PlayerConnect, player("bob")).status.error_code(),
            grpc::StatusCode::UNKNOWN);
  EXPECT_TRUE(call(alpha, &Alpha::PlayerDisconnect, player("ann")).reply.bool_());
  EXPECT_FALSE(call(alpha, &Alpha::PlayerDisconnect, player("ann")).reply.bool_());
  EXPECT_EQ(call(alpha, &Alpha::PlayerConnect, player("")).status.error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(GrpcTransportTest, counters_with_wrapped_zeros_and_negative_differences) {
  const auto update = [&](const std::function<void(calls::beta::CounterUpdateRequest&)>& fill) {
    calls::beta::UpdateCounterRequest request;
    request.mutable_counterupdaterequest()->set_name("rooms");
    fill(*request.mutable_counterupdaterequest());
    return call(*played->beta, &Beta::UpdateCounter, request);
  };
  EXPECT_EQ(update([](auto& counter) { counter.set_countdiff(5); }).reply.count(), 6);
  EXPECT_EQ(update([](auto& counter) { counter.set_countdiff(-4); }).reply.count(), 2);
  const auto zero = update([](auto& counter) { counter.mutable_count(); });
  EXPECT_TRUE(zero.status.ok());
  EXPECT_EQ(zero.reply.count(), 0);
  EXPECT_EQ(zero.reply.capacity(), 10);
  EXPECT_EQ(update([](auto& counter) { counter.mutable_capacity(); }).reply.capacity(), 0);
  EXPECT_EQ(update([](auto& counter) { counter.set_countdiff(-1); }).status.error_code(),
            grpc::StatusCode::UNKNOWN);
  EXPECT_EQ(update([](auto&) {}).status.error_code(), grpc::StatusCode::UNKNOWN);
  EXPECT_EQ(call(*played->beta, &Beta::UpdateCounter, calls::beta::UpdateCounterRequest{})
                .status.error_code(),
            grpc::StatusCode::UNKNOWN);
  calls::beta::GetCounterRequest frags;
  frags.set_name("frags");
  const auto missing = call(*played->beta, &Beta::GetCounter, frags).status;
  EXPECT_EQ(missing.error_code(), grpc::StatusCode::UNKNOWN);
  EXPECT_EQ(missing.error_message(), "not found. frags Counter not found");
}

TEST_F(GrpcTransportTest, lists_with_a_mask_that_is_there_and_empty) {
  calls::beta::UpdateListRequest update;
  update.mutable_list()->set_name("players");
  update.mutable_list()->set_capacity(9);
  EXPECT_EQ(call(*played->beta, &Beta::UpdateList, update).status.error_code(),
            grpc::StatusCode::UNKNOWN)
      << "without a mask";
  update.mutable_update_mask();
  const auto raised = call(*played->beta, &Beta::UpdateList, update).reply;
  EXPECT_EQ(raised.capacity(), 9);
  EXPECT_THAT(raised.values(), ElementsAre("test0"));
  update.mutable_update_mask()->add_paths("values");
  EXPECT_THAT(call(*played->beta, &Beta::UpdateList, update).reply.values(), IsEmpty());
  calls::beta::AddListValueRequest add;
  add.set_name("players");
  add.set_value("x");
  EXPECT_THAT(call(*played->beta, &Beta::AddListValue, add).reply.values(), ElementsAre("x"));
  EXPECT_EQ(call(*played->beta, &Beta::AddListValue, add).status.error_code(),
            grpc::StatusCode::UNKNOWN);
  calls::beta::RemoveListValueRequest remove;
  remove.set_name("players");
  remove.set_value("x");
  EXPECT_TRUE(call(*played->beta, &Beta::RemoveListValue, remove).status.ok());
  calls::beta::GetListRequest get;
  get.set_name("players");
  EXPECT_THAT(call(*played->beta, &Beta::GetList, get).reply.values(), IsEmpty());
}

TEST_F(GrpcTransportTest, each_connection_leads_to_its_own_room) {
  Played other{context, *server, "w1-1-2"};
  for (int i = 0; i < 20; ++i) {
    played->dial();
    other.dial();
    EXPECT_EQ(call(*other.sdk, &Sdk::GetGameServer, Empty{}).reply.object_meta().name(), "w1-1-2");
    EXPECT_EQ(call(*played->sdk, &Sdk::GetGameServer, Empty{}).reply.object_meta().name(),
              "w1-1-1");
  }
}

// What keeps a call from being taken for one of another room: see grpc_server.hpp. The number of a
// descriptor is not free, and so not given to another connection, while a call of it lives.
TEST(GrpcDescriptor, is_not_closed_before_the_last_call_of_its_connection_has_ended) {
  struct Slow final : grpc::ServerUnaryReactor {
    void OnDone() override {}
  };
  struct Service final : calls::sdk::SDK::CallbackService {
    grpc::ServerUnaryReactor* Ready(grpc::CallbackServerContext* context, const calls::sdk::Empty*,
                                    calls::sdk::Empty*) override {
      descriptor = std::stoi(context->peer().substr(std::string{"fd:"}.size()));
      began.set_value();
      return &reactor;
    }
    Slow reactor;
    std::promise<void> began;
    int descriptor = -1;
  };
  Service service;
  grpc::ServerBuilder builder;
  builder.RegisterService(&service);
  const auto server = builder.BuildAndStart();
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
  Descriptor watched{::fcntl(ends[0], F_DUPFD_CLOEXEC, 0)};
  grpc::AddInsecureChannelFromFd(server.get(), ends[0]);
  {
    const auto channel = grpc::CreateInsecureChannelFromFd("game", ends[1]);
    const auto stub = calls::sdk::SDK::NewStub(channel);
    Bounded client;
    calls::sdk::Empty reply;
    std::thread caller{[&] { (void)stub->Ready(&client, {}, &reply); }};
    service.began.get_future().wait();
    client.TryCancel();
    caller.join();
  }
  EXPECT_EQ(service.descriptor, ends[0]);
  pollfd hung_up{.fd = watched.get(), .events = 0, .revents = 0};
  ASSERT_EQ(::poll(&hung_up, 1, 10'000), 1) << "gRPC has not noticed that the client is gone";
  EXPECT_NE(::fcntl(ends[0], F_GETFD), -1) << "closed, although its call lives";
  service.reactor.Finish(grpc::Status::CANCELLED);
  server->Shutdown();
}

// Frames of HTTP/2 (RFC 9113) by hand, since the client of gRPC limits its own pings.
TEST_F(GrpcTransportTest, a_client_that_pings_without_calls_is_not_sent_away) {
  constexpr char settings = 4;
  constexpr char ping = 6;
  constexpr char go_away = 7;
  constexpr int pings = 20;
  const auto frame = [](char type, const std::string& payload) {
    std::string head(9, '\0');
    head[2] = static_cast<char>(payload.size());
    head[3] = type;
    return head + payload;
  };
  const auto seen = game([&] {
    boost::asio::io_context own;
    boost::asio::ip::tcp::socket client{own};
    client.connect({boost::asio::ip::address_v4::loopback(), played->port});
    std::string sent = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(settings, "");
    std::map<char, int> frames;
    boost::system::error_code closed;
    // One after the other: what sends it away comes behind the answer to a ping.
    for (int i = 1; i <= pings && !closed && !frames.contains(go_away); ++i) {
      sent += frame(ping, "12345678");
      boost::asio::write(client, boost::asio::buffer(sent), closed);
      sent.clear();
      while (frames[ping] < i && !closed && !frames.contains(go_away)) {
        std::string head(9, '\0');
        boost::asio::read(client, boost::asio::buffer(head), closed);
        ++frames[head[3]];
        std::string payload(static_cast<unsigned char>(head[2]), ' ');
        boost::asio::read(client, boost::asio::buffer(payload), closed);
      }
    }
    return frames;
  });
  EXPECT_EQ(seen.at(ping), pings);
  EXPECT_FALSE(seen.contains(go_away));
}

TEST_F(GrpcTransportTest, has_a_bound_of_connections_and_one_that_leaves_makes_room) {
  std::vector<std::unique_ptr<boost::asio::ip::tcp::socket>> clients;
  const auto dial = [&] {
    clients.push_back(std::make_unique<boost::asio::ip::tcp::socket>(context));
    clients.back()->connect({boost::asio::ip::address_v4::loopback(), played->port});
  };
  const auto is_closed = [](boost::asio::ip::tcp::socket& client) {
    pollfd closed{.fd = client.native_handle(), .events = POLLRDHUP, .revents = 0};
    return ::poll(&closed, 1, 0) == 1;
  };
  for (std::size_t i = 0; i <= grpc_connections; ++i) dial();
  run_until(context, [&] { return is_closed(*clients.back()); });
  EXPECT_FALSE(is_closed(*clients.front()));
  clients.front()->close();
  EXPECT_TRUE(call(*played->sdk, &Sdk::Ready, Empty{}).status.ok())
      << "it dials again until there is room";
}

TEST_F(GrpcTransportTest, calls_end_with_their_room) {
  Bounded client;
  std::unique_ptr<grpc::ClientReader<calls::sdk::GameServer>> stream;
  calls::sdk::GameServer shown;
  game([&] {
    stream = played->sdk->WatchGameServer(&client, Empty{});
    return stream->Read(&shown);
  });
  played->transport.reset();
  EXPECT_FALSE(game([&] { return stream->Read(&shown); }));
  EXPECT_EQ(game([&] { return stream->Finish().error_code(); }), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(GrpcTransportTest, a_watch_that_has_more_to_send_ends_with_its_room) {
  Bounded client;
  std::unique_ptr<grpc::ClientReader<calls::sdk::GameServer>> stream;
  calls::sdk::GameServer shown;
  game([&] {
    stream = played->sdk->WatchGameServer(&client, Empty{});
    return stream->Read(&shown);
  });
  for (int i = 0; i < 3; ++i) played->room.session->set_player_capacity(10 + i);
  played->transport.reset();
  EXPECT_EQ(played->room.session.use_count(), 1);
  played->room.session.reset();
  EXPECT_FALSE(game([&] {
    while (stream->Read(&shown)) {}
    return stream->Finish().ok();
  }));
}

// The worker asks somebody else, who never answers: neither the room nor the server waits for it.
TEST_F(GrpcTransportTest, the_server_ends_with_calls_that_nobody_answered) {
  std::function<void(bool)> kept;
  SessionHandlers handlers;
  handlers.connect = [&](const PlayerId&, std::function<void(bool)> answer) {
    kept = std::move(answer);
  };
  const auto session = std::make_shared<Session>(facts_of("w1-1-3"), handlers);
  auto listeners = open_listeners();
  ASSERT_TRUE(listeners);
  const auto port = std::to_string(listeners->port);
  auto transport = start_grpc_transport(context, *server, session, {std::move(*listeners), {}});
  const auto stub = calls::alpha::SDK::NewStub(
      grpc::CreateChannel("127.0.0.1:" + port, grpc::InsecureChannelCredentials()));
  auto told = std::async(std::launch::async,
                         [&] { return call_now(*stub, &Alpha::PlayerConnect, player("ann")); });
  run_until(context, [&] { return kept != nullptr; });
  played.reset();
  transport.reset();
  server.reset();
  EXPECT_FALSE(told.get().status.ok());
  kept(true);  // too late, and harmless
}

}  // namespace
}  // namespace fixkeep::worker::test
