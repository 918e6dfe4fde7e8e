#include "lock/tests/scenarios/lock_scenario.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "common/base/lock_strategies.hpp"
#include "lock/core/rule_names.hpp"
#include "lock/tests/scenarios/lock_mesh.hpp"

namespace fixkeep::scenarios {
namespace {

struct WrongExpectation : ScenarioError {
  explicit WrongExpectation(const std::string& line)
      : ScenarioError("it ought to be `" + line + "`"), right(line) {}
  std::string right;
};

}  // namespace

class Runner {
 public:
  explicit Runner(bool without_rule) : without_rule_(without_rule) {}

  void run_line(const std::string& line) {
    std::istringstream words{line.substr(0, line.find('#'))};
    std::string command;
    if (!(words >> command)) return;
    if (command == "strategy" || command == "hole") {
      require(!mesh_, "comes before `nodes` and `boot`");
      if (command == "strategy") {
        choose(words);
      } else {
        hole(words);
      }
      return;
    }
    if (command == "nodes" || command == "boot") {
      mesh_.emplace(number(words), command == "nodes", strategy_, rules_);
    } else {
      require(mesh_.has_value(), "`nodes` or `boot` comes first");
      perform(command, words);
    }
    if (std::string rest; words >> rest) throw ScenarioError("what does `" + rest + "` mean?");
    check();
  }

  [[nodiscard]] LockMesh* mesh() { return mesh_ ? &*mesh_ : nullptr; }
  [[nodiscard]] const std::string& two_holders() const { return two_holders_; }

  // Repairs everything, then every master must get the lock once.
  void finish() {
    require(mesh_.has_value(), "an empty scenario");
    repair();
    for (int round = 0; !nobody_wants_it(); ++round) {
      require(round < 100, "no progress: somebody waits for ever");
      release_all();
    }
    for (int master = 1; master <= mesh_->masters(); ++master) {
      mesh_->acquire(master);
      mesh_->deliver_all();
      for (int i = 0; i < 100 && mesh_->want(master) == LockMesh::Want::waiting; ++i)
        let_time_pass();
      require(mesh_->want(master) == LockMesh::Want::holding,
              std::to_string(master) + " cannot get the lock at the end");
      check();
      release_all();
    }
    require(two_holders_.empty(), two_holders_);
  }

 private:
  void choose(std::istringstream& words) {
    words >> strategy_;
    const auto* strategy = lock::find_strategy(strategy_);
    require(strategy != nullptr && strategy->family == lock::Family::mesh,
            "no such strategy: " + strategy_);
  }

  void hole(std::istringstream& words) {
    std::string without;
    std::string what;
    words >> without;
    std::getline(words >> std::ws, what);
    what.erase(what.find_last_not_of(' ') + 1);
    require(without == "without", "`hole without …`");
    const bool links = what == "ordered links";
    lock::Rules rules;
    require(links || lock::leave_out(what, rules), "no such rule: " + what);
    if (!without_rule_) return;
    rules_ = rules;
    ordered_links_ = !links;
  }

  void perform(const std::string& command, std::istringstream& words) {
    if (command == "deliver" || command == "deliver?" || command == "overtake") {
      deliver(command, words);
    } else if (command == "expect") {
      expect(words);
    } else if (command == "up" || command == "down" || command == "lose" || command == "notice") {
      link(command, words);
    } else if (command == "release") {
      release(words);
    } else {
      one_master(command, number(words));
    }
  }

  void one_master(const std::string& command, int master) {
    if (command == "acquire") {
      mesh_->acquire(master);
    } else if (command == "abandon") {
      mesh_->abandon(master);
    } else if (command == "crash") {
      mesh_->crash(master);
    } else if (command == "restart") {
      mesh_->restart(master);
    } else if (command == "grace") {
      excused_ = true;
      mesh_->lapse_grace(master);
    } else if (command == "tick") {
      mesh_->tick(master);
    } else {
      throw ScenarioError("no such command: " + command);
    }
  }

  void release(std::istringstream& words) {
    const int master = number(words);
    std::string value;
    bool uncertain = false;
    for (std::string word; words >> word;) {
      if (word == "uncertain")
        uncertain = true;
      else
        value = word;
    }
    mesh_->release(master, value, uncertain);
  }

  void link(const std::string& command, std::istringstream& words) {
    const int a = number(words);
    const int b = number(words);
    if (command == "up") {
      mesh_->connect(a, b);
    } else if (command == "notice") {
      mesh_->notice(a, b);
    } else {
      excused_ = true;
      mesh_->lose(a, b);
      if (command == "lose") return;
      mesh_->notice(a, b);
      mesh_->notice(b, a);
    }
  }

  void deliver(const std::string& command, std::istringstream& words) {
    std::string which;
    words >> which;
    if (which == "all") {
      mesh_->deliver_all();
      return;
    }
    int from = 0;
    int to = 0;
    std::istringstream pair{which};
    char dash = 0;
    char angle = 0;
    require(static_cast<bool>(pair >> from >> dash >> angle >> to) && dash == '-' && angle == '>',
            "expected A->B, not " + which);
    if (command == "overtake") {
      const auto position = static_cast<std::size_t>(number(words) - 1);
      mesh_->deliver(from, to, ordered_links_ ? 0 : position);
      return;
    }
    const bool there = mesh_->waiting(from, to) > 0;
    if (command == "deliver?" && !there) return;
    require(there, "nothing is on its way");
    if (std::string what; words >> what) {
      const auto next = mesh_->next(from, to);
      require(next == what, "the next message is " + next);
    }
    mesh_->deliver(from, to);
  }

  void expect(std::istringstream& words) {
    std::string given = "expect";
    std::string what;
    int master = 0;
    for (std::string word; words >> word; given += " " + word) {
      if (what.empty() && word != "no" && word != "empty") {
        what = word;
      } else if (master == 0 && !what.empty()) {
        std::istringstream{word} >> master;
      }
    }
    if (const auto right = "expect " + truth(what, master); given != right) {
      throw WrongExpectation(right);
    }
  }

  // The true state in the words of an `expect` line.
  std::string truth(const std::string& what, int master) {
    if (what == "holder" || what == "holders") {
      const auto holders = mesh_->holders();
      if (holders.empty()) return "no holder";
      return (holders.size() == 1 ? "holder " : "holders ") + list(holders);
    }
    if (what == "sent") return "sent " + std::to_string(mesh_->take_sent());
    require(master >= 1 && master <= mesh_->masters(), "a master is missing");
    const auto of_master = " " + std::to_string(master);
    if (what == "state") return what + of_master + " " + mesh_->state(master);
    const auto& grant = mesh_->last_grant(master);
    require(grant.has_value(), "it was granted nothing");
    if (what == "fence") return (grant->needs_fence ? what : "no fence") + of_master;
    if (what == "token") return what + of_master + " " + std::to_string(grant->token.counter);
    require(what == "value", "no such expectation: " + what);
    const auto& bytes = grant->value.bytes;
    return bytes.empty() ? "empty value" + of_master : what + of_master + " " + bytes;
  }

  void check() {
    for (const auto& [master, grant] : mesh_->take_grants()) {
      if (!excused_ && !grant.needs_fence) {
        require(grant.token > highest_, "a token that does not grow");
      }
      highest_ = std::max(highest_, grant.token);
    }
    const auto holders = mesh_->holders();
    if (holders.size() > 1 && !excused_) two_holders_ = "two holders: " + list(holders);
    if (holders.empty() && mesh_->whole()) excused_ = false;
  }

  void repair() {
    const int masters = mesh_->masters();
    for (int a = 1; a <= masters; ++a) {
      if (!mesh_->alive(a)) mesh_->restart(a);
    }
    for (int a = 1; a <= masters; ++a) {
      for (int b = 1; b <= masters; ++b) {
        if (a == b) continue;
        if (mesh_->linked(a, b) != mesh_->linked(b, a)) mesh_->lose(a, b);
        if (mesh_->lost(a, b)) mesh_->notice(a, b);
        if (mesh_->lost(b, a)) mesh_->notice(b, a);
        if (!mesh_->linked(a, b)) mesh_->connect(a, b);
      }
    }
    mesh_->deliver_all();
  }

  [[nodiscard]] bool nobody_wants_it() const {
    for (int master = 1; master <= mesh_->masters(); ++master) {
      if (mesh_->want(master) != LockMesh::Want::nothing) return false;
    }
    return true;
  }

  void release_all() {
    for (const int holder : mesh_->holders()) mesh_->release(holder, "end", false);
    mesh_->deliver_all();
    check();
    let_time_pass();
  }

  // A master that waits only for time goes on.
  void let_time_pass() {
    if (mesh_->holders().empty() && mesh_->tick_next()) mesh_->deliver_all();
    check();
  }

  static int number(std::istringstream& words) {
    int value = 0;
    require(static_cast<bool>(words >> value), "a number is missing");
    return value;
  }

  static std::string list(const std::vector<int>& masters) {
    std::string text;
    for (const int master : masters) text += (text.empty() ? "" : " ") + std::to_string(master);
    return text.empty() ? "nobody" : text;
  }

  bool without_rule_;
  bool ordered_links_ = true;
  std::string strategy_ = "multiphase";
  lock::Rules rules_;
  std::optional<LockMesh> mesh_;
  bool excused_ = false;
  FencingToken highest_;
  std::string two_holders_;
};

LockPlayer::LockPlayer(bool without_rule) : runner_(std::make_unique<Runner>(without_rule)) {}
LockPlayer::~LockPlayer() = default;
void LockPlayer::run_line(const std::string& line) {
  runner_->run_line(line);
}
LockMesh* LockPlayer::mesh() {
  return runner_->mesh();
}
bool LockPlayer::two_holders() const {
  return !runner_->two_holders().empty();
}

std::optional<std::string> run_lock_scenario(std::istream& script, bool without_rule) {
  Runner runner{without_rule};
  std::string line;
  int number = 0;
  const auto at = [&](const std::exception& error) {
    return "line " + std::to_string(number) + ", `" + line + "`: " + error.what();
  };
  try {
    while (std::getline(script, line)) {
      ++number;
      runner.run_line(line);
      if (runner.two_holders().empty()) continue;
      if (without_rule) return {};
      throw ScenarioError(runner.two_holders());
    }
    if (without_rule) return "without the rule it still holds";
    line = "(end)";
    runner.finish();
  } catch (const ScenarioError& error) { return at(error); }
  return {};
}

std::string rewrite_lock_scenario(std::istream& script) {
  Runner runner{false};
  std::string text;
  for (std::string line; std::getline(script, line); text += line + "\n") {
    try {
      runner.run_line(line);
    } catch (const WrongExpectation& wrong) {
      const auto comment = line.find('#');
      auto right = wrong.right;
      if (comment != std::string::npos) {
        right.resize(std::max(comment, right.size() + 1), ' ');
        right += line.substr(comment);
      }
      line = right;
    }
    require(runner.two_holders().empty(), runner.two_holders());
  }
  return text;
}

bool is_hole(std::istream& script) {
  for (std::string line; std::getline(script, line);) {
    if (line.starts_with("hole ")) return true;
  }
  return false;
}

}  // namespace fixkeep::scenarios
