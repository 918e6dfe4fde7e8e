// The life of an object against an engine that answers what a text says.
//
//   pod                                    the object is a pod, whose engine shows news; else a
//                                          container of an engine that is asked
//   hook                                   the object is a room of a hook: only a look tells its
//   end looked_at                              a look shows the process of the running game start |
//   adopt | end | kill | missing   what comes in due                                    the timer
//   is over shown SIGHT                            news that nobody asked for done [SIGHT] | lost
//   [WHY] | refused WHY [blameless] [no_place] | busy WHY | log TEXT
//                                          the answer to the call that is under way
//   SIGHT: STATE [uid=U] [why=W] [code=N | end=W] [place] [no_node] [has_node] [dead]
//          [foreign]
//   also of answers: [may_run] [pause=MS]
#include "worker/runner/engine/object_life.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tests/support/scripts.hpp"
#include "worker/runner/container_end.hpp"

namespace fixkeep::worker::engine {
namespace {

constexpr auto life_file = "tests/unit/worker/runner/engine/object_life.txt";

bool has(std::string_view command, const std::string& word) {
  return (std::string{command} + " ").find(" " + word + " ") != std::string::npos;
}
std::string text_of(std::string_view command, std::string_view key) {
  return support::bytes_of(support::named(command, key).value_or(""));
}

std::optional<Sight> sight_of(const std::string& state, std::string_view command) {
  using State = Sight::State;
  constexpr std::array<std::pair<std::string_view, State>, 8> states{{{"none", State::none},
                                                                      {"made", State::made},
                                                                      {"waiting", State::waiting},
                                                                      {"broken", State::broken},
                                                                      {"running", State::running},
                                                                      {"ended", State::ended},
                                                                      {"going", State::going},
                                                                      {"unclear", State::unclear}}};
  for (const auto& [name, value] : states) {
    if (name != state) continue;
    Sight sight{.state = value, .uid = text_of(command, "uid"), .why = text_of(command, "why")};
    if (const auto code = support::named(command, "code"))
      sight.end = container_end(std::stoi(*code));
    if (const auto end = support::named(command, "end")) sight.end = unseen_end(*end);
    if (const auto end = support::named(command, "failed")) {
      sight.end = never_ran(support::bytes_of(*end), has(command, "blameless"));
    }
    sight.owner = has(command, "foreign") ? "another" : "ours";
    if (has(command, "place")) sight.place = wire::RoomPlace{"n1", {}};
    sight.no_node = has(command, "no_node");
    if (has(command, "has_node")) sight.node = "n1";
    sight.is_dead = has(command, "dead");
    return sight;
  }
  return std::nullopt;
}

std::string to_text(const Call& call) {
  constexpr std::array<const char*, 5> asks{"look", "make", "end", "read_log", "remove"};
  const std::string hard = call.ask == Ask::end ? "kill" : "remove by force";
  return call.hard ? hard : asks.at(static_cast<std::size_t>(call.ask));
}

std::string to_text(const GameEnd& end) {
  constexpr std::array<const char*, 4> kinds{"exited", "signalled", "not_started", "unknown"};
  return std::string{"ended "} + kinds.at(static_cast<std::size_t>(end.kind)) + " " +
         std::to_string(end.number) + (end.blameless ? " blameless" : "") + ": " + end.how +
         (end.last_lines.empty() ? "" : " [" + end.last_lines + "]");
}

class LifeDriver final : public support::ScriptDriver {
 public:
  std::string run(std::string_view command) override {
    using std::chrono::minutes;
    using std::chrono::seconds;
    support::Words words{command};
    const std::string word = words.next();
    if (word == "pod") {
      life_ = ObjectLife{{.kind = "pod",
                          .engine = "the API server",
                          .name = "p",
                          .owner = "ours",
                          .look_after_end = seconds{5},
                          .most_looks = 12,
                          .node_patience = minutes{2},
                          .start_patience = minutes{5}}};
      return {};
    }
    if (word == "hook") {
      life_ = ObjectLife{{.kind = "room",
                          .name = "o",
                          .owner = "ours",
                          .most_looks = 1000,
                          .longest_pause = seconds{30},
                          .gone = "it is not listed any more"}};
      return {};
    }
    if (word == "looked_at") {
      life_ = ObjectLife{{.name = "c", .owner = "ours", .looks_when_begun = true}};
      return {};
    }
    if (word == "start") return told(life_.start(now_));
    if (word == "adopt") return told(life_.adopt(now_));
    if (word == "end") return told(life_.ask_to_end(now_));
    if (word == "kill") return told(life_.kill(now_));
    if (word == "missing") return told(life_.missing(now_));
    if (word == "shown") return told(life_.shown(*sight_of(words.next(), command), now_));
    if (word == "due") {
      if (!life_.timer()) return "no timer";
      now_ = std::max(now_, life_.timer()->at);
      return told(life_.due(now_));
    }
    if (!is_asked_) return "nothing was asked";
    is_asked_ = false;
    return told(life_.answered(answer_of(word, words, command), now_));
  }

 private:
  static Answer answer_of(const std::string& word, support::Words& words,
                          std::string_view command) {
    using Kind = Answer::Kind;
    Answer answer{.kind = word == "refused"                 ? Kind::refused
                          : word == "busy"                  ? Kind::busy
                          : word == "done" || word == "log" ? Kind::done
                                                            : Kind::lost,
                  .blameless = has(command, "blameless"),
                  .no_place = has(command, "no_place"),
                  .may_run = has(command, "may_run")};
    if (const auto pause = support::named(command, "pause")) {
      answer.pause = std::chrono::milliseconds{std::stoi(*pause)};
    }
    const std::string first = words.next();
    if (word == "done")
      answer.sight = sight_of(first, command);
    else if (word == "log")
      answer.log = support::bytes_of(first);
    else
      answer.why = support::bytes_of(first);
    return answer;
  }

  std::string told(const Step& step) {
    std::string text;
    const auto line = [&](const std::string& words) { text += (text.empty() ? "" : "\n") + words; };
    if (step.placed) line("placed");
    if (step.begun) line("begun");
    if (!step.no_place.empty()) line("no place: " + step.no_place);
    if (step.call) line("ask " + to_text(*step.call));
    if (step.call) is_asked_ = true;
    if (step.ended) line(to_text(*step.ended));
    if (step.gone && !std::exchange(is_gone_, true)) line("gone");
    const auto timer = life_.timer();
    if (timer && timer != std::exchange(timer_, timer)) {
      constexpr std::array<const char*, 3> meanings{"pause", "look again", "late"};
      const auto in = std::chrono::duration_cast<std::chrono::milliseconds>(timer->at - now_);
      line(std::string{meanings.at(static_cast<std::size_t>(timer->meaning))} + " in " +
           std::to_string(in.count()));
    }
    return text;
  }

  ObjectLife life_{{.name = "c", .owner = "ours"}};
  TimePoint now_{std::chrono::hours{1}};
  std::optional<ObjectLife::Timer> timer_;
  bool is_asked_ = false;
  bool is_gone_ = false;
};

const bool life_registered =
    support::register_scripts(life_file, [] { return std::make_unique<LifeDriver>(); });

}  // namespace
}  // namespace fixkeep::worker::engine
