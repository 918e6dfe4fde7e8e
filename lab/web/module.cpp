// The functions that the page calls in the WebAssembly module. Text goes in through web_input(),
// and comes out as JSON of web_length() bytes at the returned address. There is only one world at a
// time.
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "common/base/lock_strategies.hpp"
#include "lab/web/mission.hpp"
#include "lab/web/plan.hpp"
#include "lab/web/world.hpp"
#include "lock/core/rule_names.hpp"

namespace fixkeep::lab_web {
namespace {

std::string input;
std::string output;
std::unique_ptr<World> world;

const char* give(std::string text) {
  output = std::move(text);
  return output.data();
}

}  // namespace

extern "C" {

char* web_input(unsigned size) {
  input.resize(size);
  return input.data();
}
unsigned web_length() {
  return static_cast<unsigned>(output.size());
}
// Makes the world that the text in web_input() describes. The output is the mistake in the text, or
// empty.
const char* web_open() {
  Plan plan;
  if (auto mistake = read_plan(input, plan); !mistake.empty()) return give(std::move(mistake));
  world = std::make_unique<World>(plan);
  world->step_to(plan.steps);
  return give({});
}
// Call the functions from here to web_commands() only after web_open() has made a world.
bool web_step() {
  return world->step();
}
void web_run(double until_us) {
  world->run(TimePoint{Duration{static_cast<std::int64_t>(until_us)}});
}
// Gives the command in web_input(), for example cut.1.2, to the world. Returns false if the command
// is wrong or makes no sense now.
bool web_command(double at_us) {
  Command command;
  output = read_act(input, command);
  command.step = world->steps();
  command.at = TimePoint{Duration{static_cast<std::int64_t>(at_us)}};
  return output.empty() && world->command(command);
}
const char* web_state() {
  return give(world->state_json());
}
const char* web_records(unsigned from) {
  return give(world->records_json(from));
}
// The executed and the planned commands, in the form of the text for web_open().
const char* web_commands() {
  return give(show(world->commands()));
}
// Runs the mission with the settings of the text in web_input(), which web_open() has accepted.
const char* web_mission() {
  Plan plan;
  (void)read_plan(input, plan);
  Mission mission{plan.settings};
  mission.run();
  return give(mission.json());
}
// The locks that run here, the rules that can be left out, and the bounds.
const char* web_choices() {
  nlohmann::json choices{{"masters", {masters_least, masters_most}},
                         {"steps", steps_most},
                         {"rules", {"ordered links"}}};
  for (const auto& each : lock::strategies) {
    if (each.family != lock::Family::engine) choices["locks"].push_back(each.name);
  }
  for (const auto& each : lock::named_rules) choices["rules"].push_back(each.name);
  return give(choices.dump());
}

}  // extern "C"

}  // namespace fixkeep::lab_web
