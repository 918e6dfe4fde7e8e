// TLS in front of a game: what players and the game hear, renewals, and the bounds.
#include "worker/room_tls/room_tls.hpp"

#include <gmock/gmock.h>

#include <poll.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "common/certs/folder.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/common/net/http/https_client.hpp"

namespace fixkeep::worker {
namespace {

using net::test::Client;
using net::test::echo;
using net::test::eventually;
using net::test::get;
using net::test::HttpsClient;
using net::test::RunningServer;
using namespace std::chrono_literals;
using std::chrono::days;

using boost::asio::ip::tcp;

std::uint16_t free_port() {
  boost::asio::io_context context;
  return tcp::acceptor{context, {tcp::v4(), 0}}.local_endpoint().port();
}

bool hears_something(Client& client, int within_ms) {  // bytes, or the end
  pollfd entry{.fd = client.handle(), .events = POLLIN, .revents = 0};
  return ::poll(&entry, 1, within_ms) == 1;
}

struct RoomTlsTest : testing::Test {
  RoomTlsTest() {
    EXPECT_EQ(made().init("test", days{100}), "");
    renew();
  }
  ~RoomTlsTest() override {
    context.stop();
    if (thread.joinable()) thread.join();
  }

  [[nodiscard]] certs::CertificateFolder made() const {
    return certs::CertificateFolder{folder.path()};
  }
  void renew() const {
    const auto signer = made().authority();
    const auto& authority = std::get<certs::Authority>(signer);
    EXPECT_EQ(made().add_node(authority, net::Role::worker, "w1", days{10}, true), "");
  }
  [[nodiscard]] std::string file(const char* name) const { return (folder / name).string(); }
  // The game speaks HTTP, as most games in browsers do in the beginning.
  void open(std::uint16_t game, std::size_t most = 1'000,
            std::chrono::milliseconds patience = 10s) {
    boost::asio::io_context own;
    tcp::acceptor listener{own, {tcp::v6(), 0}};
    port = listener.local_endpoint().port();
    tls = std::make_unique<RoomTls>(context,
                                    RoomTls::Options{.listener = ::dup(listener.native_handle()),
                                                     .game = game,
                                                     .files = {file("w1.pem"), file("w1.key"), {}},
                                                     .most = most,
                                                     .look = 10ms,
                                                     .patience = patience});
    ASSERT_EQ(tls->open(), "");
    thread = std::thread{[this] { context.run(); }};
  }
  [[nodiscard]] std::unique_ptr<HttpsClient> player() const {
    return std::make_unique<HttpsClient>(port, file("authority.pem"));
  }

  test::TemporaryFolder folder;
  boost::asio::io_context context{1};
  std::uint16_t port = 0;
  std::unique_ptr<RoomTls> tls;
  std::thread thread;
};

TEST_F(RoomTlsTest, passes_on_whatever_a_player_and_the_game_say) {
  const std::string large(std::size_t{4} << 20U, 'x');
  RunningServer game{[&](net::HttpRequest&& request, const net::HttpResponder& responder) {
    responder.answer(net::test::text(std::to_string(request.body().size()) + large));
  }};
  open(game.port());
  const auto ann = player();
  for (int i = 0; i < 3; ++i) {
    ann->send(net::test::post(std::string(60'000, 'b')));
    EXPECT_TRUE(ann->read_answer().ends_with("60000" + large));
  }
}

TEST_F(RoomTlsTest, tells_the_player_that_the_game_has_ended_the_connection) {
  RunningServer game{echo};
  open(game.port());
  const auto ann = player();
  ann->send(get("/", "Connection: close\r\n"));
  EXPECT_THAT(ann->read_to_end(), testing::HasSubstr("GET / "));
  EXPECT_TRUE(ann->was_told_goodbye()) << "or the end could be an attacker's";
}

TEST_F(RoomTlsTest, the_game_sees_no_player_without_a_handshake) {
  boost::asio::io_context own;
  tcp::acceptor game{own, {boost::asio::ip::address_v4::loopback(), 0}};
  open(game.local_endpoint().port(), 1'000, 300ms);
  Client plain{port};
  plain.send(get("/"));
  EXPECT_EQ(plain.read_to_end().find("HTTP/1.1"), std::string::npos);
  Client silent{port};
  EXPECT_TRUE(hears_something(silent, 5'000)) << "its handshake takes too long";
  EXPECT_EQ(silent.read_to_end(), "");
  game.non_blocking(true);
  boost::system::error_code error;
  (void)game.accept(error);
  EXPECT_EQ(error, boost::asio::error::would_block) << "somebody has come";
}

TEST_F(RoomTlsTest, the_game_hears_that_a_player_has_left) {
  RunningServer game{echo};
  open(game.port());
  const auto seen = [&] { return game.on_thread([&] { return game.server().connections(); }); };
  {
    const auto ann = player();
    ann->send(get("/"));
    EXPECT_NE(ann->read_answer(), "");
    EXPECT_EQ(seen(), 1U);
  }
  EXPECT_TRUE(eventually([&] { return seen() == 0; }));
}

TEST_F(RoomTlsTest, shows_a_renewed_certificate_and_keeps_the_good_one_while_the_new_one_is_wrong) {
  RunningServer game{echo};
  open(game.port());
  const auto ann = player();
  const auto first = ann->serial();
  std::filesystem::rename(file("w1.pem"), file("good.pem"));
  std::filesystem::copy_file(file("authority.pem"), file("w1.pem"));  // of another key
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(player()->serial(), first);
  renew();
  EXPECT_TRUE(eventually([&] {
    const auto now = player()->serial();
    return now != first && now != "none";
  }));
  ann->send(get("/before"));
  EXPECT_THAT(ann->read_answer(), testing::HasSubstr("GET /before")) << "it goes on";
}

TEST_F(RoomTlsTest, a_player_without_a_game_hears_an_end) {
  open(free_port());
  const auto ann = player();
  EXPECT_TRUE(ann->is_welcome());
  EXPECT_EQ(ann->read_to_end(), "");
}

TEST_F(RoomTlsTest, who_has_most_connections_loses_one_to_a_newcomer) {
  RunningServer game{echo};
  open(game.port(), 4);
  std::vector<std::unique_ptr<HttpsClient>> greedy;
  const auto answered = [](HttpsClient& client) {
    client.send(get("/"));
    return client.read_answer().find("200 OK") != std::string::npos;
  };
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(answered(*greedy.emplace_back(player())));
  Client other{port, "127.0.0.9"};
  EXPECT_TRUE(eventually([&] {
    return game.on_thread([&] { return game.server().connections(); }) == 3;
  })) << "the latest of the greedy one has made place";
  EXPECT_TRUE(answered(*greedy.front()));
}

TEST_F(RoomTlsTest, a_slow_newcomer_does_not_go_before_the_greedy) {
  RunningServer game{echo};
  open(game.port(), 4);
  std::vector<std::unique_ptr<HttpsClient>> greedy;
  greedy.reserve(6);
  for (int i = 0; i < 3; ++i) greedy.push_back(player());
  Client slow{port, "127.0.0.9"};  // its handshake has not begun
  for (int i = 0; i < 3; ++i) greedy.push_back(player());
  EXPECT_FALSE(hears_something(slow, 100)) << "it was closed";
}

TEST_F(RoomTlsTest, the_game_ends_a_connection_whose_player_reads_nothing_and_is_reset) {
  boost::asio::io_context own;
  tcp::acceptor listener{own, {boost::asio::ip::address_v4::loopback(), 0}};
  open(listener.local_endpoint().port());
  const auto ann = player();
  tcp::socket game = listener.accept();
  game.set_option(boost::asio::socket_base::linger{true, 0});
  game.close();  // with a reset
  EXPECT_EQ(ann->read_to_end(), "");
}

TEST_F(RoomTlsTest, says_what_is_wrong_with_its_files_or_its_socket) {
  RoomTls::Options options{
      .listener = -1, .game = 1, .files = {file("w1.pem"), file("w1.key"), {}}};
  EXPECT_EQ((RoomTls{context, options}.open()), "standard input is no listening socket");
  options.files.key = file("authority.key");
  EXPECT_THAT((RoomTls{context, options}.open()), testing::HasSubstr("w1.pem"));
}

}  // namespace
}  // namespace fixkeep::worker
