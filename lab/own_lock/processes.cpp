#include "lab/own_lock/processes.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>

#include "lab/own_lock/node_process.hpp"

namespace fixkeep::own_lock {
namespace {

using std::chrono::milliseconds;

TimePoint present() {
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  return TimePoint{std::chrono::duration_cast<Duration>(since_start)};
}

// The processes of a trial. An empty element stands for a node that was killed.
class Processes {
 public:
  Processes(Trial& trial, std::size_t nodes, const std::vector<std::string>& command,
            const std::filesystem::path& folder)
      : trial_(trial), command_(command), folder_(folder), nodes_(nodes) {}

  void start_all() {
    for (std::size_t node = 0; node < nodes_.size(); ++node) start(node);
  }
  void perform(const Actions& actions) {
    for (const Action& action : actions) perform(action);
  }
  // Waits for output of the processes, at most until `at` and at most 100 ms. Passes the output to
  // the trial and writes waiting lines to the processes.
  void wait(TimePoint at) {
    std::vector<pollfd> wanted;
    std::vector<std::size_t> whose;
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      if (!nodes_[node]) continue;
      whose.push_back(node);
      wanted.push_back({nodes_[node]->output(), POLLIN, 0});
      const bool writes = nodes_[node]->wants_to_write();
      whose.push_back(node);
      wanted.push_back({writes ? nodes_[node]->input() : -1, POLLOUT, 0});
    }
    constexpr milliseconds most{100};  // after this time the caller checks for Ctrl-C
    const auto left = std::chrono::ceil<milliseconds>(at - present());
    const int limit = static_cast<int>(std::clamp(left, milliseconds{0}, most).count());
    if (::poll(wanted.data(), wanted.size(), limit) <= 0) return;
    for (std::size_t place = 0; place < wanted.size(); ++place) {
      if (wanted[place].revents == 0) continue;
      if (place % 2 == 0) read(whose[place]);
      if (place % 2 == 1 && nodes_[whose[place]]) nodes_[whose[place]]->write();
    }
  }

  // The end of the node's standard error, for a failure.
  [[nodiscard]] std::string last_words(std::size_t node) const {
    std::ifstream log{file_of(node)};
    std::string text{std::istreambuf_iterator<char>{log}, {}};
    constexpr std::size_t shown = 1000;
    if (text.size() > shown) text.erase(0, text.size() - shown);
    return text;
  }

 private:
  [[nodiscard]] std::filesystem::path file_of(std::size_t node) const {
    return folder_ / fmt::format("n{}.log", node + 1);
  }
  void start(std::size_t node) {
    auto started = NodeProcess::start(command_, file_of(node));
    if (const auto* failure = std::get_if<std::string>(&started)) {
      trial_.ended(node, *failure);
    } else {
      nodes_[node] = std::move(std::get<std::unique_ptr<NodeProcess>>(started));
    }
  }
  void perform(const Action& action) {
    auto& node = nodes_[action.node];
    if (action.kind == Action::Kind::start) return start(action.node);
    if (!node) return;
    switch (action.kind) {
      case Action::Kind::say:
        if (!node->say(action.line)) trial_.ended(action.node, "it does not read its input");
        return;
      case Action::Kind::stop: return node->signal_all(SIGSTOP);
      case Action::Kind::resume: return node->signal_all(SIGCONT);
      case Action::Kind::kill: return node.reset();
      case Action::Kind::start: return;
    }
  }
  void read(std::size_t node) {
    if (!nodes_[node]) return;
    const auto pass = [&](std::string_view line) { trial_.line(node, line, present()); };
    if (nodes_[node]->read(pass)) return;
    trial_.ended(node, nodes_[node]->how_it_ended() + "\n" + last_words(node));
    nodes_[node].reset();
  }

  Trial& trial_;
  const std::vector<std::string>& command_;
  const std::filesystem::path& folder_;
  std::vector<std::unique_ptr<NodeProcess>> nodes_;
};

}  // namespace

TrialResult run_trial(const TrialOptions& options, const std::vector<std::string>& command,
                      const std::filesystem::path& folder, client_sim::Interruption& interruption) {
  Trial trial{options};
  Processes processes{trial, options.nodes, command, folder};
  TrialResult result{.fault = options.fault, .seed = options.seed};
  processes.start_all();
  Actions actions;
  trial.begin(present(), actions);
  while (!trial.over() && !result.interrupted) {
    processes.perform(actions);
    actions.clear();
    processes.wait(trial.next());
    trial.tick(present(), actions);
    result.interrupted = interruption.came();
  }
  result.figures = trial.finish(present());
  result.strange = trial.strange();
  result.errors = trial.errors();
  result.failure = trial.failure();
  result.events = trial.events();
  return result;
}

}  // namespace fixkeep::own_lock
