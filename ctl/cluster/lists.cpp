#include "ctl/cluster/lists.hpp"

#include <fmt/format.h>

#include "ctl/cluster/table.hpp"

namespace fixkeep::ctl {
namespace {

using nlohmann::json;

constexpr std::size_t rooms_most = 10'000;
constexpr std::size_t page_rows = 1'000;

struct ListOptions {
  Access access;
  std::string mode;
  std::string worker;
  std::string group;
  std::string phase;
};

std::string text_of(const json& row, const char* key) {
  const auto found = row.find(key);
  if (found == row.end() || found->is_null()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

std::string words_of(const json& list) {
  std::string words;
  for (const auto& word : list) {
    if (!words.empty()) words += ", ";
    words += word.is_string() ? word.get<std::string>() : word.dump();
  }
  return words;
}

const json& rows_of(const json& page, const char* key) {
  static const json none = json::array();
  const auto found = page.find(key);
  return found != page.end() && found->is_array() ? *found : none;
}

std::string place_of(const json& room) {
  const auto port = text_of(room, "port");
  return port.empty() ? "not known yet" : text_of(room, "address") + ":" + port;
}

bool wanted(const json& room, const ListOptions& options) {
  const auto fits = [&](const char* key, const std::string& wanted) {
    return wanted.empty() || text_of(room, key) == wanted;
  };
  return fits("mode", options.mode) && fits("worker", options.worker) &&
         fits("group", options.group) && fits("phase", options.phase);
}

// Asks for all rooms and returns the rooms that match. Sets `cut_off` if the master has more rooms
// than `rooms_most`: the others were not read.
json all_rooms(const ListOptions& options, bool& cut_off, std::string& problem) {
  json rooms = json::array();
  std::string after;
  for (std::size_t seen = 0; seen < rooms_most;) {
    const auto page = json_from_any(options.access,
                                    fmt::format("/v1/rooms?limit={}{}", page_rows, after), problem);
    if (!problem.empty()) return rooms;
    const json& rows = rows_of(page, "rooms");
    seen += rows.size();
    for (const auto& room : rows) {
      if (wanted(room, options)) rooms.push_back(room);
    }
    const auto next = text_of(page, "next");
    if (next.empty()) return rooms;
    after = "&after=" + next;
  }
  cut_off = true;
  return rooms;
}

int list_rooms(const ListOptions& options, std::ostream& out, std::ostream& err) {
  std::string problem;
  bool cut_off = false;
  const auto rooms = all_rooms(options, cut_off, problem);
  if (!problem.empty()) return fail(err, problem);
  if (cut_off) err << fmt::format("fixkeepctl: only {} rooms were looked at\n", rooms_most);
  if (options.access.json) {
    out << json{{"rooms", rooms}}.dump(2) << '\n';
    return 0;
  }
  Table table{
      {"ROOM", "GROUP", "PHASE", "WORKER", "ZONE", "AT", ">PLAYING", ">RESERVED", ">SEATS"}};
  for (const auto& room : rooms) {
    table.add({text_of(room, "room_id"),
               room.value("group", json{}).is_null() ? "(warm)" : text_of(room, "group"),
               text_of(room, "phase"), text_of(room, "worker"), text_of(room, "zone"),
               place_of(room),
               room.value("occupied", json{0}).is_null() ? "unknown" : text_of(room, "occupied"),
               text_of(room, "reserved"), text_of(room, "capacity")});
  }
  table.print(out);
  return 0;
}

std::string state_of(const json& worker) {
  std::string state;
  for (const auto& pause : rows_of(worker, "paused")) {
    if (!state.empty()) state += "; ";
    state += text_of(pause, "mode") + " paused: " + text_of(pause, "cause");
    if (const auto reason = text_of(pause, "reason"); !reason.empty()) state += ", " + reason;
  }
  if (!state.empty()) return state;
  return text_of(worker, "headroom") == "0" ? "full" : "takes orders";
}

int list_workers(const ListOptions& options, std::ostream& out, std::ostream& err) {
  std::string problem;
  const auto page = json_from_any(options.access, "/v1/workers", problem);
  if (!problem.empty()) return fail(err, problem);
  if (options.access.json) {
    out << page.dump(2) << '\n';
    return 0;
  }
  Table table{{"WORKER", "ZONE", "ADDRESS", "MODES", ">ROOMS", ">ROOM FOR", ">LIMIT", "STATE"}};
  for (const auto& worker : rows_of(page, "workers")) {
    table.add({text_of(worker, "worker"), text_of(worker, "zone"), text_of(worker, "address"),
               words_of(rows_of(worker, "modes")), text_of(worker, "rooms"),
               text_of(worker, "headroom"), text_of(worker, "room_limit"), state_of(worker)});
  }
  for (const auto& worker : rows_of(page, "quarantined")) {
    table.add({text_of(worker, "worker"), "", "", "", "", "", "",
               fmt::format("left out for {} ms, since it {}: gets {}", text_of(worker, "left_ms"),
                           text_of(worker, "reason"), text_of(worker, "gets"))});
  }
  table.print(out);
  return 0;
}

int list_masters(const ListOptions& options, std::ostream& out, std::ostream& err) {
  std::string problem;
  const auto page = json_from_any(options.access, "/v1/masters", problem);
  if (!problem.empty()) return fail(err, problem);
  if (options.access.json) {
    out << page.dump(2) << '\n';
    return 0;
  }
  Table table{{"MASTER", "ADDRESS", "LINK"}};
  for (const auto& master : rows_of(page, "masters")) {
    const bool self = master.value("self", false);
    const bool joined = master.value("joined", json{}) == true;
    const char* const link = self ? (joined ? "this one" : "this one, joining the others")
                                  : (master.value("up", false) ? "up" : "away");
    table.add({text_of(master, "master"), text_of(master, "address"), link});
  }
  table.print(out);
  return 0;
}

int list_locks(const ListOptions& options, std::ostream& out, std::ostream& err) {
  std::string problem;
  const auto page = json_from_any(options.access, "/v1/locks", problem);
  if (!problem.empty()) return fail(err, problem);
  if (options.access.json) {
    out << page.dump(2) << '\n';
    return 0;
  }
  const auto seen = page.value("statistics", json::object());
  out << fmt::format("{}: {} acquired, {} given up, {} lost by time\n", text_of(page, "strategy"),
                     text_of(seen, "acquisitions"), text_of(seen, "abandons"),
                     text_of(seen, "lease_timeouts"));
  Table table{{"GROUP", "STATE", "TOKEN", ">FOR MS"}};
  for (const auto& lock : rows_of(page, "locks")) {
    table.add({text_of(lock, "group"), text_of(lock, "state"), text_of(lock, "token"),
               text_of(lock, "for_ms")});
  }
  table.print(out);
  return 0;
}

}  // namespace

void add_lists(CLI::App& app, Run& run) {
  const auto options = std::make_shared<ListOptions>();
  CLI::App* const rooms =
      add_command(app, run, options, "rooms", "rooms with their seats", list_rooms);
  rooms->add_option("--mode", options->mode, "only rooms of this mode");
  rooms->add_option("--worker", options->worker, "only rooms of this worker");
  rooms->add_option("--group", options->group, "only rooms of this player group");
  rooms->add_option("--phase", options->phase, "only rooms in this phase")
      ->check(CLI::IsMember({"starting", "open", "draining"}));
  add_command(app, run, options, "workers", "workers and their free capacity", list_workers);
  add_command(app, run, options, "masters", "masters, and the links to them", list_masters);
  add_command(app, run, options, "locks", "locks that a master wants or has", list_locks);
}

}  // namespace fixkeep::ctl
