#include "tests/unit/client-sim/load/fake_cluster.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <nlohmann/json.hpp>

#include "common/base/assert.hpp"
#include "common/base/base64.hpp"

namespace fixkeep::client_sim {

namespace asio = boost::asio;
using asio::ip::tcp;
using nlohmann::json;

namespace {

std::string utc_text(std::chrono::system_clock::time_point at) {
  const auto ms = std::chrono::floor<std::chrono::milliseconds>(at);
  return fmt::format("{:%FT%T}.{:03}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(ms)),
                     ms.time_since_epoch().count() % 1000);
}

}  // namespace

struct FakeCluster::Room {
  Room(asio::io_context& context, std::string its_id, std::string its_group)
      : id(std::move(its_id)),
        group(std::move(its_group)),
        acceptor(context, tcp::endpoint{asio::ip::address_v4::loopback(), 0}),
        port(acceptor.local_endpoint().port()) {}

  std::string id;
  std::string group;
  tcp::acceptor acceptor;
  std::uint16_t port;
  std::uint32_t given = 0;     // seats ever given away
  std::uint32_t taken = 0;     // now
  std::uint32_t occupied = 0;  // of these
};

// One connection to a room, from JOIN until it is closed.
struct FakeCluster::Guest : std::enable_shared_from_this<Guest> {
  Guest(tcp::socket its_socket, std::shared_ptr<Room> its_room, const Misdeeds& its_misdeeds)
      : socket(std::move(its_socket)), room(std::move(its_room)), misdeeds(its_misdeeds) {}

  void join() {
    asio::async_read_until(
        socket, asio::dynamic_buffer(line, 1024), '\n',
        [self = shared_from_this()](boost::system::error_code error, std::size_t) {
          if (!error) self->answer();
        });
  }

  void answer() {
    const bool welcome = line.starts_with("JOIN ") && !misdeeds.refuse_players;
    reply = welcome ? "WELCOME you\n" : "REFUSED " + misdeeds.refusal + "\n";
    if (welcome) ++room->occupied;
    asio::async_write(socket, asio::buffer(reply),
                      [self = shared_from_this(), welcome](boost::system::error_code, std::size_t) {
                        if (welcome) self->stay();
                      });
  }

  void stay() {
    socket.async_read_some(asio::buffer(&byte, 1),
                           [self = shared_from_this()](boost::system::error_code, std::size_t) {
                             if (self->misdeeds.forget_leaving) return;
                             --self->room->occupied;
                             --self->room->taken;
                           });
  }

  tcp::socket socket;
  std::shared_ptr<Room> room;
  const Misdeeds& misdeeds;
  std::string line;
  std::string reply;
  char byte = 0;
};

FakeCluster::FakeCluster(std::uint32_t capacity, Misdeeds misdeeds)
    : capacity_(capacity), misdeeds_(misdeeds) {
  auto handler = [this](net::HttpRequest&& request, net::HttpResponder responder) {
    serve(std::move(request), responder);
  };
  auto server = net::HttpServer::start(context_, {}, handler);
  FIXKEEP_ASSERT(server.has_value(), "loopback cannot be listened on");
  server_ = std::move(*server);
  port_ = server_->port();
  thread_ = std::thread{[this] {
    auto work = asio::make_work_guard(context_);
    context_.run();
  }};
}

FakeCluster::~FakeCluster() {
  context_.stop();
  thread_.join();
}

void FakeCluster::serve(net::HttpRequest&& request, const net::HttpResponder& responder) {
  const std::string target{request.target()};
  if (target == "/readyz") return responder.answer({.body = "{}"});
  if (target == "/v1/match") return responder.answer(match(request.body()));
  if (target.starts_with("/v1/rooms")) return responder.answer({.body = rooms_page()});
  if (target == "/v1/workers") {
    const json workers = {
        {"workers", json::array({{{"worker", "w1"}, {"rooms_started", rooms_.size()}}})}};
    return responder.answer({.body = workers.dump()});
  }
  if (target == "/v1/locks") {
    return responder.answer(
        {.body = R"({"strategy":"multiphase","statistics":{"acquisitions":3},"locks":[]})"});
  }
  responder.answer(net::problem(404, "not_found", "Not found", target));
}

FakeCluster::Room& FakeCluster::room_for(const std::string& group) {
  const auto limit =
      misdeeds_.fill_only > 0 ? misdeeds_.fill_only : capacity_ + misdeeds_.squeeze_in;
  for (const auto& room : rooms_) {
    if (room->group == group && room->given < limit) return *room;
  }
  rooms_.push_back(
      std::make_shared<Room>(context_, "w1-0-" + std::to_string(rooms_.size() + 1), group));
  accept(rooms_.back());
  return *rooms_.back();
}

net::HttpAnswer FakeCluster::match(const std::string& body) {
  if (misdeeds_.busy_answers > 0) {
    --misdeeds_.busy_answers;
    return net::problem(misdeeds_.busy_status, "queue_full", "Too many requests wait", "later");
  }
  if (misdeeds_.answer_nonsense) return {.body = R"({"room_id":7})"};
  const auto request = json::parse(body);
  const std::string group =
      request["mode"].get<std::string>() + "/" + request["attributes"]["region"].get<std::string>();
  auto& room = room_for(group);
  const auto seats = static_cast<std::uint32_t>(1 + request.value("party", json::array()).size());
  room.given += seats;
  room.taken += seats;
  json answer = {{"room_id", room.id},
                 {"group", group},
                 {"address", "127.0.0.1"},
                 {"port", room.port},
                 {"expires_at", utc_text(std::chrono::system_clock::now() + misdeeds_.seats_live)},
                 {"seat_token", "seat-" + request["player_id"].get<std::string>()}};
  if (!misdeeds_.token_team.empty()) {
    const std::string facts = json{{"team", misdeeds_.token_team}}.dump();
    std::string token;
    append_base64url(
        "2\n0\n" + room.id + '\n' + facts + '\n' + request["player_id"].get<std::string>(), token);
    answer["seat_token"] = token + ".signature";
    answer["team"] = "1";
  }
  for (const auto& member : request.value("party", json::array())) {
    answer["party"].push_back(
        {{"player_id", member}, {"seat_token", "seat-" + member.get<std::string>()}});
  }
  return {.body = answer.dump()};
}

std::string FakeCluster::rooms_page() const {
  json list = json::array();
  for (const auto& room : rooms_) {
    list.push_back({{"room_id", room->id},
                    {"group", room->group},
                    {"phase", "open"},
                    {"capacity", capacity_},
                    {"reserved", room->taken - room->occupied},
                    {"occupied", room->occupied}});
  }
  return json{{"rooms", list}, {"next", nullptr}}.dump();
}

void FakeCluster::accept(const std::shared_ptr<Room>& room) {
  if (misdeeds_.rooms_gone) return room->acceptor.close();
  room->acceptor.async_accept([this, room](boost::system::error_code error, tcp::socket socket) {
    if (error) return;
    std::make_shared<Guest>(std::move(socket), room, misdeeds_)->join();
    accept(room);
  });
}

}  // namespace fixkeep::client_sim
