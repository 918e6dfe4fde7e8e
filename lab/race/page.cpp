#include "lab/race/page.hpp"

#include "common/net/http/routes.hpp"
#include "common/web/files.hpp"
#include "lab/race/guard.hpp"

namespace fixkeep::client_sim {

// The build generates these functions from the files in this folder.
[[nodiscard]] std::string_view race_page() noexcept;
[[nodiscard]] std::string_view race_script() noexcept;
[[nodiscard]] std::string_view race_style() noexcept;

namespace {

using net::HttpAnswer;
using net::HttpRequest;

HttpAnswer page(const HttpRequest&, const RaceDesk&) {
  return {.content_type = "text/html; charset=utf-8", .body = std::string{race_page()}};
}

HttpAnswer style(const HttpRequest&, const RaceDesk&) {
  return {.content_type = "text/css; charset=utf-8", .body = std::string{race_style()}};
}

HttpAnswer drawing(const HttpRequest&, const RaceDesk&) {
  return {.content_type = "text/javascript; charset=utf-8", .body = std::string{web::drawing_js()}};
}

HttpAnswer script(const HttpRequest&, const RaceDesk&) {
  return {.content_type = "text/javascript; charset=utf-8", .body = std::string{race_script()}};
}

HttpAnswer state(const HttpRequest&, const RaceDesk& desk) {
  return {.body = desk.state()};
}

HttpAnswer settings(const HttpRequest& request, const RaceDesk& desk) {
  if (const auto mistake = desk.change(request.body())) {
    return net::problem(400, mistake->type, mistake->title, mistake->detail);
  }
  return {.body = desk.state()};
}

using PageRoutes = net::Routes<HttpAnswer (*)(const HttpRequest&, const RaceDesk&)>;

const PageRoutes& page_routes() {
  static const PageRoutes table{
      {net::read_methods, "/", page},          {net::read_methods, "/race.css", style},
      {net::read_methods, "/race.js", script}, {net::read_methods, "/drawing.js", drawing},
      {net::read_methods, "/state", state},    {"POST", "/settings", settings},
  };
  return table;
}

}  // namespace

HttpAnswer answer_page(const HttpRequest& request, const RaceDesk& desk) {
  const auto why_not = why_not_let_in({.host = request[net::http::field::host],
                                       .origin = request[net::http::field::origin],
                                       .content_type = request[net::http::field::content_type],
                                       .changes = request.method() == net::http::verb::post});
  if (!why_not.empty()) return net::problem(403, "foreign-request", "Not let in", why_not);
  const auto path = net::split_target(request.target()).path;
  const auto found = page_routes().find(request.method_string(), path);
  if (found.handler != nullptr) return (*found.handler)(request, desk);
  if (found.allow.empty()) {
    return net::problem(404, "not-found", "There is nothing here",
                        "there are /, /state and /settings");
  }
  auto answer =
      net::problem(405, "method-not-allowed", "The method is not allowed here", found.allow);
  answer.allow = found.allow;
  return answer;
}

}  // namespace fixkeep::client_sim
