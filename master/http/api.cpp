#include "master/http/api.hpp"

#include <charconv>
#include <utility>

namespace fixkeep::master {
namespace {

constexpr std::string_view match_path = "/v1/match";
constexpr std::string_view rooms_path = "/v1/rooms";

net::HttpAnswer page(std::string body) {
  return {.status = 200, .body = std::move(body)};
}

net::HttpAnswer not_found(std::string_view detail) {
  return net::problem(404, "not-found", "There is nothing here", detail);
}

net::HttpAnswer bad_query(std::string_view detail) {
  return net::problem(400, "invalid-query", "The query is not valid", detail);
}

net::HttpAnswer wrong_method(std::string_view allowed) {
  auto answer = net::problem(405, "method-not-allowed", "The method is not allowed here",
                             std::string{"use "}.append(allowed));
  answer.allow = allowed;
  return answer;
}

std::optional<RoomPage> parse_room_page(std::string_view query) {
  RoomPage wanted;
  while (!query.empty()) {
    const auto part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(part.size() + 1, query.size()));
    const auto equals = part.find('=');
    if (equals == std::string_view::npos) return {};
    const auto name = part.substr(0, equals);
    const auto value = part.substr(equals + 1);
    if (name == "limit") {
      const auto [end, error] =
          std::from_chars(value.data(), value.data() + value.size(), wanted.limit);
      if (error != std::errc{} || end != value.data() + value.size()) return {};
      if (wanted.limit < 1 || wanted.limit > page_limit) return {};
    } else if (name == "after") {
      wanted.after = parse_room_id(value);
      if (!wanted.after) return {};
    } else {
      return {};
    }
  }
  return wanted;
}

net::HttpAnswer rooms_page(const Directory& directory, std::string_view query) {
  const auto wanted = parse_room_page(query);
  if (!wanted) return bad_query("use limit=1 to 1000 and after=the room_id in next");
  return page(rooms_json(directory, *wanted));
}

net::HttpAnswer room_page(const Directory& directory, std::string_view text) {
  const auto room = parse_room_id(text);
  if (!room) return not_found("that is no room id; GET /v1/rooms lists them");
  auto body = room_json(directory, *room);
  if (!body) return not_found("the room is closed, or was never there; GET /v1/rooms lists them");
  return page(std::move(*body));
}

}  // namespace

Api::Api(ApiContext context, const MasterCore& core, MatchDesk& desk)
    : context_(std::move(context)), core_(core), desk_(desk) {}

void Api::handle(const net::HttpRequest& request, const net::HttpResponder& responder) {
  const std::string_view target{request.target().data(), request.target().size()};
  const auto path = target.substr(0, target.find('?'));
  const auto query = path.size() < target.size() ? target.substr(path.size() + 1) : "";

  if (path == match_path) {
    if (request.method() != net::http::verb::post) {
      responder.answer(wrong_method("POST"));
    } else {
      desk_.request(request, responder, context_.now());
    }
    return;
  }
  auto answer = look(path, query);
  const bool reads =
      request.method() == net::http::verb::get || request.method() == net::http::verb::head;
  if (!reads && answer.status != 404) answer = wrong_method("GET, HEAD");
  responder.answer(std::move(answer));
}

net::HttpAnswer Api::look(std::string_view path, std::string_view query) const {
  if (path == "/healthz") return page(R"({"status":"alive"})");
  if (path == "/readyz") {
    if (core_.joined()) return page(R"({"status":"ready"})");
    auto answer = net::problem(503, "not-ready", "This master is still joining",
                               "it has not met every configured master yet");
    answer.retry_after_seconds = 1;
    return answer;
  }
  if (path == "/metrics") {
    return {.status = 200,
            .content_type = "text/plain; version=0.0.4; charset=utf-8",
            .body = context_.metrics_page()};
  }
  if (path == rooms_path) return rooms_page(core_.directory(), query);
  if (path.size() > rooms_path.size() && path.starts_with(rooms_path) &&
      path[rooms_path.size()] == '/') {
    return room_page(core_.directory(), path.substr(rooms_path.size() + 1));
  }
  if (path == "/v1/workers") return page(workers_json(core_.directory()));
  if (path == "/v1/masters") return page(masters_json(context_.self, context_.masters, core_));
  if (path == "/v1/locks") return page(locks_json(context_.lock_strategy, core_, context_.now()));
  return not_found(
      "there are POST /v1/match, GET /v1/rooms, /v1/rooms/{id}, /v1/workers, /v1/masters, "
      "/v1/locks, /healthz, /readyz and /metrics");
}

}  // namespace fixkeep::master
