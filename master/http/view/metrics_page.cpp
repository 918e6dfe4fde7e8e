#include "master/http/view/metrics_page.hpp"

#include <initializer_list>
#include <map>
#include <utility>

#include "common/obs/metrics.hpp"

namespace fixkeep::master {
namespace {

constexpr std::string_view no_mode = "unknown";

void add_outcomes(const MatchStatistics& matches, obs::MetricsPage& page) {
  constexpr std::string_view name = "master_match_requests";
  constexpr std::string_view help = "Match requests that have ended, by how.";
  for (const auto& of_mode : matches.modes()) {
    for (const auto& [outcome, count] : of_mode.outcomes) {
      page.counter(name, help, count, {{"mode", of_mode.mode.text()}, {"outcome", outcome}});
    }
  }
  for (const auto& [outcome, count] : matches.of_no_mode()) {
    page.counter(name, help, count, {{"mode", no_mode}, {"outcome", outcome}});
  }
}

void add_durations(const MatchStatistics& matches, obs::MetricsPage& page) {
  const auto add = [&](const ModeName& mode, std::string_view outcome,
                       const DurationHistogram& took) {
    page.histogram("master_match_duration", "Time from a match request to its end.", took,
                   {{"mode", mode.text()}, {"outcome", outcome}});
  };
  for (const auto& of_mode : matches.modes()) {
    add(of_mode.mode, "seated", of_mode.seated);
    add(of_mode.mode, "refused", of_mode.refused);
    add(of_mode.mode, "cancelled", of_mode.cancelled);
  }
}

void add_matching(const MetricsFacts& facts, obs::MetricsPage& page) {
  add_outcomes(facts.matches, page);
  add_durations(facts.matches, page);
  for (const auto& of_mode : facts.matches.modes()) {
    page.gauge("master_match_requests_waiting", "Match requests that wait now.",
               static_cast<double>(of_mode.waiting), {{"mode", of_mode.mode.text()}});
  }
  page.gauge("master_match_oldest_waiting_seconds", "How long the oldest of them has waited.",
             std::chrono::duration<double>{facts.oldest_waits.value_or(Duration{0})}.count());
  for (const auto& [cause, count] : facts.callers_refused) {
    page.counter("master_callers_refused", "Requests without a valid token or key, by cause.",
                 count, {{"cause", cause}});
  }
  const auto& counters = facts.counters;
  page.counter("master_match_seats_repeated",
               "Matches answered with a seat that the player already had.",
               counters.same_seat_again);
  page.counter("master_seat_requests", "Messages that asked a worker for seats.",
               counters.seat_requests);
  page.counter("master_seat_claims", "Claims in these messages.", counters.claims_sent);
  page.histogram("master_seat_reply", "Time from asking a worker for seats to its reply.",
                 counters.seat_replies);
}

// A metrics page lists all series of one name together, so there is one loop over the modes for
// each name.
void add_shadows(const std::map<ModeName, ShadowCounts>& shadows, obs::MetricsPage& page) {
  for (const auto& [mode, counts] : shadows) {
    page.counter("master_shadow_plans", "Plans with the shadow rules of a mode.", counts.plans,
                 {{"mode", mode.text()}});
  }
  for (const auto& [mode, counts] : shadows) {
    page.counter("master_shadow_plans_unfinished",
                 "Plans of the shadow rules that left out claims.", counts.unfinished,
                 {{"mode", mode.text()}});
  }
  for (const auto& each : shadows) {
    const ModeName& mode = each.first;
    const ShadowCounts& counts = each.second;
    const auto add = [&](std::string_view when, std::uint64_t count) {
      page.counter("master_shadow_claims",
                   "Claims that the live rules seated, by when the shadow rules had done so.",
                   count, {{"mode", mode.text()}, {"shadow", when}});
    };
    add("earlier", counts.earlier);
    add("same-decision", counts.same_decision);
    add("not-yet", counts.not_yet);
  }
  for (const auto& [mode, counts] : shadows) {
    constexpr std::string_view help = "Time from a request to the decision that seats it.";
    constexpr std::string_view name = "master_shadow_wait";
    page.histogram(name, help, counts.live.waited, {{"mode", mode.text()}, {"rules", "live"}});
    page.histogram(name, help, counts.shadow.waited, {{"mode", mode.text()}, {"rules", "shadow"}});
  }
  for (const auto& each : shadows) {
    const ModeName& mode = each.first;
    const ShadowCounts& counts = each.second;
    for (std::size_t n = 0; n < counts.numbers.size(); ++n) {
      const auto add = [&](std::string_view name, const ShadowCounts::Rules& rules) {
        page.counter("master_shadow_spread",
                     "Sum of the spreads of a number in the rooms of claims that both seated.",
                     rules.spread.at(n),
                     {{"mode", mode.text()}, {"rules", name}, {"number", counts.numbers[n]}});
      };
      add("live", counts.live);
      add("shadow", counts.shadow);
    }
  }
}

std::string_view label_of(Misdeed misdeed) {
  switch (misdeed) {
    case Misdeed::silent: return "silent";
    case Misdeed::breaks_protocol: return "breaks-protocol";
    case Misdeed::refuses_promises: return "refuses-promises";
    case Misdeed::rooms_never_open: return "rooms-never-open";
    case Misdeed::refuses_orders: return "refuses-orders";
    case Misdeed::comes_and_goes: return "comes-and-goes";
    case Misdeed::rooms_fail: return "rooms-fail";
  }
  return "?";
}

void add_spawning(const MetricsFacts& facts, obs::MetricsPage& page) {
  const auto& counters = facts.counters;
  page.counter("master_fences", "Fences before an order.", counters.fences);
  page.counter("master_fence_restarts", "Fences that had to start over.", counters.fence_restarts);
  page.counter("master_rooms_ordered", "Rooms ordered from workers.", counters.spawns_ordered);
  page.counter("master_room_orders_refused", "Orders that came too late and were refused.",
               counters.spawns_refused);
  for (const auto& of_mode : facts.matches.modes()) {
    const auto counted = facts.duplicates.find(of_mode.mode);
    page.counter("master_duplicate_rooms",
                 "Rooms ordered by this master that were not needed; a lower bound.",
                 counted == facts.duplicates.end() ? 0 : counted->second,
                 {{"mode", of_mode.mode.text()}});
  }
  page.counter("master_room_boots_failed", "Rooms that did not come up, as this master saw it.",
               counters.boots_failed);
  page.counter("master_warm_rooms_ordered", "Rooms ordered before a group needed them.",
               counters.warm_ordered);
  page.counter("master_warm_rooms_closed",
               "Rooms without a group closed since there were too many.", counters.warm_closed);
  for (std::size_t i = 0; i < counters.quarantines.size(); ++i) {
    page.counter("master_worker_quarantines", "Times that a worker was left out for a while.",
                 counters.quarantines[i], {{"reason", label_of(static_cast<Misdeed>(i))}});
  }
  page.gauge("master_workers_quarantined", "Workers that are left out now.",
             static_cast<double>(facts.quarantined));
}

void add_locks(const MetricsFacts& facts, obs::MetricsPage& page) {
  const auto& locks = facts.locks;
  page.gauge("master_joined", "1 once this master may acquire locks.", facts.joined ? 1 : 0);
  page.gauge("master_masters_connected", "Other masters with a link to this one.",
             static_cast<double>(facts.masters_up));
  page.counter("master_lock_acquisitions", "Locks granted to this master.", locks.acquisitions);
  constexpr std::string_view lost = "master_lock_losses";
  constexpr std::string_view why = "Locks that were not granted, or not to the end, and why.";
  page.counter(lost, why, locks.abandons, {{"reason", "not-needed"}});
  page.counter(lost, why, locks.wait_timeouts, {{"reason", "wait-timeout"}});
  page.counter(lost, why, locks.lease_timeouts, {{"reason", "lease-timeout"}});
  page.counter(lost, why, locks.engine_failures, {{"reason", "server-away"}});
  page.counter("master_lock_messages_sent", "Lock messages sent to other masters.",
               locks.messages_sent);
  page.counter("master_lock_sent_bytes", "Bytes of these messages.", locks.bytes_sent);
  page.histogram("master_lock_wait", "Time from asking for a lock to having it.", locks.waits);
  page.histogram("master_lock_hold", "Time from having a lock to giving it back.", locks.holds);
}

void add_engine(const EngineFacts& engine, obs::MetricsPage& page) {
  const auto& seen = engine.statistics;
  page.gauge("master_lock_server_ready", "1 while enough of lock.servers answer.",
             engine.ready ? 1 : 0);
  page.counter("master_lock_server_requests", "Requests to lock.servers.", seen.requests_sent);
  page.counter("master_lock_server_replies", "Their replies.", seen.replies_received);
  page.counter("master_lock_server_sent_bytes", "Bytes to lock.servers.", seen.bytes_sent);
  page.counter("master_lock_server_received_bytes", "Bytes from lock.servers.",
               seen.bytes_received);
  constexpr std::string_view failures = "master_lock_server_failures";
  constexpr std::string_view why = "Requests and connections that came to nothing.";
  page.counter(failures, why, seen.failures_unreachable, {{"kind", "unreachable"}});
  page.counter(failures, why, seen.failures_timeout, {{"kind", "timeout"}});
  page.counter(failures, why, seen.failures_refused, {{"kind", "refused"}});
  page.counter("master_lock_server_connections_lost", "Servers that went away.",
               seen.connections_lost);
  page.counter("master_lock_server_reconnects", "Servers that came back.", seen.reconnects);
  page.counter("master_lock_server_locks_lost", "Locks lost while they were held.",
               seen.locks_lost);
}

template <class Value>
void add_by_mode(const TotalSight& seen, std::string_view name, std::string_view help,
                 std::string_view label,
                 std::initializer_list<std::pair<std::string_view, Value>> values,
                 obs::MetricsPage& page) {
  for (const auto& [mode, totals] : seen.modes) {
    for (const auto& [of, value] : values) {
      page.gauge(name, help, static_cast<double>(value(totals)),
                 {{"mode", mode.text()}, {label, of}});
    }
  }
}

void add_cluster(const TotalSight& seen, obs::MetricsPage& page) {
  using Value = std::uint64_t (*)(const ModeTotals&);
  page.gauge("master_workers", "Workers with a link to this master.",
             static_cast<double>(seen.workers));
  add_by_mode<Value>(seen, "master_rooms", "Rooms that this master knows, of all workers.", "phase",
                     {{"starting", [](const ModeTotals& mode) { return mode.rooms[0]; }},
                      {"open", [](const ModeTotals& mode) { return mode.rooms[1]; }},
                      {"draining", [](const ModeTotals& mode) { return mode.rooms[2]; }}},
                     page);
  add_by_mode<Value>(seen, "master_seats", "Seats of these rooms.", "state",
                     {{"free", [](const ModeTotals& mode) { return mode.free(); }},
                      {"closed", [](const ModeTotals& mode) { return mode.closed; }},
                      {"reserved", [](const ModeTotals& mode) { return mode.reserved; }},
                      {"occupied", [](const ModeTotals& mode) { return mode.occupied; }},
                      {"unknown", [](const ModeTotals& mode) { return mode.unknown; }}},
                     page);
  for (const auto& [mode, totals] : seen.modes) {
    page.gauge("master_rooms_warm", "Rooms that are kept ready and have no group yet.",
               static_cast<double>(totals.warm), {{"mode", mode.text()}});
  }
}

}  // namespace

sync::LockResult<std::string> metrics_page(const MetricsFacts& facts, const DirectoryView& view) {
  const auto totals = view.totals();
  if (!totals) return totals.error();
  obs::MetricsPage page;
  add_matching(facts, page);
  add_shadows(facts.counters.shadows, page);
  add_spawning(facts, page);
  add_locks(facts, page);
  if (facts.engine) add_engine(*facts.engine, page);
  add_cluster(*totals, page);
  page.counter("master_view_updates_deferred", "Updates of page data that waited for a reader.",
               facts.view_put_off);
  page.counter("master_spans_exported", "Spans that the collector has taken.",
               facts.spans.exported);
  constexpr std::string_view dropped = "master_spans_dropped";
  constexpr std::string_view why = "Spans that were lost, and why.";
  page.counter(dropped, why, facts.spans.dropped_queue_full, {{"reason", "queue-full"}});
  page.counter(dropped, why, facts.spans.dropped_by_collector, {{"reason", "collector"}});
  page.counter("master_webhook_delivered", "Events that the webhook has taken.",
               facts.webhook.delivered);
  page.counter("master_webhook_failures", "Posts that the webhook has not taken.",
               facts.webhook.failures);
  page.counter("master_webhook_dropped", "Events that were lost: too many waited.",
               facts.webhook.dropped);
  page.gauge("master_webhook_waiting", "Events that wait for the webhook.",
             static_cast<double>(facts.webhook.waiting));
  node::add_links(facts.links, page);
  node::add_listeners(facts.listeners, page);
  page.process();
  return page.render();
}

}  // namespace fixkeep::master
