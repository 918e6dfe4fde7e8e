#include "lab/locks/nodes.hpp"

#include <fmt/format.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <optional>

#include "common/certs/folder.hpp"

namespace fixkeep::client_sim {

namespace {

using std::chrono::milliseconds;

constexpr const char* program = "fixkeep-lock-node";
constexpr milliseconds ready_limit{30'000};
constexpr milliseconds lock_node_stop_limit{5000};

constexpr milliseconds relay_limit{5000};

std::uint16_t mesh_port(const LockNodesOptions& options, std::size_t index) {
  return static_cast<std::uint16_t>(options.first_port + index + 1);
}

// A connection that goes through the relay.
struct NodeWire {
  std::size_t from = 0;             // the node that dials
  std::optional<std::size_t> peer;  // no value: a server
  std::uint16_t target = 0;
  std::uint16_t listen = 0;

  [[nodiscard]] std::string name() const { return fmt::format("{}-{}", from, target); }
};

std::vector<NodeWire> wires_of(const LockNodesOptions& options) {
  std::vector<NodeWire> wires;
  if (!options.relayed) return wires;
  auto listen = mesh_port(options, options.masters);
  for (std::size_t from = 0; from < options.masters; ++from) {
    for (std::size_t peer = 0; peer < from; ++peer) {  // a node dials the lower numbers
      wires.push_back({from, peer, mesh_port(options, peer), listen++});
    }
    for (const auto& server : options.servers) {
      wires.push_back({from, std::nullopt, port_of(server), listen++});
    }
  }
  return wires;
}

// The address at which the node `from` reaches a port.
std::string reached_at(const std::vector<NodeWire>& wires, std::size_t from, std::uint16_t target) {
  for (const auto& wire : wires) {
    if (wire.from == from && wire.target == target) return loopback(wire.listen);
  }
  return loopback(target);
}

std::filesystem::path certificates_of(const LockNodesOptions& options) {
  return options.folder / (options.cluster + "-certificates");
}

std::vector<std::string> arguments_of(const LockNodesOptions& options, std::size_t index) {
  const auto wires = wires_of(options);
  std::string peers;
  for (std::size_t other = 0; other < options.masters; ++other) {
    peers += fmt::format("{}{}={}", other == 0 ? "" : ",", other + 1,
                         reached_at(wires, index, mesh_port(options, other)));
  }
  // A node gives up after this wait. By then, the lock of a killed node has ended.
  const auto wait_ms = 4 * options.lease_ms + 10'000;
  std::vector<std::string> arguments{"--strategy", options.strategy,
                                     "--self",     std::to_string(index + 1),
                                     "--peers",    peers,
                                     "--cluster",  options.cluster,
                                     "--lease-ms", std::to_string(options.lease_ms),
                                     "--wait-ms",  std::to_string(wait_ms)};
  if (!options.servers.empty()) {
    std::string servers;
    for (const auto& server : options.servers) {
      servers += (servers.empty() ? "" : ",") + reached_at(wires, index, port_of(server));
    }
    arguments.insert(arguments.end(), {"--servers", servers});
  }
  if (options.tls) {
    arguments.insert(arguments.end(), {"--certificates", certificates_of(options).string()});
  }
  return arguments;
}

// Makes an authority for this cluster, and a key and certificate for each master.
std::string certify(const LockNodesOptions& options) {
  const std::filesystem::path path = certificates_of(options);
  std::filesystem::remove_all(path);
  const certs::CertificateFolder folder{path.string()};
  if (auto failure = folder.init(options.cluster, std::chrono::days{2}); !failure.empty()) {
    return failure;
  }
  const auto authority = folder.authority();
  if (const auto* failure = std::get_if<std::string>(&authority)) return *failure;
  for (std::size_t index = 0; index < options.masters; ++index) {
    auto failure = folder.add_node(std::get<certs::Authority>(authority), net::Role::master,
                                   fmt::format("m{}", index + 1), std::chrono::days{1}, false);
    if (!failure.empty()) return failure;
  }
  return {};
}

}  // namespace

std::variant<std::unique_ptr<LockNodes>, std::string> LockNodes::start(LockNodesOptions options) {
  std::unique_ptr<LockNodes> nodes{new LockNodes{std::move(options)}};
  if (nodes->options_.tls) {
    if (auto failure = certify(nodes->options_); !failure.empty()) return failure;
  }
  if (auto failure = nodes->start_relay(); !failure.empty()) return failure;
  nodes->nodes_.resize(nodes->options_.masters);
  for (std::size_t index = 0; index < nodes->size(); ++index) {
    if (auto failure = nodes->launch(index); !failure.empty()) return failure;
  }
  for (std::size_t index = 0; index < nodes->size(); ++index) {
    if (auto failure = nodes->wait_until_ready(index); !failure.empty()) return failure;
  }
  return nodes;
}

std::string LockNodes::start_relay() {
  const auto wires = wires_of(options_);
  if (wires.empty()) return {};
  auto started = DrivenProcess::start("relay", "fixkeep-relay", {}, options_.folder / "relay.log");
  if (auto* failure = std::get_if<std::string>(&started)) return std::move(*failure);
  relay_ = std::move(std::get<std::unique_ptr<DrivenProcess>>(started));
  for (const auto& wire : wires) {
    const auto opened = relay_->ask({{"do", "open"},
                                     {"wire", wire.name()},
                                     {"listen", wire.listen},
                                     {"target", wire.target},
                                     {"delay_ms", 0}},
                                    relay_limit);
    if (!opened) return opened.failure;
  }
  return {};
}

std::string LockNodes::change_wires(std::size_t index, bool cut) {
  for (const auto& wire : wires_of(options_)) {
    if (wire.from != index && wire.peer != index) continue;
    const auto* lost = wire.from == index ? "out" : "in";
    const auto changed = relay_->ask(
        {{"do", "change"}, {"wire", wire.name()}, {"cut", cut ? lost : "none"}}, relay_limit);
    if (!changed) return changed.failure;
  }
  return {};
}

std::filesystem::path LockNodes::log_of(std::size_t index) const {
  return options_.folder / fmt::format("{}-m{}.log", options_.strategy, index + 1);
}

std::string LockNodes::launch(std::size_t index) {
  auto started = DrivenProcess::start(fmt::format("{} m{}", options_.strategy, index + 1), program,
                                      arguments_of(options_, index), log_of(index));
  if (auto* failure = std::get_if<std::string>(&started)) return std::move(*failure);
  nodes_[index] = std::move(std::get<std::unique_ptr<DrivenProcess>>(started));
  return {};
}

std::string LockNodes::wait_until_ready(std::size_t index) {
  const auto ready = nodes_[index]->event("ready", ready_limit);
  if (ready) return {};
  std::ifstream log{log_of(index)};
  std::string text{std::istreambuf_iterator<char>{log}, {}};
  constexpr std::size_t shown = 1000;
  if (text.size() > shown) text.erase(0, text.size() - shown);
  return ready.failure + "\n" + text;
}

void LockNodes::kill(std::size_t index) {
  nodes_[index]->process().signal(SIGKILL);
  nodes_[index]->process().wait(lock_node_stop_limit);
}

void LockNodes::freeze(std::size_t index) {
  nodes_[index]->process().signal(SIGSTOP);
}

std::string LockNodes::restart(std::size_t index) {
  if (auto failure = launch(index); !failure.empty()) return failure;
  return wait_until_ready(index);
}

std::string LockNodes::stop() {
  std::string failure;
  for (auto& node : nodes_) (void)node->say({{"do", "quit"}});
  for (auto& node : nodes_) {
    if (!node->quit(lock_node_stop_limit))
      failure = node->name() + " did not end when it was asked to";
    const auto how = node->process().how_it_ended();
    if (failure.empty() && how != "exit code 0") failure = node->name() + " ended with " + how;
  }
  if (relay_ && !relay_->quit(lock_node_stop_limit) && failure.empty()) {
    failure = "the relay did not end when it was asked to";
  }
  return failure;
}

}  // namespace fixkeep::client_sim
