#include "ctl/cluster/actions.hpp"

#include <fmt/format.h>

#include "common/base/ids.hpp"
#include "common/base/percent.hpp"
#include "common/base/printable.hpp"

namespace fixkeep::ctl {
namespace {

using nlohmann::json;

constexpr int usual_match_ms = 30'000;

struct ActionOptions {
  Access access;
  std::string name;  // name of a room or worker
  int most_ms = 0;
  std::string mode;
  std::string player = "fixkeepctl";
  std::vector<std::string> attributes;
  std::vector<std::string> party;
  std::string players_url;
  std::string key_file;  // with the key of a service
  int wait_ms = usual_match_ms;
};

std::string path_of(const char* kind, const std::string& name, const char* call) {
  std::string path = fmt::format("/v1/{}/", kind);
  append_percent_encoded(name, "-._~", path);
  return path + "/" + call;
}

int act(const ActionOptions& options, const std::string& path, const std::string& done,
        std::ostream& out, std::ostream& err) {
  const auto body = options.most_ms > 0 ? json{{"most_ms", options.most_ms}}.dump() : "";
  const auto said = post_to_any(options.access, path, body);
  if (!said.problem.empty()) return fail(err, said.problem);
  out << (options.access.json ? said.body : done) << '\n';
  return 0;
}

int drain(const ActionOptions& options, std::ostream& out, std::ostream& err) {
  if (parse_room_id(options.name)) {
    return act(options, path_of("rooms", options.name, "drain"),
               options.name + " takes no more players, and closes when it is empty", out, err);
  }
  return act(options, path_of("workers", options.name, "drain"),
             options.name + " starts no more rooms; those that it has close when they are empty",
             out, err);
}

int resume(const ActionOptions& options, std::ostream& out, std::ostream& err) {
  return act(options, path_of("workers", options.name, "resume"),
             options.name + " takes orders again", out, err);
}

int close(const ActionOptions& options, std::ostream& out, std::ostream& err) {
  return act(options, path_of("rooms", options.name, "close"), options.name + " closes", out, err);
}

int log(const ActionOptions& options, std::ostream& out, std::ostream& err) {
  const auto said = get_from_any(options.access, path_of("rooms", options.name, "log"));
  if (!said.problem.empty()) return fail(err, said.problem);
  if (options.access.json) {
    const json shown{{"room_id", options.name}, {"log", said.body}};
    out << shown.dump(2, ' ', false, json::error_handler_t::replace) << '\n';
    return 0;
  }
  std::string_view rest = said.body;
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    out << printable(rest.substr(0, end)) << '\n';
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return 0;
}

// Returns the JSON value of an attribute: a number if the text is a number, because bands need
// numbers; otherwise the text.
json value_of(const std::string& text) {
  const auto number = json::parse(text, nullptr, false);
  return number.is_number() ? number : json(text);
}

// Returns a request as clients send it.
std::string request_of(const ActionOptions& options) {
  json request{{"mode", options.mode},
               {"player_id", options.player},
               {"attributes", json::object()},
               {"wait_ms", options.wait_ms}};
  for (const std::string& attribute : options.attributes) {
    const auto sign = attribute.find('=');
    if (sign == std::string::npos || sign == 0) {
      throw CLI::ValidationError{"\"" + printable(attribute) +
                                 "\" is no attribute: it has to be like region=eu"};
    }
    request["attributes"][attribute.substr(0, sign)] = value_of(attribute.substr(sign + 1));
  }
  if (!options.party.empty()) request["party"] = options.party;
  return request.dump(-1, ' ', false, json::error_handler_t::replace);
}

// Returns the URL at which a master listens for players. `access` names the operators' listener of
// this master.
std::string players_url_of(const Access& access, std::string& problem) {
  const auto nodes = nodes_of(access);
  const auto node = json_from_any(access, "/v1/node", problem);
  if (!problem.empty()) return {};
  if (node.value("role", "") != "master") {
    problem = "a worker has no seats to give: name a master with --admin";
    return {};
  }
  const json http = node["configuration"].value("http", json::object());
  const json tls = http.value("tls", json::object());
  NodeUrl url{.host = http.value("address", ""),
              .port = http.value("port", std::uint16_t{0}),
              .https = !tls.value("certificate", "").empty()};
  const bool is_any = url.host == "0.0.0.0" || url.host == "::" || url.host.empty();
  if (is_any) url.host = std::get<0>(nodes).front().url().host;
  return to_string(url);
}

int match(const ActionOptions& options, std::ostream& out, std::ostream& err) {
  constexpr int patience_ms = 5'000;
  std::string problem;
  const auto body = request_of(options);
  const auto url =
      options.players_url.empty() ? players_url_of(options.access, problem) : options.players_url;
  if (!problem.empty()) return fail(err, problem);
  // A listener for players must not learn the operators' token.
  const Access players{.admin = {url},
                       .token_file = options.key_file,
                       .sends_token = !options.key_file.empty(),
                       .authority = options.access.authority,
                       .timeout_ms = options.wait_ms + patience_ms};
  auto said = post_to_any(players, "/v1/match", body);
  constexpr unsigned unauthorized = 401;
  if (said.status == unauthorized) {
    said.problem = url + " answers 401: give a file with the key of a service: --key-file FILE";
  }
  const auto seat = parsed(said, problem);
  if (!problem.empty()) return fail(err, problem);
  if (options.access.json) {
    out << seat.dump(2) << '\n';
    return 0;
  }
  const auto text = [&](const char* key) { return printable(seat.value(key, "")); };
  out << fmt::format("a seat in {} at {}:{}, group {}, for {}\n", text("room_id"), text("address"),
                     seat.value("port", 0), text("group"), printable(options.player));
  return 0;
}

}  // namespace

void add_actions(CLI::App& app, Run& run) {
  const auto options = std::make_shared<ActionOptions>();
  const auto most = [&](CLI::App* command) {
    command
        ->add_option("--most-ms", options->most_ms, "longest drain; without it until it is empty")
        ->check(CLI::Range(1, 86'400'000))
        ->default_str("");
  };
  const auto named = [&](const char* name, const char* purpose, auto command, const char* what) {
    CLI::App* const made = add_command(app, run, options, name, purpose, command);
    made->add_option(what, options->name, "its name, as the lists have it")->required();
    return made;
  };
  most(named("drain", "closes a room, or all rooms of a worker, to new players", drain,
             "ROOM-or-WORKER"));
  named("resume", "lets a drained worker take orders again", resume, "WORKER");
  named("close", "ends a room now, and the games in it", close, "ROOM");
  named("log", "shows what a room's game wrote last", log, "ROOM");

  CLI::App* const made =
      add_command(app, run, options, "match", "asks for a seat as a player does, to try", match);
  made->add_option("MODE", options->mode, "the mode to play")->required();
  made->add_option("ATTRIBUTES", options->attributes, "attributes of the mode: region=eu")
      ->default_str("");
  made->add_option("--player", options->player, "the player's id");
  made->add_option("--party", options->party, "other players of the same party")
      ->delimiter(',')
      ->default_str("");
  made->add_option("--players", options->players_url, "URL for players; default: from the master")
      ->type_name("URL");
  made->add_option("--key-file", options->key_file,
                   "file with a service's key, if players need one")
      ->type_name("FILE");
  made->add_option("--wait-ms", options->wait_ms, "how long to wait for a seat")
      ->check(CLI::Range(1, 600'000));
}

}  // namespace fixkeep::ctl
