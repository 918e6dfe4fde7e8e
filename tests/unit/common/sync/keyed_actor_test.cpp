// A keyed actor whose executor runs nothing before it is told to, and whose clock stands still, in
// the words of keyed_actor.txt.
#include "common/sync/keyed_actor.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <stdexcept>
#include <string>

#include "tests/support/scripts.hpp"

namespace fixkeep::sync {
namespace {

using std::chrono::seconds;

// put KEY NAME DOES      work that "keeps" its token, or "completes", "fails", "throws", "drops"
// it,
//                        or "completes-and-throws", or asks for "more" when it is answered
// run, lose              what the executor has is run, or dropped
// complete NAME, fail NAME, held NAME, number NAME, stop, end, tick, next, mailboxes
// pass SECONDS           of which the clock may lose some, too
// The answer is what the command gives back, and then whom was told what.
class Turns : public support::ScriptDriver {
 public:
  std::string run(std::string_view line) override {
    support::Words words{line};
    const auto what = words.next();
    if (what == "with") return options_of(words.rest());
    if (!actor_) actor_.emplace(options_);
    auto text = act(what, words);
    for (const auto& event : std::exchange(told_, {})) text += (text.empty() ? "" : "; ") + event;
    return text;
  }

 private:
  using Actor = KeyedActor<std::string>;

  std::string options_of(const std::string& line) {
    const auto limit = [&](const char* key, Duration& option) {
      const auto value = support::named(line, key);
      if (value)
        option = *value == "never" ? Duration::max() : Duration{seconds{std::stoi(*value)}};
    };
    limit("wait", options_.mailboxes.wait_timeout);
    limit("lease", options_.mailboxes.lease_timeout);
    limit("overrun", options_.mailboxes.overrun);
    return {};
  }

  std::string act(const std::string& what, support::Words& words) {
    const auto name = words.next();
    if (what == "put") return put(name, words.next(), words.next());
    if (what == "run") return run_queue();
    if (what == "lose") return queue_.clear(), "";
    if (what == "complete") return tokens_.at(name).complete() ? "in time" : "not heard";
    if (what == "fail")
      return tokens_.at(name).complete(Errc::token_forged) ? "in time" : "not heard";
    if (what == "held") return tokens_.at(name).held() ? "yes" : "no";
    if (what == "number") return std::to_string(tokens_.at(name).number());
    if (what == "tick") return actor_->tick(), "";
    if (what == "stop") return actor_->stop(), "";
    if (what == "end") return actor_.reset(), "";
    if (what == "pass") return now_ += seconds{std::stoi(name)}, "";
    if (what == "mailboxes") return std::to_string(actor_->mailboxes());
    if (what != "next") return "no such command";
    if (actor_->next_tick() == TimePoint::max()) return "never";
    return std::to_string(std::chrono::floor<seconds>(actor_->next_tick() - begin).count());
  }

  std::string put(const std::string& key, const std::string& name, const std::string& does) {
    const auto body = [this, name, does](const WorkToken& token) {
      told_.push_back(name + " runs");
      if (does == "keeps") tokens_.emplace(name, token);
      if (does.starts_with("completes") || does == "more") token.complete();
      if (does == "fails") token.complete(Errc::token_forged);
      if (does.ends_with("throws")) throw std::runtime_error{"no more"};
    };
    const auto put = actor_->run(key, body, [this, key, name, does](WorkOutcome outcome) {
      told_.push_back(name + ": " + (outcome.error ? outcome.error.message() : "done"));
      if (outcome.thrown) EXPECT_THROW(std::rethrow_exception(outcome.thrown), std::runtime_error);
      if (does == "more") EXPECT_TRUE(this->put(key, name + "'s", "completes").empty());
    });
    return put ? "" : put.error().message();
  }

  std::string run_queue() {
    while (!queue_.empty()) {
      const auto work = std::move(queue_.front());
      queue_.pop_front();
      work();
    }
    return {};
  }

  static constexpr TimePoint begin{seconds{1000}};
  TimePoint now_ = begin;
  std::deque<std::function<void()>> queue_;
  std::vector<std::string> told_;
  std::map<std::string, WorkToken> tokens_;
  KeyedActorOptions options_{
      .mailboxes = {.wait_timeout = seconds{10},
                    .lease_timeout = seconds{5},
                    .overrun = seconds{3},
                    .waiting_per_key = 3,
                    .waiting = 4,
                    .idle = seconds{60}},
      .now = [this] { return now_; },
      .executor = [this](std::function<void()> work) { queue_.push_back(std::move(work)); },
      .late =
          [this](WorkNumber, WorkOutcome outcome) {
            told_.push_back("late: " + (outcome.error ? outcome.error.message() : "done"));
          }};
  std::optional<Actor> actor_;
};

const bool turns = support::register_scripts("tests/unit/common/sync/keyed_actor.txt",
                                             [] { return std::make_unique<Turns>(); });

}  // namespace
}  // namespace fixkeep::sync
