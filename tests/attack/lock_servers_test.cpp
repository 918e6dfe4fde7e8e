// Between a master and its lock servers: somebody who pretends to be the server, one who listens,
// and one who is not the master. Real Redis and etcd, with TLS, users and client certificates.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <boost/asio/io_context.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "client-sim/cluster/ports.hpp"
#include "common/net/tls/server_trust.hpp"
#include "common/process/child_process.hpp"
#include "tests/attack/wire_tap.hpp"
#include "tests/support/engine_user.hpp"
#include "tests/support/own_network.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fixkeep::attack {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto start_limit = 20s;
const std::string user = "fixkeep";
const std::string password = "a password that nobody guesses";

struct LockServers : testing::Test {
  LockServers() {
    port = slots.take(1)->first;
    certify("server", "IP:127.0.0.1,DNS:localhost");
    certify("elsewhere", "DNS:locks.example.com");
    certify("master", "DNS:m1");
    certify("stranger", "DNS:m1");
  }
  ~LockServers() override {
    if (engine) engine->engine->stop(500ms);
    engine.reset();
    server = {};
  }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder / name).string(); }
  // Its own authority, so that to believe the file is to believe this certificate and no other.
  void certify(const std::string& name, const std::string& hosts) const {
    process::ChildProcess maker =
        process::ChildProcess::start({"/usr/bin/openssl", "req", "-x509", "-newkey", "ec",
                                      "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                                      "-subj", "/CN=" + name, "-addext", "subjectAltName=" + hosts,
                                      "-keyout", path(name + ".key"), "-out", path(name + ".pem")},
                                     path("openssl.log"))
            .value();
    ASSERT_TRUE(maker.wait(start_limit));
    ASSERT_EQ(maker.how_it_ended(), "exit code 0") << "openssl req -addext " << hosts;
  }
  // What it writes.
  std::string run(const std::vector<std::string>& command) const {
    std::error_code ignored;
    fs::remove(path("said"), ignored);
    auto process = process::ChildProcess::start(command, path("said")).value();
    EXPECT_TRUE(process.wait(start_limit));
    EXPECT_EQ(process.how_it_ended(), "exit code 0") << command[0] << ' ' << command[1];
    std::ifstream file{path("said")};
    return {std::istreambuf_iterator<char>{file}, {}};
  }
  void start(const std::vector<std::string>& arguments) {
    server = process::ChildProcess::start(arguments, path("server.log")).value();
  }
  // Only over TLS, to clients with the master's certificate, and to one user with few rights.
  void start_redis(const std::string& certificate = "server") {
    std::ofstream{path("users.acl")}
        << "user default off\nuser " << user << " on #" << hash()
        << " ~fixkeep/test/* +auth +ping +info +script|load +eval +evalsha +get +set "
           "+del +pexpire +hget +hset +hmget +hincrby +time\n";
    start({"/usr/bin/redis-server",
           "--port",
           "0",
           "--tls-port",
           std::to_string(port),
           "--bind",
           "127.0.0.1",
           "--save",
           "",
           "--dir",
           folder.string(),
           "--aclfile",
           path("users.acl"),
           "--tls-cert-file",
           path(certificate + ".pem"),
           "--tls-key-file",
           path(certificate + ".key"),
           "--tls-ca-cert-file",
           path("master.pem"),
           "--tls-auth-clients",
           "yes"});
  }
  void start_etcd() {
    const auto client = "https://127.0.0.1:" + std::to_string(port);
    // Its gateway is a client of its own, with the server's certificate.
    std::ofstream{path("clients.pem")} << std::ifstream{path("master.pem")}.rdbuf()
                                       << std::ifstream{path("server.pem")}.rdbuf();
    const auto peers = "http://127.0.0.1:" + std::to_string(port + 1);
    start({"/usr/bin/etcd",
           "--data-dir",
           path("etcd"),
           "--listen-client-urls",
           client,
           "--advertise-client-urls",
           client,
           "--listen-peer-urls",
           peers,
           "--initial-advertise-peer-urls",
           peers,
           "--initial-cluster",
           "default=" + peers,
           "--cert-file",
           path("server.pem"),
           "--key-file",
           path("server.key"),
           "--client-cert-auth",
           "--trusted-ca-file",
           path("clients.pem")});
  }
  void start_etcd_of_root(const std::string& tokens) {
    const auto peers = "http://127.0.0.1:" + std::to_string(port + 1);
    start({"/usr/bin/etcd", "--data-dir", path("etcd"), "--listen-client-urls", etcd_url(),
           "--advertise-client-urls", etcd_url(), "--listen-peer-urls", peers,
           "--initial-advertise-peer-urls", peers, "--initial-cluster", "default=" + peers,
           "--auth-token", tokens});
  }
  [[nodiscard]] std::string etcd_url() const { return "http://127.0.0.1:" + std::to_string(port); }
  std::string tell_etcd(const std::string& what, const std::string& body,
                        const std::string& token = "") const {
    return run({"/usr/bin/curl", "-s", "--retry", "20", "--retry-connrefused", "--retry-delay", "1",
                "-H", "Authorization: " + token, "-d", body, etcd_url() + "/v3/auth/" + what});
  }
  void add_root_to_etcd() const {
    tell_etcd("user/add", R"({"name":"root","password":"a password"})");
    tell_etcd("role/add", R"({"name":"root"})");
    tell_etcd("user/grant", R"({"user":"root","role":"root"})");
    tell_etcd("enable", "{}");
  }
  [[nodiscard]] engine::EngineOptions as_root() const {
    auto with = options("etcd", port);
    with.username = "root";
    with.password = "a password";
    return with;
  }
  // Of the password, as Redis wants it.
  [[nodiscard]] std::string hash() const {
    std::ofstream{path("password")} << password;
    process::ChildProcess maker =
        process::ChildProcess::start(
            {"/usr/bin/openssl", "dgst", "-sha256", "-r", "-out", path("hash"), path("password")},
            path("openssl.log"))
            .value();
    EXPECT_TRUE(maker.wait(start_limit));
    std::string made;
    std::ifstream{path("hash")} >> made;
    return made;
  }

  [[nodiscard]] engine::EngineOptions options(const std::string& strategy, std::uint16_t at) const {
    return {.strategy = strategy,
            .self = MasterId{1},
            .cluster = "test",
            .servers = {{"127.0.0.1", at}},
            .username = strategy == "redis" ? user : "",
            .password = strategy == "redis" ? password : "",
            .ttl = 2s,
            .reply = start_limit,  // a busy machine is no failure
            .seed = 1};
  }
  [[nodiscard]] engine::EngineOptions trusting(engine::EngineOptions made,
                                               const std::string& authority,
                                               const std::string& own = "master") const {
    made.tls_files = {path(authority + ".pem"), own.empty() ? "" : path(own + ".pem"),
                      own.empty() ? "" : path(own + ".key")};
    const auto loaded = net::ServerTrust::load(made.tls_files);
    const auto* const problem = std::get_if<std::string>(&loaded);
    EXPECT_EQ(problem, nullptr) << *problem;
    if (problem == nullptr) made.tls = std::get<0>(loaded);
    return made;
  }
  void use(const engine::EngineOptions& with) {
    if (engine) engine->engine->stop(500ms);
    engine.emplace(context, with);
  }
  [[nodiscard]] bool until(const std::function<bool()>& condition) {
    return engine::run_until(context, condition, start_limit);
  }
  void expect_locks() {
    ASSERT_TRUE(until([&] { return engine->engine->ready(); }))
        << engine->engine->statistics().last_failure;
    for (int round = 0; round < 20; ++round) {
      engine->acquire("duel");
      ASSERT_TRUE(until([&] { return engine->holds("duel"); }));
      engine->release("duel", "told under the lock");
    }
  }
  // It is tried several times, and the master says why.
  [[nodiscard]] std::string why_not() {
    const auto& seen = engine->engine->statistics();
    EXPECT_TRUE(until([&] {
      return seen.failures_refused + seen.failures_unreachable + seen.failures_timeout > 3;
    }));
    EXPECT_FALSE(engine->engine->ready());
    return seen.last_failure;
  }
  // Nobody has met the server before: it may be starting, and of its addresses one may be wrong.
  void expect_refusal_in_time(const std::string& reason) {
    const auto& last = engine->engine->statistics().last_failure;
    EXPECT_TRUE(until([&] { return last.find(reason) != std::string::npos; })) << last;
    EXPECT_FALSE(engine->engine->ready());
  }
  // The server answers somebody at all, so that a refusal is one.
  void expect_server_for(const engine::EngineOptions& right) {
    use(right);
    ASSERT_TRUE(until([&] { return engine->engine->ready(); }))
        << engine->engine->statistics().last_failure;
  }

  client_sim::PortSlots slots;
  test::TemporaryFolder folder;
  std::uint16_t port = 0;
  process::ChildProcess server;
  boost::asio::io_context context{1};
  std::optional<engine::EngineUser> engine;
};

const auto* const names = ::testing::AddGlobalTestEnvironment(new test::NameOfThisMachine);

struct LockServersAtLocalhost : LockServers {};

TEST_F(LockServersAtLocalhost, redis_by_a_name_and_by_an_address_and_nothing_to_read_in_between) {
  start_redis();
  expect_server_for(trusting(options("redis", port), "server"));
  const WireTap tap{port};
  auto by_address = trusting(options("redis", tap.port()), "server");
  use(by_address);
  expect_locks();
  by_address.servers[0].host = "localhost";
  use(by_address);
  expect_locks();
  std::string said;
  for (const auto& each : tap.said()) said += each;
  EXPECT_GT(said.size(), 5000U);
  for (const std::string& secret :
       {user, password, std::string{"EVALSHA"}, std::string{"told under the lock"}}) {
    EXPECT_THAT(said, Not(HasSubstr(secret)));
  }
}

TEST_F(LockServers, etcd_and_nothing_to_read_in_between) {
  start_etcd();
  expect_server_for(trusting(options("etcd", port), "server"));
  const WireTap tap{port};
  use(trusting(options("etcd", tap.port()), "server"));
  expect_locks();
  std::string said;
  for (const auto& each : tap.said()) said += each;
  EXPECT_GT(said.size(), 5000U);
  EXPECT_THAT(said, Not(HasSubstr("/v3/")));
  EXPECT_THAT(said, Not(HasSubstr("HTTP/1.1")));
}

TEST_F(LockServers, of_another_authority_are_not_believed) {
  start_redis();
  expect_server_for(trusting(options("redis", port), "server"));
  use(trusting(options("redis", port), "stranger"));
  EXPECT_THAT(why_not(), HasSubstr("self-signed certificate"));
}

TEST_F(LockServersAtLocalhost, of_another_host_are_not_believed) {
  start_redis("elsewhere");
  use(trusting(options("redis", port), "elsewhere"));
  expect_refusal_in_time("mismatch");
  auto by_name = trusting(options("redis", port), "elsewhere");
  by_name.servers[0].host = "localhost";
  use(by_name);
  expect_refusal_in_time("mismatch");
}

TEST_F(LockServers, without_tls_are_told_nothing) {
  start({"/usr/bin/redis-server", "--port", std::to_string(port), "--bind", "127.0.0.1", "--save",
         "", "--dir", folder.string()});
  auto plain = options("redis", port);
  plain.username = plain.password = "";
  expect_server_for(plain);
  const WireTap tap{port};
  auto unheard = trusting(options("redis", tap.port()), "server");
  unheard.reply = 500ms;  // a server without TLS waits for the rest of what it takes for a command
  use(unheard);
  (void)why_not();
  std::string said;
  for (const auto& each : tap.said()) said += each;
  EXPECT_THAT(said, Not(HasSubstr(password)));
}

TEST_F(LockServers, refuse_a_stranger_without_certificate_or_with_his_own) {
  start_redis();
  expect_server_for(trusting(options("redis", port), "server"));
  for (const char* own : {"", "stranger"}) {
    use(trusting(options("redis", port), "server", own));
    (void)why_not();
  }
  use(options("redis", port));
  (void)why_not();
}

TEST_F(LockServers, of_etcd_refuse_a_stranger_and_are_refused_as_strangers) {
  start_etcd();
  expect_server_for(trusting(options("etcd", port), "server"));
  for (const char* own : {"", "stranger"}) {
    use(trusting(options("etcd", port), "server", own));
    (void)why_not();
  }
  use(trusting(options("etcd", port), "stranger"));
  EXPECT_THAT(why_not(), HasSubstr("self-signed certificate"));
}

TEST_F(LockServers, refuse_a_wrong_password_and_the_master_says_so) {
  start_redis();
  expect_server_for(trusting(options("redis", port), "server"));
  auto wrong = trusting(options("redis", port), "server");
  wrong.password = "guessed";
  use(wrong);
  EXPECT_THAT(why_not(), HasSubstr("WRONGPASS"));
}

// Its tokens are JWTs, which say which users and rights there were, and are void when these change.
TEST_F(LockServers, of_etcd_want_another_token_when_users_change_and_get_it) {
  run({"/usr/bin/openssl", "genrsa", "-out", path("jwt.key"), "2048"});
  run({"/usr/bin/openssl", "rsa", "-in", path("jwt.key"), "-pubout", "-out", path("jwt.pub")});
  start_etcd_of_root("jwt,pub-key=" + path("jwt.pub") + ",priv-key=" + path("jwt.key") +
                     ",sign-method=RS256,ttl=5m");
  add_root_to_etcd();
  expect_server_for(as_root());
  expect_locks();
  const auto token = nlohmann::json::parse(
      tell_etcd("authenticate", R"({"name":"root","password":"a password"})"))["token"];
  for (const char* name : {"one", "two", "three"}) {
    tell_etcd("user/add", R"({"name":")" + std::string{name} + R"(","password":"p"})", token);
    for (int key = 0; key < 64; ++key) engine->acquire("duel" + std::to_string(key));
    for (int key = 0; key < 64; ++key) {
      const auto group = "duel" + std::to_string(key);
      ASSERT_TRUE(until([&] { return engine->holds(group); })) << group;
      engine->release(group, "");
    }
  }
  // None went without a token while another one was on its way.
  EXPECT_THAT(engine->engine->statistics().last_failure, HasSubstr("auth store is old"));
}

// It has its tokens in memory, and would refuse even to give another one to somebody who comes with
// one that it does not know.
TEST_F(LockServers, of_etcd_that_have_forgotten_a_token_give_another_one) {
  start_etcd_of_root("simple");
  add_root_to_etcd();
  expect_server_for(as_root());
  expect_locks();
  server.signal(SIGKILL);
  ASSERT_TRUE(server.wait(start_limit));
  start_etcd_of_root("simple");
  ASSERT_TRUE(until([&] { return !engine->engine->ready(); }));
  expect_locks();
}

}  // namespace
}  // namespace fixkeep::attack
