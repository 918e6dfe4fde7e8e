#include "worker/shell/settings.hpp"

#include <algorithm>
#include <cctype>

#include "common/config/listening.hpp"
#include "common/config/sections.hpp"
#include "common/config/suggestion.hpp"
#include "common/obs/version.hpp"
#include "common/process/program.hpp"
#include "common/process/self.hpp"

namespace fixkeep::worker {
namespace {

using config::CrossCheck;
using config::Document;
using config::Json;
using config::Problems;

// Every key that is one field, in both directions.
template <class Fields>
void visit(const Fields& fields, Settings& settings, std::string& id, std::string& zone) {
  config::visit_links(fields, settings.links);
  config::visit_http(fields, settings.http);
  auto& core = settings.core;
  fields("worker.id", id);
  fields("worker.zone", zone);
  fields("worker.address", core.address);
  fields("rooms.limit", core.room_limit);
  fields("rooms.ports.first", core.first_port);
  fields("rooms.ports.last", core.last_port);
  fields("rooms.memory_mb", core.memory_mb);
  fields("rooms.reservation_ms", core.reservation);
  fields("rooms.close_empty_after_ms", core.close_empty_after);
  fields("rooms.promise_memory_ms", core.promise_memory);
  fields("rooms.output.folder", settings.output.folder);
  fields("rooms.output.file_bytes", settings.output.file_bytes);
  fields("rooms.output.kept_rooms", settings.output.kept_rooms);
  fields("events.keep", settings.events_kept);
  fields.choice("log.level", settings.log.level, obs::parse_log_level);
  fields("log.file", settings.log.file);
  fields.choice("log.format", settings.log.format, obs::parse_log_format);
}

template <class Fields>
void visit_mode(const Fields& fields, ModeOptions& mode) {
  fields("boot_timeout_ms", mode.boot_timeout);
  fields("stop_grace_ms", mode.stop_grace);
  fields("memory_mb", mode.memory_mb);
}

Counters::Map read_counters(const Json& counters) {
  Counters::Map read;
  for (const auto& [name, counter] : counters.items()) {
    read[name] = {.count = counter.at("count"), .capacity = counter.at("capacity")};
  }
  return read;
}

Lists::Map read_lists(const Json& lists) {
  Lists::Map read;
  for (const auto& [name, list] : lists.items()) {
    read[name] = {.capacity = list.at("capacity"), .values = list.at("values")};
  }
  return read;
}

Json shown_command(const GameCommand& command) {
  Json mode{{"name", command.mode.text()},
            {"command", command.command},
            {"environment", command.environment},
            {"counters", Json::object()},
            {"lists", Json::object()}};
  for (const auto& [name, counter] : command.counters) {
    mode["counters"][name] = {{"count", counter.count}, {"capacity", counter.capacity}};
  }
  for (const auto& [name, list] : command.lists) {
    mode["lists"][name] = {{"capacity", list.capacity}, {"values", list.values}};
  }
  return mode;
}

// --- checks across fields -----------------------------------------------------------------------

void check_ports(const Document& document, Problems& problems) {
  CrossCheck check{document, problems};
  if (!check.can_judge({"rooms.ports.first", "rooms.ports.last"})) return;
  const auto first = check.number("rooms.ports.first");
  const auto last = check.number("rooms.ports.last");
  if (first <= last) return;
  check.report("rooms.ports.last", "must be at least rooms.ports.first (" + std::to_string(first) +
                                       "), is " + std::to_string(last));
}

void check_output(const Document& document, Problems& problems) {
  constexpr std::int64_t least_bytes = 65536;  // smaller ones would be moved at each look
  CrossCheck check{document, problems};
  if (!check.can_judge({"rooms.output.file_bytes"})) return;
  const auto bytes = check.number("rooms.output.file_bytes");
  if (bytes == 0 || bytes >= least_bytes) return;
  check.report("rooms.output.file_bytes", "must be 0 or at least " + std::to_string(least_bytes) +
                                              ", is " + std::to_string(bytes));
}

bool is_variable_name(const std::string& name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return c < 0x80 && (std::isalnum(c) != 0 || c == '_');
         });
}

bool has_nul(const Json& value) {
  return value.is_string() && value.get_ref<const std::string&>().find('\0') != std::string::npos;
}

// A word in braces that the worker does not know is a mistake in a name that it does know. Other
// text in braces, such as JSON, is no placeholder.
std::vector<std::string> unknown_placeholders(const std::string& argument) {
  std::vector<std::string> unknown;
  for (auto open = argument.find('{'); open != std::string::npos;
       open = argument.find('{', open + 1)) {
    const auto close = argument.find_first_of("{}", open + 1);
    if (close == std::string::npos || argument[close] != '}') continue;
    const auto word = argument.substr(open + 1, close - open - 1);
    const auto& known = placeholders();
    if (is_variable_name(word) && std::find(known.begin(), known.end(), word) == known.end()) {
      unknown.push_back(word);
    }
  }
  return unknown;
}

void check_placeholders(const std::string& key, const std::string& argument, CrossCheck& check) {
  for (const auto& word : unknown_placeholders(argument)) {
    std::string known;
    for (const auto& name : placeholders()) known += (known.empty() ? "{" : ", {") + name + "}";
    check.report(key, "has the unknown placeholder {" + word + "}" +
                          config::suggestion(word, placeholders()) + " (known: " + known +
                          "; other text in braces goes into the environment)");
  }
}

// What the operating system could not pass to a process.
void check_commands(const Document& document, Problems& problems) {
  CrossCheck check{document, problems};
  const Json* modes = config::find(document.root(), "modes");
  if (modes == nullptr || !modes->is_array()) return;
  for (std::size_t m = 0; m < modes->size(); ++m) {
    const std::string mode = config::entry_key("modes", m);
    if (check.can_judge({mode + ".environment"})) {
      for (const auto& [name, value] : (*modes)[m].at("environment").items()) {
        const std::string key = config::member_key(mode + ".environment", name);
        if (!is_variable_name(name)) {
          check.report(key, "must be named with letters, digits and \"_\", not a digit first");
        } else if (name.starts_with("FIXKEEP_")) {
          check.report(key, "must not begin with FIXKEEP_: these are set by the worker");
        } else if (has_nul(value)) {
          check.report(key, "must not contain a NUL character");
        }
      }
    }
    if (!check.can_judge({mode + ".command"})) continue;
    const Json& command = (*modes)[m].at("command");
    if (command[0].get_ref<const std::string&>().empty()) {
      check.report(mode + ".command[0]", "must name a program, is empty");
    }
    for (std::size_t i = 0; i < command.size(); ++i) {
      const auto key = config::entry_key(mode + ".command", i);
      if (has_nul(command[i])) check.report(key, "must not contain a NUL character");
      check_placeholders(key, command[i].get_ref<const std::string&>(), check);
    }
  }
}

// What --check looks at beyond the configuration: this machine.
void check_machine(const Document& document, Problems& problems) {
  CrossCheck check{document, problems};
  const Json* modes = config::find(document.root(), "modes");
  for (std::size_t m = 0; modes != nullptr && modes->is_array() && m < modes->size(); ++m) {
    const std::string key = config::entry_key("modes", m) + ".command[0]";
    if (!check.can_judge({key})) continue;
    const auto& program = (*modes)[m].at("command")[0].get_ref<const std::string&>();
    if (program.find('{') != std::string::npos) continue;  // known when a room is ordered
    const auto found = process::find_program(program, process::program_folders());
    if (!found.path.empty()) continue;
    check.report(
        key, "must name a program that can be executed, is \"" + program + "\": " + found.problem);
  }
  if (!check.can_judge({"http.address", "http.port"}) || check.number("http.port") == 0) return;
  const auto& address =
      config::find(document.root(), "http.address")->get_ref<const std::string&>();
  config::check_listening(document, "http.port", address,
                          static_cast<std::uint16_t>(check.number("http.port")), problems);
}

}  // namespace

const std::vector<std::string>& placeholders() {
  static const std::vector<std::string> names{"port", "room", "group", "mode", "capacity"};
  return names;
}

Settings read_settings(const Document& document, std::string secret) {
  Settings settings;
  std::string id;
  std::string zone;
  visit(config::FieldReader{document.root()}, settings, id, zone);
  settings.core.self = WorkerId{id};
  settings.core.zone = ZoneName{zone};
  settings.links.secret = std::move(secret);
  settings.core.record_events = settings.events_kept > 0;
  settings.links.self = {net::Role::worker, id, {}};
  settings.log.node = id;
  for (const auto& entry : document.root().at("masters")) {
    const MasterId master{entry.at("id").get<std::uint16_t>()};
    settings.masters.push_back(
        {master, *config::parse_address(entry.at("address").get<std::string>())});
    settings.links.known_masters.push_back(to_string(master));
  }
  for (const auto& entry : document.root().at("modes")) {
    ModeOptions mode;
    mode.name = ModeName{entry.at("name").get<std::string>()};
    visit_mode(config::FieldReader{entry}, mode);
    settings.core.modes.push_back(mode);
    settings.commands.push_back({mode.name, entry.at("command").get<std::vector<std::string>>(),
                                 entry.at("environment").get<std::map<std::string, std::string>>(),
                                 read_counters(entry.at("counters")),
                                 read_lists(entry.at("lists"))});
  }
  return settings;
}

std::variant<Settings, Problems> load_settings(const config::CommandLine& line,
                                               const std::vector<std::string>& variables) {
  static const config::Schema schema{settings_schema()};
  Problems problems;
  const auto document = config::load_document(line, variables, schema, problems);
  if (!document) return problems;
  std::string secret = load_secret(*document, problems);
  check_unique(*document, "masters", "id", problems);
  check_unique(*document, "masters", "address", problems);
  check_addresses(*document, "masters", problems);
  check_unique(*document, "modes", "name", problems);
  check_links(*document, problems);
  check_ports(*document, problems);
  check_output(*document, problems);
  check_commands(*document, problems);
  if (line.check) check_machine(*document, problems);
  if (!problems.empty()) {
    sort(problems);
    return problems;
  }
  return read_settings(*document, std::move(secret));
}

Json to_json(const Settings& settings) {
  Json shown = Json::object();
  Settings copy = settings;
  std::string id = settings.core.self.text();
  std::string zone = settings.core.zone.text();
  visit(config::FieldWriter{shown}, copy, id, zone);
  shown["masters"] = Json::array();
  for (const auto& master : settings.masters) {
    shown["masters"].push_back(
        {{"id", master.id.number()}, {"address", to_string(master.address)}});
  }
  shown["modes"] = Json::array();
  for (std::size_t i = 0; i < copy.core.modes.size(); ++i) {
    Json mode = shown_command(settings.commands[i]);
    visit_mode(config::FieldWriter{mode}, copy.core.modes[i]);
    shown["modes"].push_back(std::move(mode));
  }
  return shown;
}

config::Program<Settings> program() {
  return {"fixkeep-worker", "runs rooms, and says which of their seats are free", obs::version(),
          load_settings, to_json};
}

}  // namespace fixkeep::worker
