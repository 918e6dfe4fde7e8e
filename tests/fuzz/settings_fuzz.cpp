// The configuration of a master and of a worker: a file, and behind a line "---" what is set over
// it, one a line: FIXKEEP_NAME=value as the environment has it, the rest as --set.
#include <string>
#include <variant>
#include <vector>

#include "common/base/assert.hpp"
#include "common/config/command_line.hpp"
#include "master/shell/settings.hpp"
#include "tests/fuzz/input_file.hpp"
#include "tests/fuzz/targets.hpp"
#include "worker/shell/settings.hpp"

namespace fixkeep::fuzz {
namespace {

struct ConfigInput {
  std::string_view file;
  std::vector<std::string> variables;
  std::vector<std::string> settings;
};

ConfigInput split_input(std::string_view bytes) {
  constexpr std::string_view line_between = "\n---\n";
  ConfigInput input;
  const auto end = bytes.find(line_between);
  input.file = bytes.substr(0, end);
  if (end == std::string_view::npos) return input;
  bytes.remove_prefix(end + line_between.size());
  while (!bytes.empty()) {
    const auto line = bytes.substr(0, bytes.find('\n'));
    bytes.remove_prefix(std::min(line.size() + 1, bytes.size()));
    (line.starts_with("FIXKEEP_") ? input.variables : input.settings).emplace_back(line);
  }
  return input;
}

void check_problems(const config::Problems& problems) {
  FIXKEEP_ASSERT(!problems.empty(), "refused without a reason");
  for (const auto& problem : problems) {
    FIXKEEP_ASSERT(!problem.where.empty() && !problem.message.empty(), to_string(problem));
  }
}

// `load` and `show`: of one role. What is in effect can be written down, and means the same.
template <class Load, class Show>
void check_settings(std::string_view bytes, Load load, Show show) {
  const ConfigInput input = split_input(bytes);
  const InputFile file{input.file};
  config::CommandLine line;
  line.file = file.path();
  line.settings = input.settings;
  const auto loaded = load(line, input.variables);
  if (const auto* problems = std::get_if<config::Problems>(&loaded))
    return check_problems(*problems);
  const config::Json shown = show(std::get<0>(loaded));
  config::Json whole = shown;
  whole["cluster"].erase("secret_file");
  whole["cluster"]["secret"] = "a secret of the cluster";
  const InputFile written{whole.dump()};
  config::CommandLine again;
  again.file = written.path();
  const auto reloaded = load(again, {});
  if (const auto* problems = std::get_if<config::Problems>(&reloaded)) {
    FIXKEEP_ASSERT(problems->empty(), to_string(problems->front()));
    return;
  }
  FIXKEEP_ASSERT(show(std::get<0>(reloaded)) == shown, shown.dump());
}

}  // namespace

void fuzz_master_settings(std::string_view bytes) {
  check_settings(bytes, master::load_settings,
                 [](const master::Settings& settings) { return master::to_json(settings); });
}

void fuzz_worker_settings(std::string_view bytes) {
  check_settings(bytes, worker::load_settings,
                 [](const worker::Settings& settings) { return worker::to_json(settings); });
}

}  // namespace fixkeep::fuzz
