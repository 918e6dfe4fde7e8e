// fixkeep-bench-view: how long matches take while a client pages through every room.
//
// Starts a master on loopback: any build of it, so two can be compared. This process is its worker,
// which has `rooms` rooms and grants every seat at once, and its clients: `players`, each with a
// connection of its own, ask for the same seat again and again with a short pause; in every other
// round a thread of its own pages GET /v1/rooms from the first room to the last, over and over. The
// rounds take turns, so a change of the machine's speed hits both. Prints one line of JSON a round
// and one for all. The master ends with this process.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>

#include "common/net/link/hub.hpp"
#include "tests/bench/loopback_master.hpp"

namespace {

using namespace fixkeep;
namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using std::chrono::steady_clock;

struct BenchOptions {
  std::string master;
  std::uint32_t rooms = 10'000;
  int players = 16;
  int rounds = 10;
  int seconds = 3;
  int pause_us = 2000;
  int page_pause_us = 2000;
  std::uint16_t http_port = 18'121;
  std::uint16_t admin_port = 18'123;
  std::uint16_t mesh_port = 17'121;
};

// Room 1 is everybody's; the others are there to be listed.
class FakeWorker {
 public:
  FakeWorker(asio::io_context& context, const BenchOptions& options) : options_(options) {
    net::LinkOptions links;
    links.cluster = bench::cluster;
    links.secret = bench::secret;
    links.self = {net::Role::worker, "w1", Incarnation{2}};
    net::LinkHandlers handlers;
    handlers.on_up = [this](const net::Node&) { hub_->send(net::Role::master, "m1", state()); };
    handlers.on_master_said = [this](const net::Node&, wire::ToWorker&& message) {
      const auto* order = std::get_if<wire::Order>(&message);
      const auto* asked = order == nullptr ? nullptr : std::get_if<wire::SeatRequest>(order);
      if (asked == nullptr) return;
      wire::SeatReply reply{asked->request, asked->room, wire::RoomPhase::open, {}, {}, {}};
      for (std::uint32_t i = 0; i < asked->claims.size(); ++i) {
        reply.granted.push_back(i);
        const auto player = asked->claims[i].player;
        if (seated_.insert(player).second) reply.seated.push_back(player);
      }
      reply.reserved_for = std::chrono::seconds{60};
      hub_->send(net::Role::master, "m1", reply);
    };
    handlers.on_down = [](const net::Node&, boost::system::error_code) {};
    hub_ = net::LinkHub::start(context, links, handlers).value();
    hub_->dial({"m1", "127.0.0.1", options.mesh_port});
  }

 private:
  [[nodiscard]] wire::WorkerState state() const {
    wire::WorkerState state;
    state.zone = ZoneName{"a"};
    state.address = "127.0.0.1";
    state.room_limit = options_.rooms;
    state.newest_room = RoomNumber{options_.rooms};
    state.modes.known = {ModeName{"duel"}};
    for (std::uint32_t i = 1; i <= options_.rooms; ++i) {
      wire::RoomInfo room;
      room.number = RoomNumber{i};
      room.group = GroupKey{i == 1 ? "duel" : "duel/region=r" + std::to_string(i % 500)};
      room.mode = ModeName{"duel"};
      room.phase = wire::RoomPhase::open;
      room.place = wire::at_port(static_cast<std::uint16_t>(20'000 + i));
      room.capacity = 10'000;
      room.creation = {{i, MasterId{1}}, 0, Incarnation{1}};
      state.rooms.push_back(std::move(room));
    }
    return state;
  }

  BenchOptions options_;
  std::unique_ptr<net::LinkHub> hub_;
  std::set<PlayerId> seated_;
};

class Client {
 public:
  Client(asio::io_context& context, std::uint16_t port) : socket_(context) {
    boost::system::error_code error;
    for (int i = 0; i < 100; ++i) {  // the master may still be starting
      socket_.connect({asio::ip::address_v4::loopback(), port}, error);
      if (!error) break;
      socket_.close();
      usleep(50'000);
    }
    if (error) throw boost::system::system_error{error};
    socket_.set_option(tcp::no_delay{true});
  }
  // The status, and the body in body().
  asio::awaitable<unsigned> ask(http::verb verb, std::string target, std::string body) {
    http::request<http::string_body> request{verb, target, 11, std::move(body)};
    request.set(http::field::host, "127.0.0.1");  // the listener for operators takes no other
    request.prepare_payload();
    co_await http::async_write(socket_, request, asio::use_awaitable);
    http::response_parser<http::string_body> parser;
    parser.body_limit(64U << 20U);
    co_await http::async_read(socket_, buffer_, parser, asio::use_awaitable);
    body_ = std::move(parser.get().body());
    co_return parser.get().result_int();
  }
  [[nodiscard]] const std::string& body() const { return body_; }

 private:
  tcp::socket socket_;
  boost::beast::flat_buffer buffer_;
  std::string body_;
};

struct Round {
  steady_clock::time_point end;
  std::vector<double> match_us;
  std::uint64_t failed = 0;
  std::uint64_t pages = 0;
  std::uint64_t listings = 0;  // from the first room to the last
  std::uint64_t rooms_listed = 0;
};

asio::awaitable<void> play(Client& client, int player, int pause_us, Round& round) {
  asio::steady_timer timer{co_await asio::this_coro::executor};
  const std::string body =
      R"({"player_id":"p)" + std::to_string(player) + R"(","mode":"duel","attributes":{}})";
  while (steady_clock::now() < round.end) {
    const auto start = steady_clock::now();
    const auto status = co_await client.ask(http::verb::post, "/v1/match", body);
    round.match_us.push_back(
        std::chrono::duration<double, std::micro>(steady_clock::now() - start).count());
    if (status != 200) ++round.failed;
    timer.expires_after(std::chrono::microseconds{pause_us});
    co_await timer.async_wait(asio::use_awaitable);
  }
}

asio::awaitable<void> page(Client& client, int pause_us, Round& round) {
  asio::steady_timer timer{co_await asio::this_coro::executor};
  std::string after;
  while (steady_clock::now() < round.end) {
    const auto status = co_await client.ask(http::verb::get, "/v1/rooms?limit=1000" + after, "");
    if (status != 200) ++round.failed;
    ++round.pages;
    // Found and not parsed: this process shares two cores with the master.
    const auto& body = client.body();
    for (auto at = body.find("\"room_id\""); at != std::string::npos;
         at = body.find("\"room_id\"", at + 9)) {
      ++round.rooms_listed;
    }
    const auto next = body.find("\"next\":\"");
    after.clear();
    if (next == std::string::npos) {
      ++round.listings;
    } else {
      after = "&after=" + body.substr(next + 8, body.find('"', next + 8) - next - 8);
    }
    timer.expires_after(std::chrono::microseconds{pause_us});
    co_await timer.async_wait(asio::use_awaitable);
  }
}

double quantile(std::vector<double>& values, double share) {
  if (values.empty()) return 0;
  const auto at = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<long>(at), values.end());
  return values[at];
}

nlohmann::json summary(const char* what, std::vector<double>& values) {
  return {{"with", what},
          {"matches", values.size()},
          {"p50_us", quantile(values, 0.5)},
          {"p99_us", quantile(values, 0.99)},
          {"p999_us", quantile(values, 0.999)}};
}

bool wait_until_listed(asio::io_context& context, Client& client, std::uint32_t rooms) {
  const auto newest = "w1-" + std::string("0000000000000002-") + std::to_string(rooms);
  for (int i = 0; i < 300; ++i) {
    unsigned status = 0;
    const auto ask = [&]() -> asio::awaitable<void> {
      status = co_await client.ask(http::verb::get, "/v1/rooms/" + newest, "");
    };
    asio::co_spawn(context, ask, [&](std::exception_ptr) { context.stop(); });
    context.run();
    context.restart();
    if (status == 200) return true;
    context.run_for(std::chrono::milliseconds{50});
    context.restart();
  }
  return false;
}

int run_clients(const BenchOptions& options) {
  asio::io_context context{1};
  FakeWorker worker{context, options};
  asio::io_context paging_context{1};
  Client first{context, options.admin_port};
  Client pager{paging_context, options.admin_port};
  std::vector<std::unique_ptr<Client>> clients;
  clients.reserve(static_cast<std::size_t>(options.players));
  for (int i = 0; i < options.players; ++i) {
    clients.push_back(std::make_unique<Client>(context, options.http_port));
  }
  if (!wait_until_listed(context, first, options.rooms)) {
    std::fprintf(stderr, "the master does not list the rooms\n");
    return 1;
  }
  std::vector<double> alone;
  std::vector<double> paging;
  for (int i = 0; i < 2 * options.rounds; ++i) {
    const bool pages = i % 2 == 1;
    Round round;
    round.end = steady_clock::now() + std::chrono::seconds{options.seconds};
    Round listing;  // of the other thread, until it is joined
    listing.end = round.end;
    std::thread reader;
    if (pages) {
      reader = std::thread{[&] {
        asio::co_spawn(paging_context, page(pager, options.page_pause_us, listing),
                       [&](const std::exception_ptr& thrown) {
                         if (thrown) ++listing.failed;
                         paging_context.stop();
                       });
        paging_context.run();
        paging_context.restart();
      }};
    }
    int left = options.players;
    const auto ended = [&](const std::exception_ptr& thrown) {
      if (thrown) ++round.failed;
      if (--left == 0) context.stop();
    };
    for (int p = 0; p < options.players; ++p) {
      asio::co_spawn(
          context, play(*clients[static_cast<std::size_t>(p)], p, options.pause_us, round), ended);
    }
    context.run();
    context.restart();
    if (reader.joinable()) reader.join();
    auto& all = pages ? paging : alone;
    all.insert(all.end(), round.match_us.begin(), round.match_us.end());
    auto line = summary(pages ? "a client that pages" : "nobody else", round.match_us);
    line["failed"] = round.failed + listing.failed;
    line["pages"] = listing.pages;
    line["listings"] = listing.listings;
    line["rooms_listed"] = listing.rooms_listed;
    std::printf("%s\n", line.dump().c_str());
    std::fflush(stdout);
  }
  const nlohmann::json sum{{"rooms", options.rooms},
                           {"alone", summary("nobody else", alone)},
                           {"paged", summary("a client that pages", paging)}};
  std::printf("%s\n", sum.dump().c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Time to match while a client pages through every room"};
  BenchOptions options;
  options.master = bench::default_master_program(argv[0]);
  app.add_option("--master", options.master, "the program to measure");
  app.add_option("--page-pause-us", options.page_pause_us, "of the pager, between two pages");
  app.add_option("--rooms", options.rooms, "in the directory");
  app.add_option("--players", options.players, "connections that match");
  app.add_option("--rounds", options.rounds, "with and without the pages, each");
  app.add_option("--seconds", options.seconds, "of a round");
  app.add_option("--pause-us", options.pause_us, "of a player between two matches");
  app.add_option("--http-port", options.http_port, "of the master");
  app.add_option("--admin-port", options.admin_port, "of the master");
  app.add_option("--mesh-port", options.mesh_port, "of the master");
  CLI11_PARSE(app, argc, argv);
  const bench::LoopbackMaster master{{.program = options.master,
                                      .http_port = options.http_port,
                                      .admin_port = options.admin_port,
                                      .mesh_port = options.mesh_port,
                                      .capacity = 10'000}};
  int code = 1;
  try {
    code = run_clients(options);
  } catch (const std::exception& error) { std::fprintf(stderr, "%s\n", error.what()); }
  return code;
}
