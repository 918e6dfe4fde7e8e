#include "worker/shell/status_page.hpp"

#include <optional>
#include <utility>

#include "common/base/percent.hpp"
#include "common/node/events_page.hpp"
#include "common/obs/metrics.hpp"
#include "worker/shell/drain_calls.hpp"

namespace fixkeep::worker {
namespace {

net::HttpAnswer metrics(const StatusSource& source) {
  obs::MetricsPage page;
  const RoomHostCounters& seen = source.core.counters();
  page.counter("rooms_started", "Game processes started.", seen.rooms_started);
  page.counter("rooms_closed", "Rooms closed, for whatever reason.", seen.rooms_closed);
  for (const auto& [what, count] : source.core.closed_rooms()) {
    page.counter("worker_rooms_closed", "Rooms closed, by mode and reason.", count,
                 {{"mode", what.first.text()}, {"reason", to_string(what.second)}});
  }
  page.counter("boots_failed", "Rooms that never opened.", seen.boots_failed);
  page.counter("seats_granted", "Seats reserved for a player.", seen.seats_granted);
  page.counter("seats_lapsed", "Reservations whose player did not come.", seen.seats_lapsed);
  page.counter("players_admitted", "Players let into a game.", seen.players_admitted);
  page.counter("players_turned_away", "Players without a seat.", seen.players_turned_away);
  page.counter("spawns_refused_stale", "Orders under a token too low.", seen.spawns_refused_stale);
  page.counter("spawns_refused_paused", "Orders of a mode that is paused.",
               seen.spawns_refused_paused);
  page.counter("spawns_repeated", "Orders that came twice.", seen.spawns_repeated);
  if (source.links.certificate_expires_s > 0) {
    page.gauge("certificate_expires_timestamp_seconds", "When the certificate of links ends",
               static_cast<double>(source.links.certificate_expires_s));
  }
  if (const auto ends = source.http_certificate_expires_at) {
    page.gauge("http_certificate_expires_timestamp_seconds", "When the certificate of HTTPS ends",
               static_cast<double>(ends->time_since_epoch().count()));
  }
  page.counter("link_frames_sent", "Messages to masters.", source.links.frames_sent);
  page.counter("link_frames_received", "Messages from masters.", source.links.frames_received);
  page.counter("link_bytes_sent", "Bytes to masters.", source.links.bytes_sent);
  page.counter("link_bytes_received", "Bytes from masters.", source.links.bytes_received);
  page.gauge("masters_up", "Masters with a link.", static_cast<double>(source.masters_up));
  page.gauge("game_processes", "Game processes running.", static_cast<double>(source.processes));
  page.gauge("rooms_headroom", "Rooms that can still be started.",
             static_cast<double>(source.core.headroom()));
  for (const auto& pause : source.core.paused_modes()) {
    page.gauge("mode_paused", "1 for each mode of which no room is started now.", 1,
               {{"mode", pause.mode.text()}, {"cause", to_string(pause.cause)}});
  }
  page.process();
  return {.content_type = obs::MetricsPage::content_type, .body = page.render()};
}

net::HttpAnswer healthz(const StatusSource&) {
  return {.body = R"({"status":"ok"})"};
}

net::HttpAnswer readyz(const StatusSource& source) {
  if (source.stopping) {
    return net::problem(503, "not-ready", "Not ready", "The worker is being stopped.");
  }
  if (source.core.draining()) {
    return net::problem(503, "not-ready", "Not ready", "The worker is being drained.");
  }
  if (source.masters_up == 0) {
    return net::problem(503, "not-ready", "Not ready", "There is no link to any master.");
  }
  return {.body = R"({"status":"ready"})"};
}

net::HttpAnswer events(const StatusSource& source) {
  return node::events_page(source.journal, source.query);
}

// As the game wrote it, for a person: no page of ours makes anything else of it.
net::HttpAnswer room_log(const StatusSource& source) {
  const auto room = percent_decoded(source.parameters[0]);
  auto text = room && source.backend != nullptr ? source.backend->output_of(*room, most_log_bytes)
                                                : std::nullopt;
  if (!text) {
    return net::problem(
        404, "not-found", "Not found",
        "Nothing is kept of a room of this name: it wrote nothing, never was, or ended "
        "too long ago.");
  }
  return {.content_type = "text/plain; charset=utf-8", .body = std::move(*text)};
}

template <net::HttpAnswer (*call)(const DrainCall&)>
net::HttpAnswer asked(const StatusSource& source) {
  return call({source.core, source.post, source.body, source.parameters});
}

using StatusRoutes = net::Routes<net::HttpAnswer (*)(const StatusSource&)>;

const StatusRoutes& status_routes() {
  static const StatusRoutes table{
      {net::read_methods, "/healthz", healthz},
      {net::read_methods, "/readyz", readyz},
      {net::read_methods, "/metrics", metrics},
      {net::read_methods, "/v1/events", events},
      {net::read_methods, "/v1/rooms/{room}/log", room_log},
      {"POST", "/v1/rooms/{room}/drain", asked<drain_room>},
      {"POST", "/v1/modes/{mode}/drain", asked<drain_mode>},
      {"POST", "/v1/modes/{mode}/resume", asked<resume_mode>},
      {"POST", "/v1/drain", asked<drain_all>},
      {"POST", "/v1/resume", asked<resume_all>},
  };
  return table;
}

}  // namespace

net::HttpAnswer status_page(const net::HttpRequest& request, StatusSource source) {
  const auto [path, query] = net::split_target(request.target());
  source.query = query;
  source.body = request.body();
  const auto found = status_routes().find(request.method_string(), path);
  source.parameters = found.parameters;
  if (found.handler != nullptr) return (*found.handler)(source);
  if (found.allow.empty()) {
    return net::problem(404, "not-found", "Not found", "There is no such page.");
  }
  auto answer =
      net::problem(405, "method-not-allowed", "Method not allowed", "Use " + found.allow + ".");
  answer.allow = found.allow;
  return answer;
}

}  // namespace fixkeep::worker
