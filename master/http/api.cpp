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

// The answer that is made of what the view gave. A look that gets no lock within its limit is news
// for the operator too: nobody holds the lock for longer than microseconds.
net::HttpAnswer page_of(const sync::LockResult<std::string>& body) {
  if (body) return page(*body);
  auto answer =
      net::problem(503, "view-busy", "Too much is being looked at", body.error().message());
  answer.retry_after_seconds = 1;
  return answer;
}

net::HttpAnswer room_page(const DirectoryView& view, const RoomId& room) {
  const auto body = room_json(view, room);
  if (body && body->empty()) {
    return not_found("the room is closed, or was never there; GET /v1/rooms lists them");
  }
  return page_of(body);
}

}  // namespace

Api::Api(ApiContext context, const MasterCore& core, MatchDesk& desk, ViewDesk& views)
    : context_(std::move(context)), core_(core), desk_(desk), views_(views) {}

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
  auto found = look(path, query);
  const bool reads =
      request.method() == net::http::verb::get || request.method() == net::http::verb::head;
  auto* const answer = std::get_if<net::HttpAnswer>(&found);
  if (!reads && (answer == nullptr || answer->status != 404)) {
    responder.answer(wrong_method("GET, HEAD"));
  } else if (answer != nullptr) {
    responder.answer(std::move(*answer));
  } else {
    auto& wanted = std::get<Look>(found);
    views_.look(wanted.kind, std::move(wanted.page),
                [responder](net::HttpAnswer made) { responder.answer(std::move(made)); });
  }
}

Api::Page Api::look(std::string_view path, std::string_view query) const {
  if (path == "/healthz") return page(R"({"status":"alive"})");
  if (path == "/readyz") return readiness(context_.readiness_facts());
  if (path == "/metrics") {
    return Look{"metrics", [facts = context_.metrics_facts()](const DirectoryView& view) {
                  auto answer = page_of(metrics_page(facts, view));
                  if (answer.status == 200) {
                    answer.content_type = "text/plain; version=0.0.4; charset=utf-8";
                  }
                  return answer;
                }};
  }
  if (path == rooms_path) {
    const auto wanted = parse_room_page(query);
    if (!wanted) return bad_query("use limit=1 to 1000 and after=the room_id in next");
    return Look{"rooms", [wanted = *wanted](const DirectoryView& view) {
                  return page_of(rooms_json(view, wanted));
                }};
  }
  if (path.size() > rooms_path.size() && path.starts_with(rooms_path) &&
      path[rooms_path.size()] == '/') {
    const auto room = parse_room_id(path.substr(rooms_path.size() + 1));
    if (!room) return not_found("that is no room id; GET /v1/rooms lists them");
    return Look{"room",
                [room = *room](const DirectoryView& view) { return room_page(view, room); }};
  }
  if (path == "/v1/workers") {
    return Look{"workers", [](const DirectoryView& view) { return page_of(workers_json(view)); }};
  }
  if (path == "/v1/masters") {
    return Look{"masters", [facts = masters_facts(context_.self, context_.masters, core_)](
                               const DirectoryView&) { return page(masters_json(facts)); }};
  }
  if (path == "/v1/locks") {
    return Look{"locks", [facts = locks_facts(context_.lock_strategy, core_, context_.now(),
                                              context_.metrics_facts().engine)](
                             const DirectoryView&) { return page(locks_json(facts)); }};
  }
  return not_found(
      "there are POST /v1/match, GET /v1/rooms, /v1/rooms/{id}, /v1/workers, /v1/masters, "
      "/v1/locks, /healthz, /readyz and /metrics");
}

}  // namespace fixkeep::master
