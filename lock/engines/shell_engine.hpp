// The engine that a master owns, around a shell (queue_shell.hpp). The shell may live longer, in
// handlers of the io_context.
//
// Thread rule, bounds and errors: see engine.hpp.
#pragma once

#include <memory>
#include <utility>

#include "lock/engines/engine.hpp"

namespace fixkeep::engine {

template <class Shell>
class ShellEngine : public Engine {
 public:
  explicit ShellEngine(std::shared_ptr<Shell> shell) : shell_(std::move(shell)) {}
  ~ShellEngine() override { shell_->close(); }

  void perform(const GroupKey& key, lock::AskEngine&& ask) override { shell_->perform(key, ask); }
  void stop(Duration limit) override { shell_->stop(limit); }
  [[nodiscard]] bool ready() const override { return shell_->ready(); }
  [[nodiscard]] const EngineStatistics& statistics() const override {
    shell_->refresh_statistics();
    return shell_->statistics;
  }

 private:
  std::shared_ptr<Shell> shell_;
};

template <class Shell>
[[nodiscard]] Result<std::unique_ptr<Engine>> make_shell(boost::asio::io_context& context,
                                                         const EngineOptions& options,
                                                         EngineHandlers handlers) {
  auto shell = std::make_shared<Shell>(context, options, std::move(handlers));
  if (!shell->begin()) return Errc::invalid_configuration;
  return std::make_unique<ShellEngine<Shell>>(std::move(shell));
}

}  // namespace fixkeep::engine
