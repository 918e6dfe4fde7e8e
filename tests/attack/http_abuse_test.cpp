#include <gtest/gtest.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <nlohmann/json.hpp>

#include "common/net/coroutines.hpp"
#include "common/process/proc.hpp"
#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::integration {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using asio::ip::tcp;
using support::LocalCluster;
using support::megabyte;
using support::Part;

constexpr std::size_t attack_bytes = 4 * megabyte;  // of one connection
constexpr std::size_t connections = 6;              // of one attack
constexpr auto attack_limit = 20s;

tcp::endpoint place(const client_sim::Endpoint& where) {
  return {asio::ip::make_address(where.host), where.port};
}

// --- memory -------------------------------------------------------------------------------------

struct Attack {
  const char* name;
  std::string head;
  std::string piece;  // sent again and again
  bool reads = true;  // what comes back
};

std::string times(std::size_t count, const std::string& piece) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += piece;
  return all;
}

const std::string post = "POST /v1/match HTTP/1.1\r\nHost: h\r\n";
const std::string chunks = post + "Transfer-Encoding: chunked\r\n\r\n";

const std::vector<Attack>& attacks() {
  static const std::vector<Attack> all{
      {"endless chunk extension", chunks + "1;", std::string(65'536, 'x')},
      {"endless extension of the last chunk", chunks + "0;", std::string(65'536, 'x')},
      {"endless trailer", chunks + "0\r\nX: ", std::string(65'536, 'x')},
      {"endless trailers", chunks + "0\r\n", times(4096, "X-Trailer: x\r\n")},
      {"endless chunk size", chunks, std::string(65'536, '0')},
      {"small chunks with large extensions", chunks,
       times(256, "1;" + std::string(250, 'x') + "\r\ny\r\n")},
      {"endless body of chunks", chunks, times(256, "f0\r\n" + std::string(240, 'x') + "\r\n")},
      {"large body", post + "Content-Length: 4194304\r\n\r\n", std::string(65'536, 'x')},
      {"endless header field", post + "X: ", std::string(65'536, 'x')},
      {"endless header fields", post, times(4096, "X-Field: x\r\n")},
      {"endless target", "GET /", std::string(65'536, 'x')},
      {"empty lines", "", times(32'768, "\r\n")},
      {"requests without end", "", times(1024, "GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n"), false},
  };
  return all;
}

// Until so many bytes are taken, or the server has closed; then until it has closed.
asio::awaitable<void> attack(const Attack& attack, const client_sim::Endpoint& where) {
  boost::beast::tcp_stream stream{co_await asio::this_coro::executor};
  stream.expires_after(attack_limit);
  const auto [refused] = co_await stream.async_connect(place(where), net::use_tuple);
  if (refused) co_return;
  const auto [no_head, head] =
      co_await asio::async_write(stream, asio::buffer(attack.head), net::use_tuple);
  boost::system::error_code closed = no_head;
  for (std::size_t sent = 0; !closed && sent < attack_bytes; sent += attack.piece.size()) {
    const auto [error, bytes] =
        co_await asio::async_write(stream, asio::buffer(attack.piece), net::use_tuple);
    closed = error;
  }
  std::string answer(4096, '\0');
  while (!closed && attack.reads) {
    const auto [error, got] = co_await stream.async_read_some(asio::buffer(answer), net::use_tuple);
    closed = error;
  }
}

// The address sanitizer keeps what was freed, for a time: to a measure of memory it is as if it
// were used still. The nodes that a test starts take this over; other programs do not know it.
void free_at_once() {
  ::setenv("ASAN_OPTIONS", "quarantine_size_mb=0:thread_local_quarantine_size_kb=0", 1);
}

void expect_little_memory(pid_t pid, const client_sim::Endpoint& where) {
  for (const Attack& kind : attacks()) {
    process::reset_peak_memory(pid);
    const std::size_t before = process::peak_memory(pid);
    ASSERT_GT(before, 0U);
    asio::io_context context{1};
    for (std::size_t i = 0; i < connections; ++i) {
      asio::co_spawn(context, attack(kind, where), net::rethrow);
    }
    context.run();
    ASSERT_TRUE(process::alive(pid)) << kind.name;
    EXPECT_LE(process::peak_memory(pid), before + connections * megabyte) << kind.name;
  }
}

TEST(HttpAbuse, costs_a_master_at_most_a_megabyte_a_connection) {
  free_at_once();
  LocalCluster cluster{{.masters = 1, .workers = 1}};
  cluster.start();
  expect_little_memory(cluster.master(0).pid(), cluster.http(0));
  const auto reply = support::ask_for_seat(cluster.http(0), "anna", "eu");
  ASSERT_TRUE(reply) << reply.error().message();
  EXPECT_EQ(reply->status, 200U) << reply->body;
  expect_clean_stop(cluster);
}

TEST(HttpAbuse, of_a_rooms_endpoint_costs_its_worker_at_most_a_megabyte_a_connection) {
  free_at_once();
  LocalCluster cluster{{.masters = 1, .workers = 1, .boot_ms = 0}};
  cluster.start();
  const auto reply = support::ask_for_seat(cluster.http(0), "anna", "eu");
  ASSERT_TRUE(reply && reply->status == 200);
  const auto worker = cluster.worker(0).pid();
  const auto games = cluster.games(0);
  ASSERT_EQ(games.size(), 1U);
  const auto sdk = process::environment_of(games.front(), "AGONES_SDK_HTTP_PORT");
  ASSERT_FALSE(sdk.empty());
  expect_little_memory(worker,
                       {.host = "127.0.0.1", .port = static_cast<std::uint16_t>(std::stoul(sdk))});
  EXPECT_EQ(support::join(*client_sim::parse_match_answer(reply->body)), "WELCOME");
  expect_clean_stop(cluster);
}

// --- slots --------------------------------------------------------------------------------------

constexpr std::size_t slots = 300;  // of one address: half of all

// A request for a seat that will not be there soon.
std::string match_request(const std::string& player, const std::string& fields) {
  const std::string body = support::match_body(player, "eu");
  return post + "Content-Length: " + std::to_string(body.size()) + "\r\n" + fields + "\r\n" + body;
}

TEST(HttpAbuse, by_clients_that_vanish_costs_no_slot) {
  LocalCluster cluster{{.masters = 1, .workers = 1, .capacity = 1000, .boot_ms = 60'000},
                       [](LocalCluster::Config& config, Part part, std::size_t) {
                         if (part == Part::master) config["http"]["connections"] = 2 * slots;
                       }};
  cluster.start();
  asio::io_context context{1};
  std::vector<tcp::socket> clients;
  for (std::size_t i = 0; i < slots; ++i) {
    tcp::socket client{context};
    client.connect(place(cluster.http(0)));
    const std::string player = "p" + std::to_string(i);
    // One that pipelines, one that says that nothing follows, one that just waits.
    std::string sent = match_request(player, i % 3 == 1 ? "Connection: close\r\n" : "");
    if (i % 3 == 0) sent += sent;
    asio::write(client, asio::buffer(sent));
    clients.push_back(std::move(client));
  }
  support::wait_until("every slot is taken", [&] {
    const auto reply = support::get(cluster.http(0), "/healthz");
    return reply && reply->status == 503;
  });
  for (std::size_t i = 0; i < slots; ++i) {
    if (i % 2 == 0) clients[i].set_option(asio::socket_base::linger{true, 0});  // a RST
    clients[i].close();
  }
  // Long before any request's own time is over.
  support::wait_until(
      "every slot is free",
      [&] { return support::get_metric(cluster.admin(0), "http_connections", "players") == 0; },
      support::call_limit / 2);
  EXPECT_EQ(support::get_metric(cluster.admin(0), "master_match_requests_waiting"), 0);
  EXPECT_EQ(support::get_metric(cluster.admin(0), "master_match_requests_total", "cancelled"),
            slots);
  expect_clean_stop(cluster);
}

}  // namespace
}  // namespace fixkeep::integration
