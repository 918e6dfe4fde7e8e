#include <fcntl.h>
#include <grpcpp/create_channel_posix.h>
#include <grpcpp/server_posix.h>
#include <poll.h>
#include <sys/socket.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <future>
#include <map>
#include <thread>

#include "tests/unit/worker/sdk/grpc/grpc_game.hpp"
#include "worker/sdk/grpc/sessions_by_peer.hpp"

namespace fixkeep::worker::test {
namespace {

using GrpcConnectionsTest = GrpcTest;

TEST_F(GrpcConnectionsTest, each_connection_leads_to_its_own_room) {
  Played other{context, *server, "w1-1-2"};
  for (int i = 0; i < 20; ++i) {
    played->dial();
    other.dial();
    EXPECT_EQ(call(*other.sdk, &Sdk::GetGameServer, Empty{}).reply.object_meta().name(), "w1-1-2");
    EXPECT_EQ(call(*played->sdk, &Sdk::GetGameServer, Empty{}).reply.object_meta().name(),
              "w1-1-1");
  }
}

// The number of a descriptor is given to another connection before the last call of the one that
// had it is known to have ended.
TEST(SessionsByPeer, what_a_name_meant_before_is_over_and_its_end_takes_nothing_with_it) {
  SessionHandlers handlers;
  handlers.changed = [] {};
  const auto first = std::make_shared<Session>(facts_of("w1-1-1"), handlers);
  const auto second = std::make_shared<Session>(facts_of("w1-1-2"), handlers);
  SessionsByPeer sessions;
  const auto before = sessions.add("fd:7", first);
  const auto now = sessions.add("fd:7", second);
  EXPECT_EQ(sessions.find("fd:7"), second);
  sessions.remove("fd:7", before);
  EXPECT_EQ(sessions.find("fd:7"), second);
  sessions.remove("fd:7", now);
  EXPECT_EQ(sessions.find("fd:7"), nullptr);
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
  process::Descriptor watched{::fcntl(ends[0], F_DUPFD_CLOEXEC, 0)};
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
TEST_F(GrpcConnectionsTest, a_client_that_pings_without_calls_is_not_sent_away) {
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

// Connections that say nothing.
struct SilentClients {
  void dial(boost::asio::io_context& context, std::uint16_t port, std::size_t count) {
    for (; count > 0; --count) {
      sockets.push_back(std::make_unique<boost::asio::ip::tcp::socket>(context));
      sockets.back()->connect({boost::asio::ip::address_v4::loopback(), port});
    }
  }
  [[nodiscard]] bool is_closed(std::size_t number) const {
    pollfd closed{.fd = sockets.at(number)->native_handle(), .events = POLLRDHUP, .revents = 0};
    return ::poll(&closed, 1, 0) == 1;
  }
  std::vector<std::unique_ptr<boost::asio::ip::tcp::socket>> sockets;
};

TEST_F(GrpcConnectionsTest, that_say_nothing_keep_no_game_out) {
  SilentClients silent;
  silent.dial(context, played->port, grpc_connections + 1);
  run_until(context, [&] { return silent.is_closed(0); });
  EXPECT_FALSE(silent.is_closed(grpc_connections)) << "the newcomer has the place of the oldest";
  EXPECT_TRUE(call(*played->sdk, &Sdk::Ready, Empty{}).status.ok());
}

TEST_F(GrpcConnectionsTest, by_which_a_call_was_let_in_go_for_nobody) {
  Bounded client;
  std::unique_ptr<grpc::ClientReader<calls::sdk::GameServer>> stream;
  calls::sdk::GameServer shown;
  ASSERT_TRUE(game([&] {
    stream = played->sdk->WatchGameServer(&client, Empty{});
    return stream->Read(&shown);
  }));
  SilentClients silent;
  silent.dial(context, played->port, 3 * grpc_connections);
  run_until(context, [&] { return silent.is_closed(grpc_connections); });
  EXPECT_TRUE(call(*played->sdk, &Sdk::Ready, Empty{}).status.ok());
  EXPECT_TRUE(game([&] { return stream->Read(&shown); })) << "it goes on";
  client.TryCancel();
  (void)game([&] { return stream->Finish().ok(); });
}

TEST_F(GrpcConnectionsTest, calls_end_with_their_room) {
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

TEST_F(GrpcConnectionsTest, a_watch_that_has_more_to_send_ends_with_its_room) {
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
TEST_F(GrpcConnectionsTest, the_server_ends_with_calls_that_nobody_answered) {
  std::function<void(bool)> kept;
  SessionHandlers handlers;
  handlers.changed = [] {};
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
