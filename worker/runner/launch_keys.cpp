#include "worker/runner/launch_keys.hpp"

#include <csignal>

#include "common/process/self.hpp"

namespace fixkeep::worker {
namespace {

using config::Fields;
using config::self;

void describe_files(Fields& fields, std::vector<GameFile>& files) {
  std::map<std::string, std::vector<std::string>> lines_of;
  for (const GameFile& file : files) {
    auto& lines = lines_of[file.path];
    for (std::size_t at = 0; at < file.text.size(); at += lines.back().size() + 1) {
      lines.push_back(file.text.substr(at, file.text.find('\n', at) - at));
    }
  }
  fields.map("files", lines_of,
             "Text files that the worker writes into the room's own folder before the start: path "
             "and list of lines.",
             [&](std::vector<std::string>& lines) {
               fields.texts(self, lines, {0, 10'000}, {0, 4096}, "The lines of the file.");
             });
  if (!fields.reads()) return;
  for (const auto& [path, lines] : lines_of) {
    std::string& text = files.emplace_back(GameFile{path, {}}).text;
    for (const std::string& line : lines) text += line + '\n';
  }
}

void describe_stop(Fields& fields, Launch& launch) {
  Fields::Words<int> signals;
  for (const int each : {SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2, SIGKILL}) {
    signals.emplace_back(each, process::signal_name(each));
  }
  const auto in_stop = fields.section(
      "stop", "How the worker asks the game to end: by a signal, or by a command if you set one.");
  fields.choice("signal", launch.stop_signal, signals, "The signal.");
  describe_words(fields, "command", launch.stop_command,
                 "An argument vector, like the game's command. It runs as the game's user in "
                 "the game's working folder.");
}

void describe_limits(Fields& fields, RoomLimits& limits) {
  constexpr std::int64_t memory_most = 100'000'000;
  constexpr std::int64_t processes_most = 4'000'000;
  fields.whole("memory_limit_mib", limits.memory_mib, {0, memory_most, "MiB"},
               "Most memory of a room's processes, including their file caches. A game that needs "
               "more is killed; the log names it. 0: no limit. Requires cgroups.");
  fields.whole("processes", limits.processes, {0, processes_most},
               "Most processes of a room at a time. Each thread counts as a process. 0: no limit. "
               "Requires cgroups.");
}

}  // namespace

void describe_words(Fields& fields, const config::Key& key, std::vector<std::string>& words,
                    std::string_view text, config::Size size) {
  fields.texts(key, words, size, {0, 4096}, text);
}

void describe_command(Fields& fields, Launch& launch) {
  describe_words(fields, "command", launch.game.command,
                 "An argument vector; no shell runs. The worker replaces {port}, {port:NAME}, "
                 "{room}, {group}, {group:ATTRIBUTE} (see attributes), {mode}, {capacity}, {zone}, "
                 "{address} and {folder} here and in environment, working_folder, files and "
                 "stop.command.");
}

void describe_program(Fields& fields, Launch& launch) {
  constexpr std::size_t user_most = 256;
  constexpr std::int64_t neighbours_most = 8;
  GameProgram& game = launch.game;
  describe_command(fields, launch);
  fields.path("working_folder", game.working_folder,
              "The working folder of the game. Empty: the room's own folder, {folder}, which is "
              "also HOME.");
  describe_files(fields, game.files);
  fields.choice("keep_folder", game.keep_folder,
                {{KeepFolder::never, "never"},
                 {KeepFolder::if_failed, "if-failed"},
                 {KeepFolder::always, "always"}},
                "Whether the room's own folder remains after the room has ended.");
  fields.text("user", launch.user, {0, user_most},
              "The game's user, a name or a number. Empty: the worker's user, or one of "
              "rooms.users. Requires a worker that runs as root.");
  fields.text("group", launch.group, {0, user_most},
              "The game's group, a name or a number. Empty: the user's group.");
  fields.whole("neighbour_ports", launch.neighbour_ports, {0, neighbours_most},
               "Number of further ports directly after {port}: {port+1} and so on. For games that "
               "compute the next port.");
  describe_limits(fields, game.limits);
  fields.flag("daemon", game.daemon,
              "The program may exit with code 0 while the game still runs, as servers do that "
              "start a background process.");
  fields.flag("terminal", game.terminal,
              "The game's output is a pseudo-terminal. Most programs then write line by line.");
  describe_stop(fields, launch);
}

}  // namespace fixkeep::worker
