#include "worker/shell/status_page.hpp"

#include <string_view>

#include "common/obs/metrics.hpp"

namespace fixkeep::worker {
namespace {

std::string metrics(const StatusSource& source) {
  obs::MetricsPage page;
  const RoomHostCounters& seen = source.core.counters();
  page.counter("rooms_started", "Game processes started.", seen.rooms_started);
  page.counter("rooms_closed", "Rooms closed, for whatever reason.", seen.rooms_closed);
  page.counter("boots_failed", "Rooms that never opened.", seen.boots_failed);
  page.counter("seats_granted", "Seats reserved for a player.", seen.seats_granted);
  page.counter("seats_lapsed", "Reservations whose player did not come.", seen.seats_lapsed);
  page.counter("players_admitted", "Players let into a game.", seen.players_admitted);
  page.counter("players_turned_away", "Players without a seat.", seen.players_turned_away);
  page.counter("spawns_refused_stale", "Orders under a token too low.", seen.spawns_refused_stale);
  page.counter("spawns_repeated", "Orders that came twice.", seen.spawns_repeated);
  page.counter("link_frames_sent", "Messages to masters.", source.links.frames_sent);
  page.counter("link_frames_received", "Messages from masters.", source.links.frames_received);
  page.counter("link_bytes_sent", "Bytes to masters.", source.links.bytes_sent);
  page.counter("link_bytes_received", "Bytes from masters.", source.links.bytes_received);
  page.gauge("masters_up", "Masters with a link.", static_cast<double>(source.masters_up));
  page.gauge("game_processes", "Game processes running.", static_cast<double>(source.processes));
  page.gauge("rooms_headroom", "Rooms that can still be started.",
             static_cast<double>(source.core.headroom()));
  page.process();
  return page.render();
}

}  // namespace

net::HttpAnswer status_page(const net::HttpRequest& request, const StatusSource& source) {
  std::string_view path{request.target().data(), request.target().size()};
  path = path.substr(0, path.find('?'));
  const bool known = path == "/healthz" || path == "/readyz" || path == "/metrics";
  if (!known) return net::problem(404, "not-found", "Not found", "There is no such page.");
  if (request.method() != net::http::verb::get && request.method() != net::http::verb::head) {
    auto answer = net::problem(405, "method-not-allowed", "Method not allowed", "Use GET.");
    answer.allow = "GET, HEAD";
    return answer;
  }
  if (path == "/metrics") {
    return {.content_type = obs::MetricsPage::content_type, .body = metrics(source)};
  }
  if (path == "/healthz") return {.body = R"({"status":"ok"})"};
  if (source.stopping) {
    return net::problem(503, "not-ready", "Not ready", "The worker is being stopped.");
  }
  if (source.masters_up == 0) {
    return net::problem(503, "not-ready", "Not ready", "There is no link to any master.");
  }
  return {.body = R"({"status":"ready"})"};
}

}  // namespace fixkeep::worker
