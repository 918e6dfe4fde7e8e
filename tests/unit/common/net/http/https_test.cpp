// HTTP over TLS: which clients get an answer, what the others hear, and what a renewal changes.
#include <gmock/gmock.h>

#include <malloc.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "common/certs/folder.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/common/net/http/https_client.hpp"

namespace fixkeep::net::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using std::chrono::days;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct HttpsServer : testing::Test {
  HttpsServer() {
    EXPECT_EQ(made().init("test", days{100}), "");
    authority = folder / "authority.pem";
  }

  [[nodiscard]] certs::CertificateFolder made() const {
    return certs::CertificateFolder{folder.path()};
  }
  // With a new key and a new certificate.
  [[nodiscard]] std::shared_ptr<HttpsCertificate> certificate(days valid = days{10}) const {
    const auto signer = made().authority();
    EXPECT_EQ(made().add_node(std::get<certs::Authority>(signer), Role::master, "m1", valid, true),
              "");
    const auto loaded =
        HttpsCertificate::load({(folder / "m1.pem").string(), (folder / "m1.key").string()});
    const auto* const problem = std::get_if<std::string>(&loaded);
    EXPECT_EQ(problem, nullptr) << *problem;
    return problem == nullptr ? std::get<0>(loaded) : nullptr;
  }
  [[nodiscard]] HttpOptions secured(HttpOptions options = {}) const {
    options.tls = certificate();
    return options;
  }
  static std::size_t connections(RunningServer& server) {
    return server.on_thread([&] { return server.server().connections(); });
  }

  fixkeep::test::TemporaryFolder folder;
  std::string authority;
};

TEST_F(HttpsServer, answers_pipelined_requests_in_their_order) {
  RunningServer server{echo, secured()};
  HttpsClient client{server.port(), authority};
  std::string requests;
  for (int i = 0; i < 300; ++i) requests += get("/" + std::to_string(i));
  client.send(requests);
  for (int i = 0; i < 300; ++i) {
    EXPECT_THAT(client.read_answer(), EndsWith("GET /" + std::to_string(i) + " "));
  }
}

TEST_F(HttpsServer, takes_a_large_body_and_gives_an_answer_that_waits_for_its_reader) {
  const std::string large(std::size_t{8} << 20U, 'x');
  RunningServer server{[&](HttpRequest&& request, const HttpResponder& responder) {
                         responder.answer(text(std::to_string(request.body().size()) + large));
                       },
                       secured()};
  HttpsClient client{server.port(), authority};
  for (int i = 0; i < 3; ++i) {
    client.send(post(std::string(60'000, 'b')));
    std::this_thread::sleep_for(50ms);  // it does not fit what the kernel keeps
    EXPECT_TRUE(client.read_answer().ends_with("60000" + large));
  }
}

TEST_F(HttpsServer, streams_more_than_a_socket_holds) {
  const auto large = std::make_shared<const std::string>(std::string(4U << 20U, 'x') + "\n");
  RunningServer server{[&](HttpRequest&&, const HttpResponder& responder) {
                         const auto stream = responder.stream("text/plain");
                         for (int i = 0; i < 3; ++i) EXPECT_TRUE(stream && stream->send(large));
                       },
                       secured()};
  HttpsClient client{server.port(), authority};
  client.send(get("/"));
  (void)client.read_until("\r\n\r\n");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.read_until("\n").size(), large->size());
}

// Counted by malloc itself; under a sanitizer it counts nothing.
TEST_F(HttpsServer, keeps_no_buffer_of_a_large_answer) {
  constexpr std::size_t count = 16;
  constexpr std::size_t large = std::size_t{4} << 20U;
  RunningServer server{[](HttpRequest&&, const HttpResponder& responder) {
                         responder.answer(text(std::string(large, 'x')));
                       },
                       secured()};
  std::vector<std::unique_ptr<HttpsClient>> clients;
  std::vector<char> room(std::size_t{64} << 10U);
  const auto in_use = [] { return ::mallinfo2().uordblks + ::mallinfo2().hblkhd; };
  const auto before = in_use();
  for (std::size_t i = 0; i < count; ++i) {
    auto& client = *clients.emplace_back(std::make_unique<HttpsClient>(server.port(), authority));
    client.send(get("/"));
    std::size_t bytes = 0;
    std::size_t got = 0;
    while (bytes < large && SSL_read_ex(client.tls(), room.data(), room.size(), &got) == 1)
      bytes += got;
    ASSERT_GE(bytes, large);
  }
  EXPECT_EQ(connections(server), count);
  EXPECT_LT(in_use(), before + count * large / 4) << "less than a megabyte a connection";
}

TEST_F(HttpsServer, speaks_tls_1_2_and_1_3_and_nothing_older) {
  RunningServer server{echo, secured()};
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    HttpsClient client{server.port(), authority, {.oldest = version, .newest = version}};
    ASSERT_TRUE(client.is_welcome()) << version;
    client.send(get("/"));
    EXPECT_THAT(client.read_answer(), StartsWith("HTTP/1.1 200 OK"));
  }
  const HttpsClient old{
      server.port(), authority, {.oldest = TLS1_VERSION, .newest = TLS1_1_VERSION}};
  EXPECT_FALSE(old.is_welcome());
}

TEST_F(HttpsServer, chooses_http_1_1_where_a_client_offers_protocols) {
  RunningServer server{echo, secured()};
  const HttpsClient both{server.port(), authority, {.protocols = "\x02h2\x08http/1.1"}};
  EXPECT_EQ(both.protocol(), "http/1.1");
  const HttpsClient newer{server.port(), authority, {.protocols = "\x02h2"}};
  EXPECT_TRUE(newer.is_welcome()) << "it may speak HTTP/1.1 all the same";
  EXPECT_EQ(newer.protocol(), "");
}

TEST_F(HttpsServer, tells_a_client_without_tls_what_to_ask_for) {
  RunningServer server{echo, secured()};
  Client client{server.port()};
  client.send(get("/"));
  EXPECT_THAT(client.read_to_end(),
              AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("urn:fixkeep:error:https-needed"),
                    HasSubstr("https://")));
}

TEST_F(HttpsServer, closes_a_connection_that_says_rubbish) {
  RunningServer server{echo, secured({.request_timeout = 200ms})};
  for (const std::string& rubbish :
       {std::string(4000, '\xff'), std::string(4000, '\0'),
        "\x16\x03\x01" + std::string(1, '\0') + "\x05hello and more"}) {
    Client client{server.port()};
    client.send(rubbish);
    (void)client.read_to_end();
    EXPECT_TRUE(eventually([&] { return connections(server) == 0; })) << rubbish[0];
  }
}

TEST_F(HttpsServer, bounds_the_time_of_a_handshake) {
  RunningServer server{echo, secured({.request_timeout = 200ms, .idle_timeout = 20'000ms})};
  Client silent{server.port()};
  Client slow{server.port()};
  slow.send(std::string{"\x16\x03\x01\x02\x00\x01\x00", 7});  // of a ClientHello
  (void)silent.read_to_end();
  (void)slow.read_to_end();
  EXPECT_TRUE(eventually([&] { return connections(server) == 0; }));
}

TEST_F(HttpsServer, closes_what_is_too_many_without_a_handshake) {
  Keeper keeper;
  RunningServer server{keeper.handler(), secured({.connections = 1})};
  HttpsClient first{server.port(), authority};
  ASSERT_TRUE(first.is_welcome());
  first.send(get("/"));
  ASSERT_TRUE(eventually([&] { return keeper.requests == 1; }));
  const HttpsClient second{server.port(), authority};
  EXPECT_FALSE(second.is_welcome());
  server.on_thread([&] { keeper.kept[0].answer(text("there")); });
  EXPECT_THAT(first.read_answer(), StartsWith("HTTP/1.1 200 OK"));
}

TEST_F(HttpsServer, has_a_place_beside_handshakes_that_do_not_go_on) {
  RunningServer server{echo, secured({.connections = 3})};
  std::vector<std::unique_ptr<Client>> silent;
  for (int i = 0; i < 6; ++i) silent.push_back(std::make_unique<Client>(server.port()));
  const HttpsClient client{server.port(), authority};
  EXPECT_TRUE(client.is_welcome());
}

TEST_F(HttpsServer, does_not_negotiate_again) {
  RunningServer server{echo, secured()};
  HttpsClient client{server.port(), authority, {.newest = TLS1_2_VERSION}};
  ASSERT_TRUE(client.is_welcome());
  (void)SSL_renegotiate(client.tls());
  EXPECT_NE(SSL_do_handshake(client.tls()), 1);
  EXPECT_TRUE(eventually([&] { return connections(server) == 0; }));
}

// TLS 1.3 lets a client ask for as many new keys as it likes, and each is to be confirmed.
TEST_F(HttpsServer, closes_a_client_that_asks_for_new_keys_and_reads_nothing) {
  RunningServer server{echo, secured()};
  HttpsClient client{server.port(), authority};
  client.send(get("/"));
  ASSERT_THAT(client.read_answer(), StartsWith("HTTP/1.1 200 OK"));
  const auto ask = [&] {
    return SSL_key_update(client.tls(), SSL_KEY_UPDATE_REQUESTED) == 1 &&
           SSL_do_handshake(client.tls()) == 1;
  };
  int asked = 0;
  while (asked < 200'000 && ask()) ++asked;
  EXPECT_LT(asked, 200'000);
  EXPECT_TRUE(eventually([&] { return connections(server) == 0; }));
}

TEST_F(HttpsServer, notices_a_client_that_hangs_up) {
  Keeper keeper;
  RunningServer server{keeper.handler(), secured()};
  {
    HttpsClient client{server.port(), authority};
    client.send(get("/"));
    ASSERT_TRUE(eventually([&] { return keeper.requests == 1; }));
    SSL_shutdown(client.tls());
  }
  EXPECT_TRUE(eventually([&] { return keeper.hang_ups == 1; }));
  EXPECT_TRUE(eventually([&] { return connections(server) == 0; }));
}

TEST_F(HttpsServer, says_goodbye_so_that_an_answer_cannot_be_cut_short) {
  RunningServer server{echo, secured()};
  HttpsClient client{server.port(), authority};
  client.send(get("/", "Connection: close\r\n"));
  EXPECT_THAT(client.read_to_end(), EndsWith("GET / "));
  EXPECT_TRUE(client.was_told_goodbye());
}

TEST_F(HttpsServer, gives_new_connections_the_renewed_certificate_and_keeps_the_old_ones) {
  RunningServer server{echo, secured()};
  HttpsClient before{server.port(), authority};
  const auto renewed = certificate(days{20});
  server.on_thread([&] { server.server().renew(renewed); });
  HttpsClient after{server.port(), authority};
  EXPECT_NE(after.serial(), before.serial());
  for (HttpsClient* const client : {&before, &after}) {
    client->send(get("/"));
    EXPECT_THAT(client->read_answer(), StartsWith("HTTP/1.1 200 OK"));
  }
  EXPECT_EQ(server.on_thread([&] { return server.server().certificate_expires_at(); }),
            renewed->expires_at());
}

TEST_F(HttpsServer, closes_the_connections_of_a_client_whose_certificate_is_revoked) {
  (void)certificate();
  const auto signer = made().authority();
  for (const char* name : {"ann", "bob"}) {
    EXPECT_EQ(
        made().add_node(std::get<certs::Authority>(signer), Role::worker, name, days{10}, false),
        "");
    for (const char* part : {".pem", ".key"}) {
      fs::copy_file(folder / (name + std::string{part}),
                    folder / (name + std::string{"-s"} + part));
    }
  }
  const HttpsFiles files{(folder / "m1.pem").string(), (folder / "m1.key").string(), authority,
                         (folder / "revoked.crl").string()};
  const auto setup = [&](const std::string& name) {
    return TlsSetup{.certificate = (folder / (name + "-s.pem")).string(),
                    .key = (folder / (name + "-s.key")).string()};
  };
  const auto ask = [](HttpsClient& client) {
    client.send(get("/"));
    return client.read_answer();
  };
  RunningServer server{echo, {.tls = std::get<0>(HttpsCertificate::load(files))}};
  HttpsClient ann{server.port(), authority, setup("ann")};
  HttpsClient bob{server.port(), authority, setup("bob")};
  EXPECT_THAT(ask(ann), StartsWith("HTTP/1.1 200 OK"));
  EXPECT_THAT(ask(bob), StartsWith("HTTP/1.1 200 OK"));
  // One that has yet to say who it is, to what believed ann.
  Client silent{server.port()};
  EXPECT_TRUE(eventually([&] { return connections(server) == 3; }));
  EXPECT_EQ(std::get<std::size_t>(made().revoke(std::get<certs::Authority>(signer), "ann")), 1U);
  server.on_thread([&] { server.server().renew(std::get<0>(HttpsCertificate::load(files))); });
  EXPECT_EQ(connections(server), 1U);
  EXPECT_EQ(ask(ann), "");
  EXPECT_THAT(ask(bob), StartsWith("HTTP/1.1 200 OK"));
  HttpsClient again{server.port(), authority, setup("ann")};
  EXPECT_EQ(ask(again), "");
  HttpsClient bob_again{server.port(), authority, setup("bob")};
  EXPECT_THAT(ask(bob_again), StartsWith("HTTP/1.1 200 OK"));
}

TEST_F(HttpsServer, has_nothing_to_hand_over) {
  std::atomic<bool> taken = false;
  RunningServer server{[&](HttpRequest&&, const HttpResponder& responder) {
                         taken = responder.take_over().has_value();
                         responder.answer(text("still here"));
                       },
                       secured()};
  HttpsClient client{server.port(), authority};
  client.send(get("/"));
  EXPECT_THAT(client.read_answer(), EndsWith("still here"));
  EXPECT_FALSE(taken) << "what follows would be ciphertext";
}

TEST_F(HttpsServer, does_not_start_without_a_key_of_its_own) {
  (void)certificate();
  const auto problem = [&](const std::string& certificate_file, const std::string& key_file) {
    const auto loaded = HttpsCertificate::load({certificate_file, key_file});
    const auto* const said = std::get_if<std::string>(&loaded);
    return said == nullptr ? std::string{"loaded"} : *said;
  };
  const auto own = (folder / "m1.pem").string();
  const auto key = (folder / "m1.key").string();
  EXPECT_THAT(problem(own, (folder / "nothing.key").string()), HasSubstr("nothing.key"));
  EXPECT_THAT(problem((folder / "nothing.pem").string(), key), HasSubstr("nothing.pem"));
  EXPECT_THAT(problem(authority, key), HasSubstr("m1.key"));
  fs::permissions(key, fs::perms::others_read, fs::perm_options::add);
  EXPECT_THAT(problem(own, key), HasSubstr("m1.key"));
}

}  // namespace
}  // namespace fixkeep::net::test
