// Trials without processes: the nodes here are functions that answer lines.
#include "lab/own_lock/trial.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace fixkeep::own_lock {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

// Nodes that share one memory, as if it were a server. They answer `latency` after a line.
class Nodes {
 public:
  enum class Kind : std::uint8_t { right, with_a_lease, reads_then_writes, gives_no_answer };

  Nodes(TrialOptions options, Kind kind) : trial_(options), kind_(kind) {}

  Figures run() {
    Actions actions;
    trial_.begin(now_, actions);
    perform(actions);
    while (!trial_.over()) {
      TimePoint at = trial_.next();
      if (!due_.empty()) at = std::min(at, due_.begin()->first);
      now_ = std::max(now_, at);
      while (!due_.empty() && due_.begin()->first <= now_) {
        const auto event = std::move(due_.begin()->second);
        due_.erase(due_.begin());
        event();
      }
      Actions next;
      trial_.tick(now_, next);
      perform(next);
    }
    return trial_.finish(now_);
  }
  [[nodiscard]] const Trial& trial() const { return trial_; }
  [[nodiscard]] const std::vector<Action::Kind>& signals() const { return signals_; }

 private:
  static constexpr Duration latency{500us};
  static constexpr Duration lease{200ms};

  void later(Duration time, std::function<void()> event) {
    due_.emplace(now_ + time, std::move(event));
  }
  void perform(const Actions& actions) {
    for (const Action& action : actions) {
      if (action.kind != Action::Kind::say) {
        signals_.push_back(action.kind);
        if (action.kind == Action::Kind::kill) ++lives_[action.node];
        if (action.kind == Action::Kind::stop) stopped_.insert(action.node);
        if (action.kind == Action::Kind::resume) stopped_.erase(action.node);
        continue;
      }
      later(latency, [this, action] { take(action.node, json::parse(action.line)); });
    }
  }
  void reply(std::size_t node, const json& to, json body) {
    body["in_reply_to"] = to["body"]["msg_id"];
    const json line{{"src", to["dest"]}, {"dest", to["src"]}, {"body", body}};
    trial_.line(node, line.dump(), now_);
  }
  void take(std::size_t node, const json& message) {
    if (stopped_.contains(node)) return later(latency, [=, this] { take(node, message); });
    const std::string type = message["body"]["type"];
    if (type == "init") return reply(node, message, {{"type", "init_ok"}});
    if (kind_ == Kind::gives_no_answer) return;
    if (type == "release") {
      if (holder_ == node) holder_.reset();
      return reply(node, message, {{"type", "released"}});
    }
    acquire(node, message, lives_[node]);
  }
  void acquire(std::size_t node, const json& message, int life) {
    if (lives_[node] != life) return;  // it was killed
    if (kind_ == Kind::with_a_lease && now_ > granted_at_ + lease) holder_.reset();
    if (holder_) return later(latency, [=, this] { acquire(node, message, life); });
    if (kind_ == Kind::reads_then_writes) {
      return later(latency, [=, this] { grant(node, message); });
    }
    grant(node, message);
  }
  void grant(std::size_t node, const json& message) {
    holder_ = node;
    granted_at_ = now_;
    reply(node, message, {{"type", "acquired"}, {"token", ++token_}});
  }

  Trial trial_;
  Kind kind_;
  TimePoint now_{};
  std::multimap<TimePoint, std::function<void()>> due_;
  std::set<std::size_t> stopped_;
  std::map<std::size_t, int> lives_;
  std::optional<std::size_t> holder_;
  TimePoint granted_at_;
  std::uint64_t token_ = 0;
  std::vector<Action::Kind> signals_;
};

TEST(Trial, finds_nothing_in_a_right_lock) {
  Nodes nodes{{}, Nodes::Kind::right};
  const Figures figures = nodes.run();
  EXPECT_GT(figures.holds, 100U);
  EXPECT_EQ(figures.overlaps, 0U);
  EXPECT_EQ(figures.lost, 0U);
  EXPECT_EQ(figures.stale_writes, 0U);
  EXPECT_EQ(figures.tokens, figures.holds);
  EXPECT_EQ(figures.writes, 4 * figures.holds);
  EXPECT_EQ(figures.tokens_fell, 0U);
  EXPECT_EQ(nodes.trial().failure(), "");
}

TEST(Trial, finds_two_holders_of_a_lock_that_reads_and_then_writes) {
  Nodes nodes{{}, Nodes::Kind::reads_then_writes};
  const Figures figures = nodes.run();
  EXPECT_GT(figures.overlaps, 10U);
  EXPECT_GT(figures.two_believers, Duration{100ms});
  EXPECT_GT(figures.stale_writes, 0U);
}

TEST(Trial, has_the_same_events_for_the_same_seed) {
  Nodes one{{.fault = Fault::stop, .seed = 7}, Nodes::Kind::right};
  Nodes other{{.fault = Fault::stop, .seed = 7}, Nodes::Kind::right};
  (void)one.run();
  (void)other.run();
  EXPECT_GT(one.trial().events().size(), 100U);
  EXPECT_EQ(one.trial().events(), other.trial().events());
}

TEST(Trial, stops_a_holder_and_lets_it_continue) {
  Nodes nodes{{.fault = Fault::stop, .outage = 700ms}, Nodes::Kind::right};
  (void)nodes.run();
  ASSERT_GE(nodes.signals().size(), 4U);
  for (std::size_t place = 0; place < nodes.signals().size(); ++place) {
    EXPECT_EQ(nodes.signals()[place], place % 2 == 0 ? Action::Kind::stop : Action::Kind::resume);
  }
}

TEST(Trial, sees_the_writes_of_a_holder_that_continues_after_its_lease) {
  Nodes nodes{{.fault = Fault::stop, .outage = 700ms}, Nodes::Kind::with_a_lease};
  const Figures figures = nodes.run();
  EXPECT_GE(figures.overlaps, 1U);
  EXPECT_GE(figures.stale_writes, figures.overlaps);
  EXPECT_EQ(figures.past_the_fence, 0U);
  ASSERT_FALSE(figures.no_holder.empty());
  EXPECT_GT(figures.no_holder.front(), Duration{100ms});
  EXPECT_LT(figures.no_holder.front(), Duration{250ms});
}

TEST(Trial, kills_a_holder_and_starts_it_again) {
  Nodes nodes{{.fault = Fault::kill, .outage = 700ms}, Nodes::Kind::with_a_lease};
  const Figures figures = nodes.run();
  EXPECT_EQ(figures.never_granted, 0U);
  EXPECT_EQ(figures.overlaps, 0U);
  ASSERT_GE(nodes.signals().size(), 4U);
  for (std::size_t place = 0; place < nodes.signals().size(); ++place) {
    EXPECT_EQ(nodes.signals()[place], place % 2 == 0 ? Action::Kind::kill : Action::Kind::start);
  }
  for (const std::uint64_t share : figures.shares) EXPECT_GT(share, 20U);
}

TEST(Trial, sees_that_no_node_is_granted_the_key_of_a_killed_holder) {
  Nodes nodes{{.fault = Fault::kill, .outage = 700ms}, Nodes::Kind::right};
  const Figures figures = nodes.run();  // the lock has no lease
  EXPECT_EQ(figures.never_granted, 1U);
  EXPECT_GT(figures.open_wait, Duration{5s});
}

TEST(Trial, sees_the_longest_wait_without_an_answer) {
  Nodes nodes{{}, Nodes::Kind::gives_no_answer};
  const Figures figures = nodes.run();
  EXPECT_EQ(figures.holds, 0U);
  EXPECT_GT(figures.open_wait, Duration{9s});
}

// --- lines, one at a time ------------------------------------------------------------------------

std::string from(const std::string& node, const std::string& to, const json& body) {
  return json{{"src", node}, {"dest", to}, {"body", body}}.dump();
}

class TrialLines : public ::testing::Test {
 protected:
  // All nodes have answered "init".
  void begin(TrialOptions options = {}) {
    options.nodes = 2;
    trial_.emplace(options);
    Actions actions;
    trial_->begin(now_, actions);
    for (std::size_t node = 0; node < 2; ++node) {
      const json said = json::parse(actions[node].line);
      EXPECT_EQ(said["body"]["type"], "init");
      EXPECT_EQ(said["body"]["node_ids"], json({"n1", "n2"}));
      const json id = said["body"]["msg_id"];
      trial_->line(node, from("n1", "c1", {{"type", "init_ok"}, {"in_reply_to", id}}), now_);
    }
  }
  Actions tick(Duration later) {
    now_ += later;
    Actions out;
    trial_->tick(now_, out);
    return out;
  }
  std::optional<Trial> trial_;
  TimePoint now_{};
};

TEST_F(TrialLines, pass_from_node_to_node) {
  begin();
  trial_->line(0, from("n1", "n2", {{"type", "hello"}}), now_);
  const Actions said = tick(Duration{0});
  const auto to_2 = std::ranges::find_if(said, [](const Action& action) {
    return action.node == 1 && json::parse(action.line)["body"]["type"] == "hello";
  });
  ASSERT_NE(to_2, said.end());
  EXPECT_EQ(trial_->finish(now_).messages, 1U);
}

TEST_F(TrialLines, overtake_each_other_with_the_fault_delay) {
  begin({.fault = Fault::delay});
  for (int number = 0; number < 20; ++number) {
    trial_->line(0, from("n1", "n2", {{"type", "hello"}, {"number", number}}), now_);
  }
  std::vector<int> numbers;
  for (int step = 0; step < 110; ++step) {
    for (const Action& action : tick(1ms)) {
      const json body = json::parse(action.line)["body"];
      if (body["type"] == "hello") numbers.push_back(body["number"]);
    }
  }
  EXPECT_EQ(numbers.size(), 20U);
  EXPECT_FALSE(std::ranges::is_sorted(numbers));
}

TEST_F(TrialLines, are_lost_while_the_nodes_are_cut_off) {
  begin({.fault = Fault::cut, .outage = 500ms, .seed = 3});
  std::vector<int> lost;
  for (int step = 0; step < 400; ++step) {
    for (const std::size_t from_node : {0U, 1U}) {
      const std::string to = from_node == 0 ? "n2" : "n1";
      trial_->line(from_node, from("n", to, {{"type", "hello"}}), now_);
    }
    int arrived = 0;
    for (const Action& action : tick(10ms)) {
      if (json::parse(action.line)["body"]["type"] == "hello") ++arrived;
    }
    if (arrived < 2) lost.push_back(step);
  }
  ASSERT_FALSE(lost.empty());
  EXPECT_GE(lost.front(), 99);                     // a second of calm comes first
  EXPECT_GE(lost.size(), 50U);                     // at least one cut of 500 ms
  EXPECT_LE(lost.size(), 3 * 51U);                 // and not longer
  EXPECT_GE(trial_->finish(now_).messages, 800U);  // lost messages count too
  std::map<std::string, std::size_t> events;
  for (const auto& event : trial_->events()) ++events[event["what"]];
  EXPECT_EQ(events["sent"], 800U);
  EXPECT_EQ(events["arrived"] + events["dropped"], 800U);
  EXPECT_GE(events["dropped"], lost.size());
}

TEST_F(TrialLines, that_are_not_understood_are_counted) {
  begin();
  const std::vector<std::string> strange{"hello",
                                         "[]",
                                         R"({"dest":"n2"})",
                                         R"({"dest":7,"body":{}})",
                                         R"({"dest":"c1","body":{}})",
                                         R"({"dest":"n9","body":{"type":"hello"}})"};
  for (const std::string& line : strange) trial_->line(0, line, now_);
  EXPECT_EQ(trial_->strange().count, strange.size());
  EXPECT_EQ(trial_->strange().first, "n1: hello");
}

TEST_F(TrialLines, with_a_misspelt_type_or_a_token_that_is_no_number_are_told) {
  begin();
  const auto id_of = [](const Actions& actions, std::size_t node) {
    for (const Action& action : actions) {
      const json body = json::parse(action.line)["body"];
      if (action.node == node && body["type"] == "acquire") return body["msg_id"];
    }
    return json{};
  };
  const Actions asked = tick(100ms);
  const json one = id_of(asked, 0);
  const json two = id_of(asked, 1);
  trial_->line(0, from("n1", "c1", {{"type", "aquired"}, {"in_reply_to", one}}), now_);
  EXPECT_EQ(trial_->strange().count, 1U);
  trial_->line(1, from("n2", "c2", {{"type", "acquired"}, {"in_reply_to", two}, {"token", "17"}}),
               now_);
  EXPECT_EQ(trial_->strange().count, 2U);
}

TEST_F(TrialLines, that_answer_nothing_change_nothing) {
  begin();
  trial_->line(0, from("n1", "c1", {{"type", "acquired"}, {"in_reply_to", 999}}), now_);
  trial_->line(0, from("n1", "c1", {{"type", "lost"}, {"key", "none-1-1"}}), now_);
  const Figures figures = trial_->finish(now_);
  EXPECT_EQ(figures.holds, 0U);
  EXPECT_EQ(figures.lost, 0U);
}

TEST_F(TrialLines, with_an_error_are_counted_and_the_client_asks_again) {
  begin();
  const auto asked = [](const Actions& actions) {
    for (const Action& action : actions) {
      const json body = json::parse(action.line)["body"];
      if (action.node == 0 && body["type"] == "acquire") return body["msg_id"];
    }
    return json{};
  };
  const json id = asked(tick(100ms));
  ASSERT_TRUE(id.is_number());
  trial_->line(0, from("n1", "c1", {{"type", "error"}, {"in_reply_to", id}, {"code", 11}}), now_);
  EXPECT_EQ(trial_->errors().count, 1U);
  EXPECT_TRUE(trial_->errors().first.starts_with("n1: {\"code\":11"));
  EXPECT_TRUE(asked(tick(100ms)).is_number());
}

TEST_F(TrialLines, of_a_node_that_does_not_start_are_waited_for_and_no_longer) {
  trial_.emplace(TrialOptions{});
  Actions actions;
  trial_->begin(now_, actions);
  (void)tick(29s);
  EXPECT_FALSE(trial_->over());
  (void)tick(1s);
  EXPECT_TRUE(trial_->over());
  EXPECT_EQ(trial_->failure(), "a node did not answer \"init\" within 30 s with \"init_ok\"");
}

}  // namespace
}  // namespace fixkeep::own_lock
