#include "worker/shell/status_page.hpp"

#include <array>
#include <initializer_list>
#include <map>
#include <optional>
#include <utility>

#include "common/base/percent.hpp"
#include "common/node/events_page.hpp"
#include "common/obs/metrics.hpp"
#include "worker/shell/drain_calls.hpp"

namespace fixkeep::worker {
namespace {

void add_life_of_rooms(const RoomHost& core, obs::MetricsPage& page) {
  const RoomHostCounters& seen = core.counters();
  page.counter("worker_rooms_started", "Game processes started.", seen.rooms_started);
  for (const auto& [what, count] : core.closed_rooms()) {
    page.counter("worker_rooms_closed", "Rooms closed, by mode and reason.", count,
                 {{"mode", what.first.text()}, {"reason", to_string(what.second)}});
  }
  for (const auto& [mode, boots] : core.boot_times()) {
    constexpr std::string_view name = "worker_room_boot";
    constexpr std::string_view help = "Time from the start of a game until it is ready, or failed.";
    page.histogram(name, help, boots.ready, {{"mode", mode.text()}, {"outcome", "ready"}});
    page.histogram(name, help, boots.failed, {{"mode", mode.text()}, {"outcome", "failed"}});
  }
  constexpr std::string_view refused = "worker_room_orders_refused";
  constexpr std::string_view why =
      "Orders that were refused: a token too low, paused, a group that the game must not be told.";
  page.counter(refused, why, seen.spawns_refused_stale, {{"reason", "stale"}});
  page.counter(refused, why, seen.spawns_refused_paused, {{"reason", "paused"}});
  page.counter(refused, why, seen.spawns_refused_group, {{"reason", "group"}});
  page.counter("worker_room_orders_repeated", "Orders that came twice.", seen.spawns_repeated);
}

void add_rooms_now(const RoomHost& core, obs::MetricsPage& page) {
  struct Counts {
    std::array<double, 3> by_phase{};
    double seats = 0;
    double reserved = 0;
    double occupied = 0;
    double unknown = 0;
    double closed = 0;  // free, but the room takes no newcomers
  };
  std::map<ModeName, Counts> modes;
  for (const auto& [mode, boots] : core.boot_times()) modes.try_emplace(mode);
  for (const wire::RoomInfo& room : core.rooms()) {
    Counts& counts = modes[room.mode];
    ++counts.by_phase[static_cast<std::size_t>(room.phase)];
    counts.seats += room.capacity;
    const auto taken = static_cast<double>(room.players.size());
    counts.reserved += room.unknown ? 0 : taken - room.occupied;
    counts.occupied += room.unknown ? 0 : room.occupied;
    counts.unknown += room.unknown ? taken : 0;
    if (room.stage == RoomStage::no_newcomers) counts.closed += room.capacity - taken;
  }
  for (const auto& [mode, counts] : modes) {
    constexpr std::array<std::string_view, 3> phases{"starting", "open", "draining"};
    for (std::size_t i = 0; i < phases.size(); ++i) {
      page.gauge("worker_rooms", "Rooms of this worker.", counts.by_phase[i],
                 {{"mode", mode.text()}, {"phase", phases[i]}});
    }
  }
  for (const auto& [mode, counts] : modes) {
    const auto add = [&, &name = mode](std::string_view state, double seats) {
      page.gauge("worker_seats", "Seats of these rooms.", seats,
                 {{"mode", name.text()}, {"state", state}});
    };
    const double taken = counts.reserved + counts.occupied + counts.unknown;
    add("free", counts.seats - taken - counts.closed);
    add("closed", counts.closed);
    add("reserved", counts.reserved);
    add("occupied", counts.occupied);
    add("unknown", counts.unknown);
  }
}

net::HttpAnswer metrics(const StatusSource& source) {
  obs::MetricsPage page;
  const RoomHostCounters& seen = source.core.counters();
  add_life_of_rooms(source.core, page);
  add_rooms_now(source.core, page);
  page.counter("worker_seats_granted", "Seats reserved for a player.", seen.seats_granted);
  page.counter("worker_seats_lapsed", "Reservations that ended without their player.",
               seen.seats_lapsed);
  page.counter("worker_players_admitted", "Players let into a game.", seen.players_admitted);
  page.counter("worker_players_turned_away", "Players without a seat.", seen.players_turned_away);
  page.gauge("worker_masters_connected", "Masters with a link to this worker.",
             static_cast<double>(source.masters_up));
  page.gauge("worker_game_processes", "Game processes that run.",
             static_cast<double>(source.processes));
  page.gauge("worker_rooms_headroom", "Rooms that can be started soon.",
             static_cast<double>(source.core.headroom()));
  page.gauge("worker_starts_queued", "Rooms that wait for the start of their process.",
             static_cast<double>(source.core.start_queue().queued));
  page.gauge("worker_journal_whole", "0 while the worker cannot write its journal.",
             source.journal_is_whole ? 1 : 0);
  for (const auto& pause : source.core.paused_modes()) {
    page.gauge("worker_mode_paused", "1 for each mode of which no room is started now.", 1,
               {{"mode", pause.mode.text()}, {"cause", to_string(pause.cause)}});
  }
  node::add_links(source.links, page);
  node::add_listeners(source.listeners, page);
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

net::HttpAnswer show_node(const StatusSource& source) {
  return node::node_page(source.node_facts());
}

// The answer is the game's raw output, for a person. No page of FIX Keep interprets this output.
net::HttpAnswer room_log(const StatusSource& source) {
  const auto room = percent_decoded(source.parameters[0]);
  const auto id = parse_room_id(room.value_or(""));
  if (source.outputs == nullptr) {
    return net::problem(404, "not-found", "Not found",
                        "The runner of this worker keeps nothing of what games write.");
  }
  auto text = room ? source.outputs->output_of(*room, most_log_bytes) : std::nullopt;
  const bool is_silent_yet = !text && id && source.core.number_of(*id);
  if (is_silent_yet) text.emplace();
  if (!text) {
    return net::problem(
        404, "not-found", "Not found",
        "Nothing is kept of a room of this name: it never was, ended without having "
        "written anything, or ended too long ago.");
  }
  return {.content_type = "text/plain; charset=utf-8", .body = std::move(*text)};
}

template <net::HttpAnswer (*call)(const DrainCall&)>
net::HttpAnswer asked(const StatusSource& source) {
  return call({source.core, source.post, source.body, source.parameters});
}

using StatusRoutes = net::Routes<net::HttpAnswer (*)(const StatusSource&)>;

const StatusRoutes& pages() {
  static const StatusRoutes table{
      {net::read_methods, "/healthz", healthz},   {net::read_methods, "/readyz", readyz},
      {net::read_methods, "/metrics", metrics},   {net::read_methods, "/v1/events", events},
      {net::read_methods, "/v1/node", show_node},
  };
  return table;
}

// These calls may also come through masters.
const StatusRoutes& calls() {
  static const StatusRoutes table{
      {net::read_methods, "/v1/rooms/{room}/log", room_log},
      {"POST", "/v1/rooms/{room}/drain", asked<drain_room>},
      {"POST", "/v1/modes/{mode}/drain", asked<drain_mode>},
      {"POST", "/v1/modes/{mode}/resume", asked<resume_mode>},
      {"POST", "/v1/drain", asked<drain_all>},
      {"POST", "/v1/resume", asked<resume_all>},
  };
  return table;
}

net::HttpAnswer find_and_answer(std::initializer_list<const StatusRoutes*> tables,
                                std::string_view method, std::string_view target,
                                StatusSource&& source) {
  const auto [path, query] = net::split_target(target);
  source.query = query;
  for (const StatusRoutes* const table : tables) {
    const auto found = table->find(method, path);
    source.parameters = found.parameters;
    if (found.handler != nullptr) return (*found.handler)(source);
    if (found.allow.empty()) continue;
    auto answer =
        net::problem(405, "method-not-allowed", "Method not allowed", "Use " + found.allow + ".");
    answer.allow = found.allow;
    return answer;
  }
  return net::problem(404, "not-found", "Not found",
                      "This worker has no such page. Masters have the pages of the cluster.");
}

}  // namespace

net::HttpAnswer status_page(const net::HttpRequest& request, StatusSource source) {
  source.body = request.body();
  return find_and_answer({&pages(), &calls()}, request.method_string(), request.target(),
                         std::move(source));
}

net::HttpAnswer operator_call(std::string_view method, std::string_view target,
                              std::string_view body, StatusSource source) {
  source.body = body;
  return find_and_answer({&calls()}, method, target, std::move(source));
}

}  // namespace fixkeep::worker
