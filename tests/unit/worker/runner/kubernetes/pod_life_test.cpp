// The life of a pod against an API server that answers what a text says.
//
//   start | adopt | end | kill | rang | late | missing      what comes in
//   shows STATE [host=H] [code=N] [why=WORD] [stranger] [uid=U]        the watch
//   removed STATE …                                                    likewise: it is gone
//   STATUS [?SECONDS] [BODY]       the server's answer to what it was asked; 0: there is none
//   200 STATE …                    that it shows a pod
#include "worker/runner/kubernetes/pod_life.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tests/support/scripts.hpp"

namespace fixkeep::worker::kubernetes {
namespace {

constexpr auto life_file = "tests/unit/worker/runner/kubernetes/pod_life.txt";

std::string to_text(const PodStep& step) {
  switch (*step.ask) {
    case PodAsk::look: return "look";
    case PodAsk::create: return "create";
    case PodAsk::read_log: return "read_log";
    case PodAsk::remove:
      return "remove in " + std::to_string(step.grace.count()) + (step.by_force ? " by force" : "");
  }
  return {};
}

std::string to_text(const GameEnd& end) {
  constexpr std::array<const char*, 4> kinds{"exited", "signalled", "not_started", "unknown"};
  return std::string{"ended "} + kinds.at(static_cast<std::size_t>(end.kind)) + " " +
         std::to_string(end.number) + (end.blameless ? " blameless" : "") + ": " + end.how +
         (end.last_lines.empty() ? "" : " [" + end.last_lines + "]");
}

Pod pod_of(const std::string& state, std::string_view command) {
  Pod pod{.name = "p", .uid = "u1", .owner = "c w1 w1-1 7.m1.0"};
  pod.uid = support::named(command, "uid").value_or("u1");
  pod.host = support::named(command, "host")
                 .value_or(state == "pending" || state == "unschedulable" ? "" : "n1");
  pod.node = support::named(command, "node").value_or(pod.host);
  pod.runs = state == "running";
  pod.over = state == "over";
  pod.ended = state == "ended" || pod.over;
  pod.deleting = state == "deleting";
  pod.unschedulable = state == "unschedulable";
  pod.cannot_start = state == "broken";
  if (const auto code = support::named(command, "code")) {
    pod.exit_code = std::stoi(*code);
    pod.knows_code = true;
  }
  const std::string why = support::named(command, "why").value_or("");
  (pod.ended ? pod.why_ended : pod.why_waiting) = why;
  if (command.find(" stranger") != std::string_view::npos) pod.owner = "c w2 w2-1 7.m1.0";
  return pod;
}

class LifeDriver final : public support::ScriptDriver {
 public:
  std::string run(std::string_view command) override {
    support::Words words{command};
    const std::string word = words.next();
    if (word == "start") return told(life_.start());
    if (word == "adopt") return told(life_.adopt());
    if (word == "end") return told(life_.ask_to_end());
    if (word == "kill") return told(life_.kill());
    if (word == "rang") return told(life_.rang());
    if (word == "late") return told(life_.is_late());
    if (word == "missing") return told(life_.missing());
    if (word == "shows") return told(life_.shown(pod_of(words.next(), command)));
    if (word == "removed") return told(life_.removed(pod_of(words.next(), command)));
    if (!asked_) return "nothing was asked";
    fixkeep::kubernetes::ApiAnswer said;
    said.status = static_cast<unsigned>(std::stoul(word));
    said.body = words.rest();
    if (said.body.starts_with('?')) {
      said.retry_after = words.next().substr(1);
      said.body = words.rest();
    }
    PodAnswer answer{.verdict =
                         judge({.method = "POST", .target = "/api/v1/namespaces/g/pods"}, said)};
    const PodAsk asked = *std::exchange(asked_, std::nullopt);
    const bool shows = asked == PodAsk::look || asked == PodAsk::create;
    if (said.status / 100 == 2 && shows) answer.found = pod_of(words.next(), command);
    if (said.status / 100 == 2 && asked == PodAsk::read_log) answer.log = said.body;
    return told(life_.answered(asked, answer));
  }

 private:
  std::string told(const PodStep& step) {
    std::string text;
    if (step.placed) text += "placed at " + life_.pod().host + "\n";
    if (step.begun) text += "begun\n";
    if (!step.no_room.empty()) text += "no room: " + step.no_room + "\n";
    if (life_.waits_for_a_node()) text += "waits for a node\n";
    if (step.patience) text += "late after " + std::to_string(step.patience->count()) + "\n";
    if (step.ask) text += "ask " + to_text(step) + "\n";
    if (step.ring) text += "ring " + std::to_string(step.ring->count()) + "\n";
    if (step.ended) text += to_text(*step.ended) + "\n";
    if (step.ended && step.gone) gone_ = true;
    if (step.gone && !step.ended && !std::exchange(gone_, true)) text += "gone\n";
    if (step.ask) asked_ = step.ask;
    if (!text.empty()) text.pop_back();
    return text;
  }

  PodLife life_{"c w1 w1-1 7.m1.0", std::chrono::seconds{10}, std::chrono::minutes{2}};
  std::optional<PodAsk> asked_;
  bool gone_ = false;
};

const bool life_registered =
    support::register_scripts(life_file, [] { return std::make_unique<LifeDriver>(); });

}  // namespace
}  // namespace fixkeep::worker::kubernetes
