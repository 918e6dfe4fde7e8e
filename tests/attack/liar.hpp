// A node that speaks the real protocol, under a name of the cluster and with its credentials, and
// says what it likes: one side of an attack. The other side is processes of the product.
//
// Thread rule: made and destroyed by the test's thread; the script runs on a thread of the liar's
// own, one call at a time, and only from there may it speak. Errors: a liar that cannot listen
// fails the test.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/net/link/hub.hpp"
#include "tests/support/local_cluster.hpp"

namespace fixkeep::attack {

// Of a cluster whose links are plain, or have certificates: what the node of this configuration
// would be.
[[nodiscard]] net::LinkOptions identity(const nlohmann::json& config, net::Role role,
                                        const std::string& name);

class Liar {
 public:
  struct Script {
    std::function<void(Liar&, const net::Peer&)> met;  // a link is up
    // What it cannot hear in its role may be empty.
    std::function<void(Liar&, const net::Peer&, wire::ToWorker&&)> master_said{};
    std::function<void(Liar&, const net::Peer&, wire::BetweenMasters&&)> peer_said{};
  };
  struct Target {
    std::string name;  // "m1"
    std::uint16_t port = 0;
  };

  Liar(net::LinkOptions options, Script script, const std::vector<Target>& dialled);
  ~Liar();
  Liar(const Liar&) = delete;
  Liar& operator=(const Liar&) = delete;

  void say(const net::Peer& peer, const wire::Message& message) {
    (void)hub_->send(peer.role, peer.name, message);
  }
  [[nodiscard]] std::size_t times_met() const { return met_; }
  [[nodiscard]] std::size_t times_refused() const { return refused_; }

 private:
  boost::asio::io_context context_{1};
  std::unique_ptr<net::LinkHub> hub_;
  std::atomic<std::size_t> met_ = 0;
  std::atomic<std::size_t> refused_ = 0;
  std::thread thread_;
};

}  // namespace fixkeep::attack
