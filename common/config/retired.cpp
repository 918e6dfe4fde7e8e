#include "common/config/retired.hpp"

#include <algorithm>
#include <array>

namespace fixkeep::config {
namespace {

constexpr std::string_view follows = "it follows from network.round_trip_ms";
constexpr std::string_view header = "it is 8192";
constexpr std::string_view body = "it is 65536";
constexpr std::string_view request_time = "it is 10000";

constexpr std::array table{
    RetiredKey{"admin.body_bytes", body},
    RetiredKey{"admin.connections", "it is 200"},
    RetiredKey{"admin.connections_per_address", "it is 100"},
    RetiredKey{"admin.header_bytes", header},
    RetiredKey{"admin.idle_timeout_ms", "it is 60000"},
    RetiredKey{"admin.request_timeout_ms", request_time},
    RetiredKey{"games[].alive_failures", "it is 3"},
    RetiredKey{"games[].cpu_weight", "each room has the same share of the CPU"},
    RetiredKey{"games[].hook.timeout_ms", "it is 60000"},
    RetiredKey{"games[].open_files", "a game has the limit of its worker"},
    RetiredKey{"games[].probes.*.accepted", "the game has to accept the connection"},
    RetiredKey{"games[].probes.*.bots_count", "bots are no players"},
    RetiredKey{"games[].probes.*.limit_ms", "it is 500, and 5000 for a command"},
    RetiredKey{"games[].probes.*.spacing_ms", "it is 50, and 1000 for a command"},
    RetiredKey{"http.allowed_headers", "pages of http.allowed_origins may send any header"},
    RetiredKey{"http.body_bytes", body},
    RetiredKey{"http.connections_per_address", "it is half of http.connections"},
    RetiredKey{"http.header_bytes", header},
    RetiredKey{"http.request_timeout_ms", request_time},
    RetiredKey{"identity.keys[].requests_burst", "it is ten times requests_per_s"},
    RetiredKey{"identity.keys[].waiting_requests", "it is 25000"},
    RetiredKey{"identity.tokens.leeway_ms", "it is 30000"},
    RetiredKey{"lock.idle_ms", "it is 60000"},
    RetiredKey{"lock.keys", "it is 100000"},
    RetiredKey{"lock.quorum", "it is grid"},
    RetiredKey{"lock.reply_ms", follows},
    RetiredKey{"lock.retry_ms", "it is 10"},
    RetiredKey{"lock.wait_ms", follows},
    RetiredKey{"matching.requests_per_client_burst",
               "it is ten times matching.requests_per_client_per_s"},
    RetiredKey{"matching.rooms_per_client_burst",
               "it is twice matching.rooms_per_client_per_minute"},
    RetiredKey{"matching.spawn_attempts", "it is 3"},
    RetiredKey{"matching.starting_rooms_per_client",
               "512 start at a time, or any number if matching.rooms_per_client_per_minute is off"},
    RetiredKey{"matching.starting_rooms_per_group", "it is 256"},
    RetiredKey{"matching.waiting_requests", "it is 50000"},
    RetiredKey{"matching.waiting_requests_per_group", "it is 20000"},
    RetiredKey{"matching.worker_settle_ms", follows},
    RetiredKey{"mesh.handshake_timeout_ms", follows},
    RetiredKey{"mesh.heartbeat_ms", "it is 250"},
    RetiredKey{"mesh.join_grace_ms", follows},
    RetiredKey{"mesh.links", "it is 1024"},
    RetiredKey{"mesh.pending_handshakes", "it is 64"},
    RetiredKey{"mesh.reconnect_first_ms", "it is 50"},
    RetiredKey{"mesh.reconnect_most_ms", "it is 1000"},
    RetiredKey{"mesh.send_queue_bytes", "it is 67108864"},
    RetiredKey{"modes[].rules.passes", "it is 3"},
    RetiredKey{"modes[].rules_shadow.passes", "it is 3"},
    RetiredKey{"ping.address", "it is all addresses of the machine"},
    RetiredKey{"rooms.boot_pause_most_ms", "it is 60000"},
    RetiredKey{"rooms.close_unclaimed_after_ms", "it is 10000"},
    RetiredKey{"rooms.kept_folders", "it is 100"},
    RetiredKey{"rooms.kubernetes.sdk.port", "it is 9359"},
    RetiredKey{"rooms.output",
               "games write to output in worker.state_folder, 1048576 bytes of each, and the files "
               "of the last 200 rooms are kept"},
    RetiredKey{"rooms.output.file_bytes", "it is 1048576"},
    RetiredKey{"rooms.output.folder", "it is output in worker.state_folder"},
    RetiredKey{"rooms.output.kept_rooms", "it is 200"},
    RetiredKey{"rooms.promise_memory_ms", "it is 600000"},
    RetiredKey{"rooms.users.last", "there is one user for each of rooms.limit rooms"},
    RetiredKey{"tracing.queue", "it is 2048"},
};

// True if `key` matches `pattern`: "[]" matches any index, "*" any name.
bool is_one_of(std::string_view pattern, std::string_view key) {
  for (const char c : pattern) {
    if (c == '*' || c == ']') {
      key.remove_prefix(std::min(key.find(c == '*' ? '.' : ']'), key.size()));
    }
    if (c == '*') continue;
    if (!key.starts_with(c)) return false;
    key.remove_prefix(1);
  }
  return key.empty();
}

}  // namespace

std::span<const RetiredKey> retired_keys() {
  return table;
}

std::optional<std::string> why_retired(std::string_view key) {
  const auto* const found = std::find_if(table.begin(), table.end(), [key](const auto& retired) {
    return is_one_of(retired.key, key);
  });
  if (found == table.end()) return {};
  return "is no longer a setting (" + std::string{found->now} + "): leave it out";
}

}  // namespace fixkeep::config
