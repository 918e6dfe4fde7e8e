#include "worker/sdk/rest/rest_transport.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "common/base/percent.hpp"
#include "common/net/http/routes.hpp"
#include "common/net/http/server.hpp"

namespace fixkeep::worker {
namespace {

using Json = nlohmann::json;
using net::HttpAnswer;
using net::HttpRequest;
using net::HttpResponder;

constexpr int code_invalid_argument = 3;
constexpr int code_not_found = 5;
constexpr int code_unimplemented = 12;

HttpAnswer answer(const Json& body) {
  return {.body = body.dump()};
}

HttpAnswer error(unsigned status, int code, std::string_view message) {
  return {.status = status,
          .body = Json{{"code", code}, {"message", message}, {"details", Json::array()}}.dump()};
}

Json names(const Session& session) {
  Json list = Json::array();
  for (const PlayerId& player : session.players()) list.push_back(player.text());
  return list;
}

// The player of a connect or disconnect; lower camel case as in Agones, or snake case.
std::optional<PlayerId> player_of(const std::string& body) {
  const Json parsed = Json::parse(body, nullptr, false);
  if (!parsed.is_object()) return std::nullopt;
  for (const char* name : {"playerID", "player_id", "playerId"}) {
    const auto found = parsed.find(name);
    if (found == parsed.end() || !found->is_string()) continue;
    return parse_player(found->get_ref<const std::string&>());
  }
  return std::nullopt;
}

Json game_server(const Session& session) {
  const SessionFacts& facts = session.facts();
  const Json meta{{"name", facts.room},
                  {"namespace", "fixkeep"},
                  {"uid", facts.room},
                  {"resource_version", "1"},
                  {"generation", "1"},
                  {"creation_timestamp", "0"},
                  {"deletion_timestamp", "0"},
                  {"annotations", Json::object()},
                  {"labels", {{"fixkeep/group", facts.group}, {"fixkeep/mode", facts.mode}}}};
  const Json health{{"disabled", false},
                    {"period_seconds", facts.health_period.count()},
                    {"failure_threshold", facts.health_failures},
                    {"initial_delay_seconds", facts.health_period.count()}};
  const Json port{{"name", "default"}, {"port", facts.port}};
  const Json address{{"type", "ExternalIP"}, {"address", facts.address}};
  const Json players{{"count", std::to_string(session.players().size())},
                     {"capacity", std::to_string(facts.capacity)},
                     {"ids", names(session)}};
  const Json status{{"state", session.state()},
                    {"address", facts.address},
                    {"addresses", Json::array({address})},
                    {"ports", Json::array({port})},
                    {"players", players},
                    {"counters", Json::object()},
                    {"lists", Json::object()}};
  return {{"object_meta", meta}, {"spec", {{"health", health}}}, {"status", status}};
}

// --- the routes: one function each ---------------------------------------------------------------

struct Call {
  Session& session;
  const HttpRequest& request;
  const HttpResponder& responder;
  net::PathParameters parameters;
};

void ready(const Call& call) {
  call.responder.answer(answer(Json::object()));
  call.session.ready();
}

void health(const Call& call) {
  call.responder.answer(answer(Json::object()));
  call.session.health();
}

void shutdown(const Call& call) {
  call.responder.answer(answer(Json::object()));
  call.session.shutdown();
}

void gameserver(const Call& call) {
  call.responder.answer(answer(game_server(call.session)));
}

void no_player(const Call& call) {
  call.responder.answer(error(400, code_invalid_argument, "playerID is missing"));
}

void connect(const Call& call) {
  const auto player = player_of(call.request.body());
  if (!player) return no_player(call);
  call.session.connect(*player, [responder = call.responder](bool admitted) {
    responder.answer(answer({{"bool", admitted}}));
  });
}

void disconnect(const Call& call) {
  const auto player = player_of(call.request.body());
  if (!player) return no_player(call);
  call.responder.answer(answer({{"bool", call.session.disconnect(*player)}}));
}

void count(const Call& call) {
  call.responder.answer(answer({{"count", std::to_string(call.session.players().size())}}));
}

void capacity(const Call& call) {
  call.responder.answer(answer({{"count", std::to_string(call.session.facts().capacity)}}));
}

void connected(const Call& call) {
  call.responder.answer(answer({{"list", names(call.session)}}));
}

void is_connected(const Call& call) {
  const auto text = percent_decoded(call.parameters[0]);
  const auto player = text ? parse_player(*text) : std::nullopt;
  if (!player) {
    call.responder.answer(error(400, code_invalid_argument,
                                "the player id is not percent-encoded, or empty or too long"));
    return;
  }
  call.responder.answer(answer({{"bool", call.session.players().contains(*player)}}));
}

const net::Routes<void (*)(const Call&)>& rest_routes() {
  static const net::Routes<void (*)(const Call&)> table{
      {"POST", "/ready", ready},
      {"POST", "/health", health},
      {"POST", "/shutdown", shutdown},
      {"GET", "/gameserver", gameserver},
      {"POST", "/alpha/player/connect", connect},
      {"POST", "/alpha/player/disconnect", disconnect},
      {"GET", "/alpha/player/count", count},
      {"GET", "/alpha/player/capacity", capacity},
      {"GET", "/alpha/player/connected", connected},
      {"GET", "/alpha/player/connected/{player}", is_connected},
  };
  return table;
}

void handle(Session& session, const HttpRequest& request, const HttpResponder& responder) {
  const auto path = net::split_target(request.target()).path;
  const auto found = rest_routes().find(request.method_string(), path);
  if (found.handler != nullptr) {
    (*found.handler)({session, request, responder, found.parameters});
  } else if (found.allow.empty()) {
    responder.answer(error(404, code_not_found, "Not Found"));
  } else {
    responder.answer(error(501, code_unimplemented, "Method Not Allowed"));
  }
}

class RestTransport final : public Transport {
 public:
  RestTransport(std::shared_ptr<Session> session, std::unique_ptr<net::HttpServer> server)
      : session_(std::move(session)), server_(std::move(server)) {}
  ~RestTransport() override { server_->close(); }
  RestTransport(const RestTransport&) = delete;
  RestTransport& operator=(const RestTransport&) = delete;

  [[nodiscard]] std::map<std::string, std::string> variables() const override {
    return {{"AGONES_SDK_HTTP_PORT", std::to_string(server_->port())}};
  }

 private:
  std::shared_ptr<Session> session_;
  std::unique_ptr<net::HttpServer> server_;
};

}  // namespace

Result<std::unique_ptr<Transport>> start_rest_transport(boost::asio::io_context& context,
                                                        std::shared_ptr<Session> session) {
  auto server = net::HttpServer::start(
      context,
      {.connections = rest_connections,
       .turned_away = rest_turned_away,
       .idle_timeout = std::chrono::minutes{10}},
      [known = std::weak_ptr{session}](HttpRequest&& request, const HttpResponder& responder) {
        if (const auto alive = known.lock()) handle(*alive, request, responder);
      });
  if (!server) return server.error();
  return std::unique_ptr<Transport>{
      std::make_unique<RestTransport>(std::move(session), std::move(*server))};
}

}  // namespace fixkeep::worker
