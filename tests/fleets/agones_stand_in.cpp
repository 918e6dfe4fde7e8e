#include "tests/fleets/agones_stand_in.hpp"

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "common/base/random.hpp"
#include "common/net/http/server.hpp"
#include "common/net/kubernetes/api_client.hpp"
#include "common/net/kubernetes/watch.hpp"
#include "tests/fleets/fleet_games.hpp"
#include "tests/fleets/mini_api.hpp"

namespace fixkeep::test {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using kubernetes::ApiAnswer;
using kubernetes::ApiCall;
using kubernetes::ApiClient;
using kubernetes::at;
using kubernetes::Json;
using kubernetes::number_at;
using kubernetes::text_at;

constexpr auto limit = 20s;
constexpr auto start_limit = 60s;
constexpr auto look_every = 20ms;
constexpr int most_conflicts = 5;
constexpr auto fleet_label = "agones.dev/fleet";

std::string meta(const Json& object, const char* key) {
  return text_at(at(object, "metadata"), key);
}
std::string state_of(const Json& object) {
  return text_at(at(object, "status"), "state");
}
bool is_deleted(const Json& object) {
  return !meta(object, "deletionTimestamp").empty();
}

std::unique_ptr<net::HttpServer> serve(asio::io_context& context,
                                       net::HttpServer::Handler handler) {
  auto server = net::HttpServer::start(context, {.body_bytes = 4U << 20U}, std::move(handler));
  if (!server) throw std::runtime_error{server.error().message()};
  return std::move(*server);
}

}  // namespace

struct AgonesStandIn::Impl {
  explicit Impl(StandInOptions with) : options(std::move(with)), random(options.seed) {
    if (const char* const real = std::getenv("FIXKEEP_FLEET_API");
        real != nullptr && !options.api) {
      auto access = kubernetes::find_access(real);
      if (auto* const why = std::get_if<std::string>(&access)) throw std::runtime_error{*why};
      options.api = std::get<kubernetes::Access>(access);
    }
    if (!options.api) {
      api = serve(context, [this](net::HttpRequest&& request, const auto& responder) {
        objects.handle(request, responder);
      });
      options.api = kubernetes::Access{};
      options.api->host = "127.0.0.1";
      options.api->port = api->port();
      options.api->plain = true;
    }
    auto made = ApiClient::make(context, *options.api);
    if (auto* const why = std::get_if<std::string>(&made)) throw std::runtime_error{*why};
    client = std::move(std::get<0>(made));
    front = serve(context, [this](net::HttpRequest&& request, const auto& responder) {
      const bool asks = request.method() == net::http::verb::post &&
                        request.target().ends_with("/gameserverallocations");
      if (asks) return asked(request.body(), responder);
      hand_on(request, responder);
    });
    watch = std::make_unique<kubernetes::Watch>(
        context, *client, kubernetes::ReflectorOptions{.resource = servers()},
        kubernetes::Watch::Handlers{.listed =
                                        [this](const std::vector<Json>& all) {
                                          known.clear();
                                          for (const Json& each : all) changed(each);
                                          keep_replicas();
                                        },
                                    .changed = [this](const Json& object) { changed(object); },
                                    .removed = [this](const Json& object) { removed(object); },
                                    .away = [](const std::string&) {},
                                    .back = [] {}});
    watch->begin();
    ask({.method = "POST",
         .target = fleets().collection(),
         .body = Json{{"apiVersion", "agones.dev/v1"},
                      {"kind", "Fleet"},
                      {"metadata", {{"name", options.fleet}}},
                      {"spec", {{"replicas", options.replicas}}}}
                     .dump()},
        [](const ApiAnswer&) {});
    look();
    const auto until = std::chrono::steady_clock::now() + start_limit;
    while (told_ready < options.replicas) {
      if (std::chrono::steady_clock::now() > until) throw std::runtime_error{"no fleet comes up"};
      context.run_one_for(look_every);
    }
    thread = std::thread{[this] { context.run(); }};
  }
  ~Impl() {
    context.stop();
    thread.join();
    watch.reset();
    client.reset();
    front->close();
    if (api) api->close();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  [[nodiscard]] kubernetes::Resource servers() const {
    return {"/apis/agones.dev/v1", options.space, "gameservers"};
  }
  [[nodiscard]] kubernetes::Resource fleets() const {
    return {"/apis/agones.dev/v1", options.space, "fleets"};
  }
  void ask(ApiCall call, std::function<void(const ApiAnswer&)> done) {
    client->ask(std::move(call), limit, std::move(done));
  }
  void patch(const std::string& name, const Json& with) {
    ask({.method = "PATCH",
         .target = servers().item(name),
         .body = with.dump(),
         .content_type = "application/merge-patch+json"},
        [](const ApiAnswer&) {});
  }
  void remove(const std::string& name) {
    ask({.method = "DELETE", .target = servers().item(name)}, [](const ApiAnswer&) {});
  }

  // --- what others ask of the API

  void hand_on(const net::HttpRequest& request, const net::HttpResponder& responder) {
    ApiCall call{.method = std::string{request.method_string()},
                 .target = std::string{request.target()},
                 .body = request.body(),
                 .content_type = std::string{request["content-type"]}};
    if (call.target.find("watch=true") == std::string::npos) {
      return ask(std::move(call), [responder](const ApiAnswer& answer) {
        responder.answer(
            {.status = answer.status == 0 ? 502U : answer.status, .body = answer.body});
      });
    }
    const auto stream = std::make_shared<std::optional<net::HttpStream>>();
    ApiClient::Stream handlers;
    handlers.opened = [responder, stream] { *stream = responder.stream("application/json"); };
    handlers.piece = [this, stream](const std::string& piece) {
      return random.below(100) >= faults.watch && *stream &&
             (*stream)->send(std::make_shared<const std::string>(piece));
    };
    handlers.done = [responder, stream](const ApiAnswer& answer) {
      if (*stream) return (*stream)->close();
      responder.answer({.status = answer.status == 0 ? 502U : answer.status, .body = answer.body});
    };
    client->stream(std::move(call), limit, 300s, std::move(handlers));
  }

  // --- requests for a server

  void asked(const std::string& body, const net::HttpResponder& responder) {
    ++counted_asked;
    const Json wanted = at(Json::parse(body, nullptr, false), "spec");
    auto draw = static_cast<unsigned>(random.below(100));
    const auto falls = [&](unsigned percent) {
      if (draw < percent) return true;
      draw -= percent;
      return false;
    };
    if (falls(faults.dropped)) return (void)responder.take_over();
    if (falls(faults.late)) {
      ++counted_pending;
      (void)responder.take_over();
      const auto after = std::chrono::milliseconds{random.between(0, faults.latest.count())};
      return later(after, [this, wanted] {
        take(wanted, 0, [this](const std::string&) { --counted_pending; });
      });
    }
    if (falls(faults.cut)) {
      return take(wanted, 0, [this, responder](const std::string& text) { cut(text, responder); });
    }
    if (falls(faults.refused)) return refuse(responder);
    take(wanted, 0,
         [responder](const std::string& text) { responder.answer({.status = 201, .body = text}); });
  }
  void cut(const std::string& text, const net::HttpResponder& responder) {
    auto socket = responder.take_over();
    if (!socket) return;
    std::string all = "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: " +
                      std::to_string(text.size()) + "\r\n\r\n" + text;
    all.resize(random.below(all.size()));
    boost::system::error_code ignored;
    asio::write(*socket, asio::buffer(all), ignored);
  }
  void refuse(const net::HttpResponder& responder) {
    switch (random.below(4)) {
      case 0: return responder.answer({.status = 429, .body = R"({"reason":"TooManyRequests"})"});
      case 1: return responder.answer({.status = 503, .body = "service unavailable"});
      case 2: return responder.answer({.status = 404, .body = "404 page not found"});
      default: return responder.answer({.status = 500, .body = R"({"message":"no"})"});
    }
  }

  void take(const Json& wanted, int conflicts,
            const std::function<void(const std::string&)>& done) {
    const std::string name = free_server(wanted);
    if (name.empty() || conflicts > most_conflicts) {
      return done(Json{{"status", {{"state", "UnAllocated"}}}}.dump());
    }
    busy.insert(name);
    Json object = known.at(name);
    const Json& metadata = at(wanted, "metadata");
    for (const char* each : {"labels", "annotations"}) {
      if (at(metadata, each).is_object()) object["metadata"][each].update(at(metadata, each));
    }
    object["metadata"]["annotations"]["agones.dev/last-allocated"] = "2026-01-01T00:00:00Z";
    object["status"]["state"] = "Allocated";
    ask({.method = "PUT", .target = servers().item(name), .body = object.dump()},
        [this, wanted, conflicts, done, name](const ApiAnswer& answer) {
          busy.erase(name);
          if (answer.status != 200) {
            known.erase(name);
            return take(wanted, conflicts + 1, done);
          }
          ++counted_taken;
          const Json taken = Json::parse(answer.body, nullptr, false);
          changed(taken);
          done(Json{{"status",
                     {{"state", "Allocated"},
                      {"gameServerName", name},
                      {"address", at(at(taken, "status"), "address")},
                      {"ports", at(at(taken, "status"), "ports")}}}}
                   .dump());
        });
  }
  // Any of the first selector that has one; empty: none.
  std::string free_server(const Json& wanted) {
    for (const Json& selector : at(wanted, "selectors")) {
      const std::string fleet = text_at(at(selector, "matchLabels"), fleet_label);
      std::vector<std::string> free;
      for (const auto& [name, object] : known) {
        const bool is_its = text_at(at(at(object, "metadata"), "labels"), fleet_label) == fleet;
        if (is_its && is_free(object) && !busy.contains(name)) free.push_back(name);
      }
      if (!free.empty()) return free[random.below(free.size())];
    }
    return {};
  }
  [[nodiscard]] bool is_free(const Json& object) const {
    return state_of(object) == "Ready" && !is_deleted(object) &&
           !leaving.contains(meta(object, "name"));
  }

  // --- the fleet

  void changed(const Json& object) {
    const std::string name = meta(object, "name");
    const std::string uid = meta(object, "uid");
    coming.erase(name);
    known[name] = object;
    if (is_deleted(object) && !games.ask_to_end(uid, options.grace)) {
      return patch(name, {{"metadata", {{"finalizers", nullptr}}}});
    }
    if (!is_deleted(object) && state_of(object) == "Allocated") {
      const Json& ports = at(at(object, "status"), "ports");
      const auto port = ports.is_array() && !ports.empty() ? number_at(ports[0], "port") : 0;
      games.run(uid, name, at(at(object, "metadata"), "annotations"), port.value_or(0));
    }
    keep_replicas();
  }
  void removed(const Json& object) {
    known.erase(meta(object, "name"));
    leaving.erase(meta(object, "name"));
    (void)games.ask_to_end(meta(object, "uid"), 0ms);
    keep_replicas();
  }
  void keep_replicas() {
    const auto ready = static_cast<std::size_t>(std::count_if(
        known.begin(), known.end(), [this](const auto& each) { return is_free(each.second); }));
    for (auto there = ready + coming.size(); there < options.replicas; ++there) make_server();
    if (ready > options.replicas) remove_surplus(ready - options.replicas);
    if (std::exchange(told_ready, ready) == ready) return;
    ask({.method = "PATCH",
         .target = fleets().item(options.fleet),
         .body = Json{{"status", {{"readyReplicas", ready}}}}.dump(),
         .content_type = "application/merge-patch+json"},
        [](const ApiAnswer&) {});
  }
  // A slow API server may have made a server although its answer was lost; an earlier test may have
  // left some.
  void remove_surplus(std::size_t surplus) {
    for (const auto& [name, object] : known) {
      if (surplus == 0) return;
      if (!is_free(object) || busy.contains(name)) continue;
      leaving.insert(name);
      remove(name);
      --surplus;
    }
  }
  void make_server() {
    const std::string name =
        options.fleet + "-" + std::to_string(random.below(1'000'000'000)) + "-x";
    if (!coming.insert(name).second) return;
    last_port = last_port % 40'000 + 1;
    const Json object{
        {"apiVersion", "agones.dev/v1"},
        {"kind", "GameServer"},
        {"metadata",
         {{"name", name},
          {"labels", {{fleet_label, options.fleet}}},
          {"finalizers", {"agones.dev/controller"}}}},
        {"status",
         {{"state", "Ready"},
          {"address", "127.0.0.1"},
          {"ports", Json::array({{{"name", "default"}, {"port", 20'000 + last_port}}})}}}};
    ask({.method = "POST", .target = servers().collection(), .body = object.dump()},
        [this, name](const ApiAnswer& answer) {
          if (answer.status != 201) coming.erase(name);
        });
  }

  // A server whose game ends is unhealthy, and its fleet deletes it.
  void look() {
    for (const std::string& name : games.ended()) {
      const auto object = known.find(name);
      if (object == known.end()) continue;
      if (is_deleted(object->second)) {
        patch(name, {{"metadata", {{"finalizers", nullptr}}}});
      } else {
        patch(name, {{"status", {{"state", "Unhealthy"}}}});
        later(50ms, [this, name] { remove(name); });
      }
    }
    later(look_every, [this] { look(); });
  }

  void later(std::chrono::milliseconds after, std::function<void()> what) {
    const auto timer = std::make_shared<asio::steady_timer>(context, after);
    timer->async_wait([timer, what = std::move(what)](boost::system::error_code) { what(); });
  }

  StandInOptions options;
  Random random;
  asio::io_context context{1};
  MiniApi objects;
  std::unique_ptr<net::HttpServer> api;
  std::unique_ptr<net::HttpServer> front;
  std::unique_ptr<ApiClient> client;
  std::unique_ptr<kubernetes::Watch> watch;
  AllocationFaults faults;
  std::map<std::string, Json> known;  // servers, by name
  std::set<std::string> busy;         // those that are being taken
  std::set<std::string> coming;       // those that are being made
  std::set<std::string> leaving;      // those that are one too many
  FleetGames games;
  std::size_t told_ready = 0;
  std::uint64_t last_port = 0;
  std::atomic<std::uint64_t> counted_asked = 0;
  std::atomic<std::uint64_t> counted_taken = 0;
  std::atomic<std::uint64_t> counted_pending = 0;
  std::thread thread;
};

AgonesStandIn::AgonesStandIn(StandInOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}
AgonesStandIn::~AgonesStandIn() = default;

void AgonesStandIn::set(const AllocationFaults& faults) {
  asio::post(impl_->context, [this, faults] { impl_->faults = faults; });
}

AgonesStandIn::Counts AgonesStandIn::counts() const {
  return {impl_->counted_asked, impl_->counted_taken, impl_->counted_pending};
}

kubernetes::Access AgonesStandIn::access() const {
  kubernetes::Access access;
  access.host = "127.0.0.1";
  access.port = impl_->front->port();
  access.plain = true;
  access.space = impl_->options.space;
  return access;
}

std::string AgonesStandIn::kubeconfig() const {
  const std::string server = "http://127.0.0.1:" + std::to_string(impl_->front->port());
  return Json{
      {"current-context", "a"},
      {"clusters", Json::array({{{"name", "a"}, {"cluster", {{"server", server}}}}})},
      {"contexts",
       Json::array({{{"name", "a"},
                     {"context",
                      {{"cluster", "a"}, {"user", "a"}, {"namespace", impl_->options.space}}}}})},
      {"users", Json::array({{{"name", "a"}, {"user", Json::object()}}})}}
      .dump();
}

}  // namespace fixkeep::test
