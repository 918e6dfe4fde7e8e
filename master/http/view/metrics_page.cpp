#include "master/http/view/metrics_page.hpp"

#include "common/obs/metrics.hpp"

namespace fixkeep::master {
namespace {

void add_matching(const MetricsFacts& facts, obs::MetricsPage& page) {
  const auto& counters = facts.counters;
  page.counter("matches_requested", "Match requests taken", counters.requested);
  page.counter("matches_seated", "Match requests answered with a seat", counters.seated);
  page.counter("matches_refused", "Match requests answered with an error", counters.refused);
  page.counter("matches_cancelled", "Match requests whose client hung up", counters.cancelled);
  page.counter("matches_repeated", "Matches answered with a seat that the player already had",
               counters.same_seat_again);
  page.gauge("matches_waiting", "Match requests that wait now", static_cast<double>(facts.waiting));
  page.counter("seat_requests", "Messages that asked a worker for seats", counters.seat_requests);
  page.counter("seat_claims", "Claims in these messages", counters.claims_sent);
}

std::string_view label_of(Misdeed misdeed) {
  switch (misdeed) {
    case Misdeed::silent: return "silent";
    case Misdeed::breaks_protocol: return "breaks-protocol";
    case Misdeed::refuses_promises: return "refuses-promises";
    case Misdeed::rooms_never_open: return "rooms-never-open";
    case Misdeed::refuses_orders: return "refuses-orders";
    case Misdeed::rooms_fail: return "rooms-fail";
  }
  return "?";
}

void add_spawning(const MetricsFacts& facts, obs::MetricsPage& page) {
  const auto& counters = facts.counters;
  page.counter("fences", "Fences before a spawn", counters.fences);
  page.counter("fence_restarts", "Fences that had to start over", counters.fence_restarts);
  page.counter("spawns_ordered", "Rooms ordered from workers", counters.spawns_ordered);
  page.counter("spawns_refused", "Orders that came too late and were refused",
               counters.spawns_refused);
  page.counter("warm_rooms_ordered", "Rooms ordered before a group needed them",
               counters.warm_ordered);
  page.counter("warm_rooms_closed", "Rooms without a group closed since there were too many",
               counters.warm_closed);
  for (std::size_t i = 0; i < counters.quarantines.size(); ++i) {
    page.counter("worker_quarantines", "Times that a worker was left out for a while",
                 counters.quarantines[i],
                 {{"reason", std::string{label_of(static_cast<Misdeed>(i))}}});
  }
  page.gauge("workers_quarantined", "Workers that are left out now",
             static_cast<double>(facts.quarantined));
  page.counter("boots_failed", "Rooms that did not come up", counters.boots_failed);
}

void add_locks(const MetricsFacts& facts, obs::MetricsPage& page) {
  const auto& locks = facts.locks;
  page.gauge("joined", "1 once this master may acquire locks", facts.joined ? 1 : 0);
  page.counter("lock_acquisitions", "Locks granted to this master", locks.acquisitions);
  page.counter("lock_abandons", "Locks given up while waiting", locks.abandons);
  page.counter("lock_wait_timeouts", "Locks not granted in time", locks.wait_timeouts);
  page.counter("lock_lease_timeouts", "Locks held for too long", locks.lease_timeouts);
  page.counter("lock_messages_sent", "Lock messages sent to other masters", locks.messages_sent);
  page.counter("lock_bytes_sent", "Bytes of these messages", locks.bytes_sent);
  page.histogram("lock_wait", "Time from asking for a lock to having it", locks.wait_us_histogram);
  page.histogram("lock_hold", "Time from having a lock to giving it back", locks.hold_us_histogram);
}

void add_engine(const EngineFacts& engine, obs::MetricsPage& page) {
  const auto& seen = engine.statistics;
  page.gauge("lock_server_ready", "1 while enough of lock.servers answer", engine.ready ? 1 : 0);
  page.counter("lock_server_requests", "Requests to lock.servers", seen.requests_sent);
  page.counter("lock_server_replies", "Their replies", seen.replies_received);
  page.counter("lock_server_bytes_sent", "Bytes to lock.servers", seen.bytes_sent);
  page.counter("lock_server_bytes_received", "Bytes from lock.servers", seen.bytes_received);
  constexpr std::string_view failures = "lock_server_failures";
  constexpr std::string_view why = "Requests and connections that came to nothing";
  page.counter(failures, why, seen.failures_unreachable, {{"kind", "unreachable"}});
  page.counter(failures, why, seen.failures_timeout, {{"kind", "timeout"}});
  page.counter(failures, why, seen.failures_refused, {{"kind", "refused"}});
  page.counter("lock_server_connections_lost", "Servers that went away", seen.connections_lost);
  page.counter("lock_server_reconnects", "Servers that came back", seen.reconnects);
  page.counter("lock_server_locks_lost", "Locks lost while they were held", seen.locks_lost);
}

void add_cluster(const TotalSight& seen, obs::MetricsPage& page) {
  page.gauge("workers", "Workers with a link to this master", static_cast<double>(seen.workers));
  page.gauge("rooms", "Rooms in the directory", static_cast<double>(seen.rooms.rooms));
  for (const auto& [mode, rooms] : seen.rooms.warm) {
    page.gauge("rooms_warm", "Rooms that are kept ready and have no group yet",
               static_cast<double>(rooms), {{"mode", mode.text()}});
  }
  page.gauge("seats", "Seats of these rooms", static_cast<double>(seen.rooms.seats));
  page.gauge("seats_taken", "Seats that are reserved or occupied",
             static_cast<double>(seen.rooms.taken));
}

void add_links(const net::LinkCounters& links, obs::MetricsPage& page) {
  if (links.certificate_expires_s > 0) {
    page.gauge("certificate_expires_timestamp_seconds", "When the certificate of links ends",
               static_cast<double>(links.certificate_expires_s));
  }
  page.counter("link_frames_sent", "Frames sent over links", links.frames_sent);
  page.counter("link_frames_received", "Frames received over links", links.frames_received);
  page.counter("link_bytes_sent", "Bytes sent over links", links.bytes_sent);
  page.counter("link_bytes_received", "Bytes received over links", links.bytes_received);
  page.counter("link_writes", "Writes to links; frames per write is the natural batch",
               links.writes);
  page.counter("link_handshakes_failed", "Handshakes that failed", links.handshakes_failed);
}

}  // namespace

sync::LockResult<std::string> metrics_page(const MetricsFacts& facts, const DirectoryView& view) {
  const auto totals = view.totals();
  if (!totals) return totals.error();
  obs::MetricsPage page;
  add_matching(facts, page);
  add_spawning(facts, page);
  add_locks(facts, page);
  if (facts.engine) add_engine(*facts.engine, page);
  add_cluster(*totals, page);
  add_links(facts.links, page);
  page.gauge("http_connections", "Open HTTP connections",
             static_cast<double>(facts.http_connections));
  if (const auto ends = facts.http_certificate_expires_at) {
    page.gauge("http_certificate_expires_timestamp_seconds", "When the certificate of HTTPS ends",
               static_cast<double>(ends->time_since_epoch().count()));
  }
  page.counter("view_put_off", "Turns whose news waited because somebody was looking",
               facts.view_put_off);
  page.process();
  return page.render();
}

}  // namespace fixkeep::master
