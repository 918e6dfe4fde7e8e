// The cluster of a worker's pods. This class sends requests, watches the pods and removes unknown
// pods.
//
// Thread rule: the thread of the io_context. Handlers run on this thread, never from within a call.
// Only open() and remove_and_wait() block. Lifetime: no handler is called after close(). Bounds:
// see common/net/kubernetes; at most one removal at a time for each stray pod. Fault model: that of
// the watch.
// Errors: described in words; a right that the worker lacks is also logged.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/net/kubernetes/watch.hpp"
#include "common/obs/log_limit.hpp"
#include "worker/runner/kubernetes/pod_calls.hpp"
#include "worker/runner/runner_options.hpp"

namespace fixkeep::worker::kubernetes {

class PodCluster {
  static constexpr std::chrono::minutes minute{1};  // between complaints about the same right
  static constexpr std::chrono::hours hour{1};

 public:
  struct Handlers {
    std::function<void(const std::vector<Pod>& all)> listed;  // all pods; a missing pod is gone
    std::function<void(const Pod& pod)> changed;              // a changed or new pod
    std::function<void(const Pod& pod)> removed;              // with the pod's last state
    std::function<void(const std::string& why)> away;         // called once per outage
    std::function<void()> back;
  };

  PodCluster(boost::asio::io_context& context, Owner owner, Handlers handlers);

  // Finds the pods of earlier runs and begins to watch. Returns the error; empty: none.
  [[nodiscard]] std::string open(const KubernetesOptions& options, std::vector<Pod>& earlier);
  void close();

  [[nodiscard]] const Owner& owner() const { return space_.owner; }
  // Says why the state of pods is unknown. Empty: the API server answers.
  [[nodiscard]] std::string problem() const;

  void ask(const engine::Call& call, const PodOrder& order, std::string_view uid,
           std::function<void(const engine::Answer& answer)> done) const;
  // Reads a game's output. `piece` returns whether more is wanted. `done` is called once.
  void follow_log(const PodOrder& order, std::function<bool(const std::string& piece)> piece,
                  std::function<void()> done) const;
  // Removes an unknown pod if it belongs to the worker.
  void remove_stray(const std::string& name, const engine::Sight& sight);
  // Removes these pods and returns how many are left. May be called after close().
  [[nodiscard]] std::size_t remove_and_wait(const std::vector<std::string>& names,
                                            std::chrono::milliseconds limit,
                                            std::chrono::milliseconds quiet = {}) const {
    return kubernetes::remove_and_wait(space_, names, limit, quiet);
  }

 private:
  [[nodiscard]] std::string find(std::vector<Pod>& earlier) const;
  void watch();
  void is_listed(const std::vector<api::Json>& all);
  void complain_of(const api::Verdict& verdict) const;

  boost::asio::io_context& context_;
  Handlers handlers_;
  PodSpace space_;
  std::unique_ptr<api::ApiClient> client_;
  std::optional<api::Watch> watch_;
  std::set<std::string> strays_;  // uids of strays that are being removed
  mutable obs::LogLimit complaints_{{.burst = 1, .interval = minute, .longest_interval = hour}};
};

}  // namespace fixkeep::worker::kubernetes
