// What follows from the answers of an API server, recorded from a real one (1.20.2) and shortened.
//
//   begin | rang | opened [MS later] | silent WHY | alive     what comes in
//   STATUS [BODY]          an answer to the list, or the end of the watch; 0: it was lost
//   STATUS ?SECONDS BODY   with Retry-After
//   piece BYTES            of the watch, as support::bytes_of() reads them
//   after MS               time goes on
//   life                   so many seconds later somebody has to ask it something
//   cut MORE               the end of the watch at each byte of MORE in turn, each time from the
//                          beginning: what is asked for next
#include "common/net/kubernetes/core/reflector.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "common/process/proc.hpp"
#include "tests/support/scripts.hpp"

namespace fixkeep::kubernetes {
namespace {

constexpr auto reflector_file = "tests/unit/common/net/kubernetes/reflector.txt";

std::string name_of(const Json& object) {
  return object.at("metadata").at("name").get<std::string>();
}

std::string text_of(const ReflectorNews& news) {
  if (const auto* const listed = std::get_if<Listed>(&news)) {
    std::string text = "listed";
    for (const Json& each : listed->objects) text += " " + name_of(each);
    return text;
  }
  if (const auto* const changed = std::get_if<Changed>(&news)) {
    return "changed " + name_of(changed->object);
  }
  if (const auto* const removed = std::get_if<Removed>(&news)) {
    return "removed " + name_of(removed->object);
  }
  if (const auto* const away = std::get_if<Away>(&news)) return "away: " + away->why;
  return "back";
}

// Without what every target has, and without the seconds that are drawn.
std::string shown_target(std::string target) {
  const std::string all = "/api/v1/namespaces/games/pods?labelSelector=fixkeep.io%2Fworker%3Dw1";
  if (!target.starts_with(all)) return target;
  target = "pods" + target.substr(all.size());
  const std::string_view drawn = "timeoutSeconds=";
  const auto at = target.find(drawn);
  if (at == std::string::npos) return target;
  const long seconds = std::stol(target.substr(at + drawn.size()));
  const bool good = seconds >= 120 && seconds <= 240;
  return target.substr(0, at) + (good ? "for a while" : std::to_string(seconds));
}

// A pause is drawn between a half and the whole: the whole is shown.
std::string shown_pause(std::chrono::milliseconds pause) {
  std::int64_t whole = 100;
  while (whole < pause.count() && whole < 25'600) whole *= 2;
  if (pause.count() > 25'600) whole = 30'000;
  return pause.count() > 30'000 ? std::to_string(pause.count()) : "<=" + std::to_string(whole);
}

class ReflectorDriver final : public support::ScriptDriver {
 public:
  std::string run(std::string_view command) override {
    support::Words words{command};
    const std::string word = words.next();
    if (word == "begin") return told(reflector_.begin());
    if (word == "rang") return told(reflector_.rang());
    if (word == "opened") return told(reflector_.opened(now_));
    if (word == "piece") return told(reflector_.piece(support::bytes_of(words.rest())));
    if (word == "silent") return told(reflector_.heard(false, words.rest()));
    if (word == "alive") return told(reflector_.heard(true, {}));
    if (word == "life") return std::to_string(reflector_.next_sign_of_life().count());
    if (word == "after") {
      now_ += std::chrono::milliseconds{std::stol(words.next())};
      return {};
    }
    if (word == "cut") return cut(support::bytes_of(words.rest()));
    ApiAnswer answer;
    answer.status = static_cast<unsigned>(std::stoul(word));
    std::string rest = words.rest();
    if (rest.starts_with('?')) {
      answer.retry_after = words.next().substr(1);
      rest = words.rest();
    }
    answer.body = rest;
    const bool of_watch = asked_ == ReflectorAsk::watch;
    return told(of_watch ? reflector_.ended(answer, now_) : reflector_.answered(answer, now_));
  }

 private:
  // A server that has been heard of is asked for what follows the last complete event.
  std::string cut(const std::string& stream) {
    std::string last;
    std::string all;
    for (std::size_t end = 0; end <= stream.size(); ++end) {
      Reflector copy = reflector_;
      (void)copy.opened(now_);
      (void)copy.piece(stream.substr(0, end / 2));
      (void)copy.piece(stream.substr(end / 2, end - end / 2));
      std::string asked = copy.ended({0, "cut off", {}}, now_ + Reflector::long_watch).target;
      const auto at = asked.find("resourceVersion=");
      asked = at == std::string::npos ? asked : asked.substr(at, asked.find('&', at) - at);
      if (asked == last) continue;
      last = asked;
      all += (all.empty() ? "" : "\n") + std::to_string(end) + " bytes: " + asked;
    }
    return all;
  }

  std::string told(const ReflectorStep& step) {
    std::string text;
    for (const ReflectorNews& each : step.news) text += text_of(each) + "\n";
    if (step.drop) text += "drop\n";
    if (step.ask) text += shown_target(step.target) + "\n";
    if (step.ring) text += "ring " + shown_pause(*step.ring) + "\n";
    if (step.ask) asked_ = *step.ask;
    if (step.ask && step.ring) text += "both\n";
    if (!text.empty()) text.pop_back();
    return text;
  }

  Reflector reflector_{
      {.resource = {"/api/v1", "games", "pods"}, .labels = "fixkeep.io/worker=w1"}};
  ReflectorAsk asked_ = ReflectorAsk::list;
  TimePoint now_{std::chrono::seconds{1000}};
};

const bool reflector_registered =
    support::register_scripts(reflector_file, [] { return std::make_unique<ReflectorDriver>(); });

// A server that lies.
TEST(ReflectorBounds, an_answer_of_brackets_without_end_is_no_list_and_costs_no_memory) {
  Reflector reflector{{.resource = {"/api/v1", "games", "pods"}}};
  (void)reflector.begin();
  const auto before = process::peak_memory(::getpid());
  const std::string nested(30'000'000, '[');
  std::string values = R"({"metadata":{"resourceVersion":"1"},"items":[)";
  for (int i = 0; i < 3'000'000; ++i) values += "[],";
  values += "[]]}";
  for (const std::string& hostile : {nested, values}) {
    const auto step = reflector.answered({.status = 200, .body = hostile}, TimePoint{});
    EXPECT_TRUE(step.ring) << "it is asked again after a pause";
    (void)reflector.rang();
  }
  EXPECT_LT(process::peak_memory(::getpid()), before + (150U << 20U));
}

}  // namespace
}  // namespace fixkeep::kubernetes
