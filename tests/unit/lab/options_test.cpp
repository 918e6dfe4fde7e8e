// What command lines of the laboratory, settings of a race and lines for the relay mean
// (options.txt): each alone.
#include "lab/options.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "lab/race/settings.hpp"
#include "lab/relay/core/command.hpp"
#include "tests/support/scripts.hpp"

namespace fixkeep::client_sim {
namespace {

std::string said(const RaceSettings& settings) {
  std::ostringstream text;
  text << "link=" << settings.link_delay_ms << " boot=" << settings.boot_ms
       << " rate=" << settings.rate << " spread=" << settings.spread_ms << " groups=";
  for (const bool group : settings.groups) text << (group ? '+' : '-');
  const auto list = [&text](const char* name, const auto& values, auto shown) {
    for (std::size_t at = 0; at < values.size(); ++at) {
      text << (at == 0 ? name : ",") << shown(values[at]);
    }
  };
  if (std::ranges::count(settings.masters, MasterFate::runs) != std::ssize(settings.masters)) {
    list(" masters=", settings.masters, [](MasterFate fate) { return to_string(fate); });
  }
  if (settings.locks.front() != "none") {
    list(" locks=", settings.locks, [](const std::string& lock) { return lock; });
  }
  return text.str() + (settings.running ? "" : " stopped");
}

std::string said_of_run(const Options& run) {
  std::ostringstream text;
  for (const auto arrival : run.arrivals) {
    const auto with = with_arrival(run, arrival);
    text << to_string(arrival) << " of " << with.workload.players << ", rooms stay "
         << with.cluster.close_empty_after_ms << "; ";
  }
  text << "here; " << run.mode << " of " << run.cluster.capacity << ", groups "
       << run.workload.groups;
  return text.str();
}

std::string said(const LabOptions& options) {
  std::ostringstream text;
  const auto& race = options.race;
  const auto& run = options.run;
  switch (options.command) {
    case LabCommand::race:
      text << run.locks.front() << " at " << race.listen << ", groups of " << race.group_players
           << "; " << said(race.settings)
           << "; clusters with link=" << race.cluster.distances.link_ms << " of "
           << race.cluster.most_link_ms << " boot=" << race.cluster.boot_ms;
      break;
    case LabCommand::locks:
      text << (run.locks.size() == known_locks().size() - 1 ? "all" : run.locks.front()) << ", "
           << run.cluster.masters << " masters, " << options.bench.rounds << " rounds of "
           << options.bench.measured.seconds << " s"
           << (options.bench.burst ? ", and a burst of " : "");
      if (options.bench.burst) text << run.workload.players;
      break;
    case LabCommand::theory:
      text << run.locks.size() << " locks, up to " << options.theory.masters.back() << " masters";
      break;
    case LabCommand::lock: {
      const auto& lock = options.own_lock;
      text << lock.name << ':';
      for (const auto& word : lock.program) text << ' ' << word;
      text << "; " << lock.nodes << " nodes; none";
      for (const auto fault : lock.faults) text << ' ' << to_string(fault);
      break;
    }
    case LabCommand::replay:
      text << options.replay.rules
           << (options.replay.against.empty() ? "" : " against " + options.replay.against) << ", "
           << options.replay.day.tickets << " arrivals";
      break;
    case LabCommand::pools: text << said_of_run(run); break;
    case LabCommand::engines: text << run.locks.size() << " kinds of servers"; break;
  }
  return text.str();
}

std::string command_line(const std::string& line) {
  std::vector<std::string> words{"fixkeep-lab"};
  for (support::Words rest{line}; !rest.done();) words.push_back(rest.next());
  std::vector<const char*> arguments;
  for (const auto& word : words) arguments.push_back(word.c_str());
  std::ostringstream out;
  std::ostringstream err;
  const auto parsed =
      parse_lab_options(static_cast<int>(arguments.size()), arguments.data(), out, err);
  if (const auto* options = std::get_if<LabOptions>(&parsed)) return said(*options);
  EXPECT_EQ(std::get<ExitCode>(parsed).code, exit_usage);
  const auto line_of_error = err.str().substr(0, err.str().find('\n'));
  const auto words_of_cli11 =
      std::min(line_of_error.find(": Invalid "), line_of_error.find(": Value "));
  return line_of_error.substr(0, words_of_cli11);
}

std::string of_relay(const std::string& line) {
  std::ostringstream text;
  const auto conditions = [&](const relay::Conditions& all) {
    text << all.delay.count() << " us, jitter " << all.jitter.count() << ", loss " << all.loss;
  };
  const auto command = relay::parse_command(line);
  if (const auto* wrong = std::get_if<relay::Mistake>(&command)) return wrong->text;
  if (const auto* open = std::get_if<relay::OpenWire>(&command)) {
    text << open->wire << " from " << open->listen << " to " << open->target << ": ";
    conditions(open->conditions);
  } else if (const auto* change = std::get_if<relay::ChangeWire>(&command)) {
    relay::Conditions all{.delay = Duration{20'000}, .jitter = Duration{1000}, .loss = 0.5};
    change->apply(all);
    text << change->wire << ": ";
    conditions(all);
  } else {
    text << "quit";
  }
  return text.str();
}

const bool options_of_the_lab =
    support::register_table("tests/unit/lab/options.txt", [](std::string_view command) {
      support::Words words{command};
      const auto what = words.next();
      if (what == "relay") return of_relay(words.rest());
      if (what == "settings") {
        const auto result = change_settings({.groups = {true, true, true},
                                             .masters = std::vector(3, MasterFate::runs),
                                             .locks = {"none", "multiphase"}},
                                            words.rest());
        const auto* wrong = std::get_if<SettingsMistake>(&result);
        if (wrong == nullptr) return said(std::get<RaceSettings>(result));
        return std::string{wrong->type} + ": " + support::shown(wrong->detail);
      }
      return command_line(std::string{command});
    });

}  // namespace
}  // namespace fixkeep::client_sim
