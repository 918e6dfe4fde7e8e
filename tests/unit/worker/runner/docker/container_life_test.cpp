// The life of a container against an engine that answers what a text says.
//
//   start [looked_at] | adopt [looked_at] | end | kill | rang | noticed [CODE]      what comes in
//   STATUS [TEXT]                                           the engine's answer to what it was
//   asked lost                                                    there is none shows STATE
//   [code=N] [error=WORD] [stranger] [oom]      the answer to a look
#include "worker/runner/docker/container_life.hpp"

#include <gtest/gtest.h>

#include "tests/support/scripts.hpp"

namespace fixkeep::worker::docker {
namespace {

constexpr auto life_file = "tests/unit/worker/runner/docker/container_life.txt";

std::string to_text(EngineAsk ask) {
  switch (ask) {
    case EngineAsk::look: return "look";
    case EngineAsk::create: return "create";
    case EngineAsk::fill: return "fill";
    case EngineAsk::start: return "start";
    case EngineAsk::signal: return "signal";
    case EngineAsk::kill: return "kill";
    case EngineAsk::read_log: return "read_log";
    case EngineAsk::remove: return "remove";
  }
  return {};
}

std::string to_text(const GameEnd& end) {
  constexpr std::array<const char*, 4> kinds{"exited", "signalled", "not_started", "unknown"};
  return std::string{"ended "} + kinds.at(static_cast<std::size_t>(end.kind)) + " " +
         std::to_string(end.number) + (end.blameless ? " blameless" : "") + ": " + end.how +
         (end.last_lines.empty() ? "" : " [" + end.last_lines + "]");
}

ContainerState state_of(const std::string& word) {
  if (word == "created") return ContainerState::created;
  if (word == "running") return ContainerState::running;
  return word == "exited" ? ContainerState::exited : ContainerState::removing;
}

class Driver final : public support::ScriptDriver {
 public:
  std::string run(std::string_view command) override {
    support::Words words{command};
    const std::string word = words.next();
    if (word == "start") return told(life_.start(words.next() == "looked_at"));
    if (word == "adopt") return told(life_.adopt(words.next() == "looked_at"));
    if (word == "end") return told(life_.ask_to_end());
    if (word == "kill") return told(life_.kill());
    if (word == "rang") return told(life_.rang());
    if (word == "noticed") {
      const std::string code = words.next();
      return told(life_.noticed(code.empty() ? std::nullopt : std::optional{std::stoi(code)}));
    }
    EngineAnswer answer;
    if (word == "shows") {
      answer.status = 200;
      answer.found = shown(words.next(), command);
    } else if (word == "lost") {
      answer.message = "lost";
    } else {
      answer.status = static_cast<unsigned>(std::stoul(word));
      answer.message = words.rest();
      answer.log = words.rest();
    }
    if (!asked_) return "nothing was asked";
    return told(life_.answered(*std::exchange(asked_, std::nullopt), answer));
  }

 private:
  static Container shown(const std::string& state, std::string_view command) {
    Container container{.id = "1", .name = "c", .labels = labels, .state = state_of(state)};
    container.exit_code = std::stoi(support::named(command, "code").value_or("0"));
    container.error = support::named(command, "error").value_or("");
    container.out_of_memory = command.find(" oom") != std::string_view::npos;
    if (command.find(" stranger") != std::string_view::npos) container.labels = {};
    return container;
  }

  std::string told(const LifeStep& step) {
    std::string text;
    if (step.begun) text += "begun\n";
    if (step.ask) text += "ask " + to_text(*step.ask) + "\n";
    if (step.ring) text += "ring " + std::to_string(step.ring->count()) + "\n";
    if (step.ended) text += to_text(*step.ended) + "\n";
    if (step.gone && !step.ended) text += "gone\n";
    if (step.ask) asked_ = step.ask;
    if (!text.empty()) text.pop_back();
    return text;
  }

  inline static const Labels labels{"c", "w1", "w1-1", "7.m1.0"};
  ContainerLife life_{labels};
  std::optional<EngineAsk> asked_;
};

const bool life_registered =
    support::register_scripts(life_file, [] { return std::make_unique<Driver>(); });

}  // namespace
}  // namespace fixkeep::worker::docker
