#include "worker/sdk/rest/room_sdk.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "common/net/http/server.hpp"
#include "common/wire/limits.hpp"

namespace fixkeep::worker {
namespace {

using Json = nlohmann::json;
using net::HttpAnswer;
using net::HttpRequest;
using net::HttpResponder;
using Verb = net::http::verb;

constexpr int code_invalid_argument = 3;
constexpr int code_not_found = 5;
constexpr int code_unimplemented = 12;
constexpr std::string_view connected_prefix = "/alpha/player/connected/";

HttpAnswer answer(const Json& body) {
  return {.body = body.dump()};
}

HttpAnswer error(unsigned status, int code, std::string_view message) {
  return {.status = status,
          .body = Json{{"code", code}, {"message", message}, {"details", Json::array()}}.dump()};
}

// The player of a connect or disconnect; lower camel case as in Agones, or snake case.
std::optional<PlayerId> player_of(const std::string& body) {
  const Json parsed = Json::parse(body, nullptr, false);
  if (!parsed.is_object()) return std::nullopt;
  for (const char* name : {"playerID", "player_id", "playerId"}) {
    const auto found = parsed.find(name);
    if (found == parsed.end() || !found->is_string()) continue;
    const auto& text = found->get_ref<const std::string&>();
    if (text.empty() || text.size() > wire::limits::id_bytes) return std::nullopt;
    return PlayerId{text};
  }
  return std::nullopt;
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// A player id that stands in a path, RFC 3986, 2.1. Nothing if a percent sign has not two
// hexadecimal digits behind it, or if no player can have the id.
std::optional<PlayerId> player_in_path(std::string_view encoded) {
  std::string text;
  for (std::size_t i = 0; i < encoded.size(); ++i) {
    if (encoded[i] != '%') {
      text += encoded[i];
      continue;
    }
    if (encoded.size() - i < 3) return std::nullopt;
    const int high = digit_of(encoded[i + 1]);
    const int low = digit_of(encoded[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    text += static_cast<char>(16 * high + low);
    i += 2;
  }
  if (text.empty() || text.size() > wire::limits::id_bytes) return std::nullopt;
  return PlayerId{text};
}

}  // namespace

class RoomSdk::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(RoomSdkFacts facts, RoomSdkHandlers handlers)
      : facts_(std::move(facts)), handlers_(std::move(handlers)) {}

  Result<void> listen(boost::asio::io_context& context) {
    auto started = net::HttpServer::start(
        context,
        {.connections = RoomSdk::connections,
         .turned_away = RoomSdk::turned_away,
         .idle_timeout = std::chrono::minutes{10}},
        [self = weak_from_this()](HttpRequest&& request, const HttpResponder& responder) {
          if (const auto impl = self.lock()) impl->handle(request, responder);
        });
    if (!started) return started.error();
    server_ = std::move(*started);
    return {};
  }

  void close() { server_->close(); }
  [[nodiscard]] std::uint16_t port() const { return server_->port(); }

 private:
  void handle(const HttpRequest& request, const HttpResponder& responder) {
    std::string_view path{request.target().data(), request.target().size()};
    path = path.substr(0, path.find('?'));
    if (path == "/alpha/player/connect" || path == "/alpha/player/disconnect") {
      if (request.method() != Verb::post) return wrong_method(responder);
      move_player(path.ends_with("/connect"), request.body(), responder);
    } else if (path == "/ready" || path == "/health" || path == "/shutdown") {
      if (request.method() != Verb::post) return wrong_method(responder);
      responder.answer(answer(Json::object()));
      if (path == "/ready") {
        state_ = "Ready";
        handlers_.ready();
      } else if (path == "/health") {
        handlers_.health();
      } else {
        state_ = "Shutdown";
        handlers_.shutdown();
      }
    } else {
      look(path, request.method() == Verb::get, responder);
    }
  }

  void look(std::string_view path, bool is_get, const HttpResponder& responder) {
    Json body;
    if (path == "/gameserver") {
      body = game_server();
    } else if (path == "/alpha/player/count") {
      body = {{"count", std::to_string(players_.size())}};
    } else if (path == "/alpha/player/capacity") {
      body = {{"count", std::to_string(facts_.capacity)}};
    } else if (path == "/alpha/player/connected") {
      body = {{"list", names()}};
    } else if (path.starts_with(connected_prefix)) {
      const auto who = player_in_path(path.substr(connected_prefix.size()));
      if (!who && is_get) {
        responder.answer(error(400, code_invalid_argument,
                               "the player id is not percent-encoded, or empty or too long"));
        return;
      }
      body = {{"bool", who && players_.contains(*who)}};
    } else {
      responder.answer(error(404, code_not_found, "Not Found"));
      return;
    }
    if (!is_get) return wrong_method(responder);
    responder.answer(answer(body));
  }

  void move_player(bool comes, const std::string& body, const HttpResponder& responder) {
    const auto player = player_of(body);
    if (!player) {
      responder.answer(error(400, code_invalid_argument, "playerID is missing"));
      return;
    }
    if (!comes) {
      responder.answer(answer({{"bool", players_.erase(*player) != 0}}));
      handlers_.disconnect(*player);
      return;
    }
    handlers_.connect(*player, [self = weak_from_this(), who = *player, responder](bool admitted) {
      responder.answer(answer({{"bool", admitted}}));
      const auto impl = self.lock();
      if (admitted && impl != nullptr) impl->players_.insert(who);
    });
  }

  static void wrong_method(const HttpResponder& responder) {
    responder.answer(error(501, code_unimplemented, "Method Not Allowed"));
  }

  [[nodiscard]] Json names() const {
    Json list = Json::array();
    for (const PlayerId& player : players_) list.push_back(player.text());
    return list;
  }

  [[nodiscard]] Json game_server() const {
    const Json meta{{"name", facts_.room},
                    {"namespace", "fixkeep"},
                    {"uid", facts_.room},
                    {"resource_version", "1"},
                    {"generation", "1"},
                    {"creation_timestamp", "0"},
                    {"deletion_timestamp", "0"},
                    {"annotations", Json::object()},
                    {"labels", {{"fixkeep/group", facts_.group}, {"fixkeep/mode", facts_.mode}}}};
    const Json health{{"disabled", false},
                      {"period_seconds", 5},
                      {"failure_threshold", 3},
                      {"initial_delay_seconds", 5}};
    const Json port{{"name", "default"}, {"port", facts_.port}};
    const Json address{{"type", "ExternalIP"}, {"address", facts_.address}};
    const Json players{{"count", std::to_string(players_.size())},
                       {"capacity", std::to_string(facts_.capacity)},
                       {"ids", names()}};
    const Json status{{"state", state_},
                      {"address", facts_.address},
                      {"addresses", Json::array({address})},
                      {"ports", Json::array({port})},
                      {"players", players},
                      {"counters", Json::object()},
                      {"lists", Json::object()}};
    return {{"object_meta", meta}, {"spec", {{"health", health}}}, {"status", status}};
  }

  RoomSdkFacts facts_;
  RoomSdkHandlers handlers_;
  std::unique_ptr<net::HttpServer> server_;
  std::set<PlayerId> players_;
  std::string state_ = "Scheduled";
};

Result<std::unique_ptr<RoomSdk>> RoomSdk::start(boost::asio::io_context& context,
                                                RoomSdkFacts facts, RoomSdkHandlers handlers) {
  auto impl = std::make_shared<Impl>(std::move(facts), std::move(handlers));
  const auto listening = impl->listen(context);
  if (!listening) return listening.error();
  return std::unique_ptr<RoomSdk>{new RoomSdk{std::move(impl)}};
}

RoomSdk::RoomSdk(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
RoomSdk::~RoomSdk() {
  impl_->close();
}
std::uint16_t RoomSdk::port() const {
  return impl_->port();
}

}  // namespace fixkeep::worker
