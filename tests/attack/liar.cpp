#include "tests/attack/liar.hpp"

#include <gtest/gtest.h>

#include <boost/asio/executor_work_guard.hpp>

#include "common/base/random.hpp"

namespace fixkeep::attack {

net::LinkOptions identity(const nlohmann::json& config, net::Role role, const std::string& name) {
  net::LinkOptions options;
  options.cluster = config.at("cluster").at("id");
  options.secret = config.at("cluster").value("secret", "");
  options.self = {role, name, Incarnation{0xBAD}, net::start_now()};
  options.known_masters = {"m1", "m2", "m3"};
  options.reconnect_first = std::chrono::milliseconds{20};
  options.reconnect_most = std::chrono::milliseconds{100};
  return options;
}

Liar::Liar(net::LinkOptions options, Script script, const std::vector<Target>& dialled) {
  net::LinkHandlers handlers;
  handlers.on_up = [this, script](const net::Peer& peer) {
    ++met_;
    if (script.met) script.met(*this, peer);
  };
  handlers.on_worker_said = [](const net::Peer&, wire::FromWorker&&) {};
  handlers.on_master_said = [this, script](const net::Peer& peer, wire::ToWorker&& message) {
    if (script.master_said) script.master_said(*this, peer, std::move(message));
  };
  handlers.on_peer_said = [this, script](const net::Peer& peer, wire::BetweenMasters&& message) {
    if (script.peer_said) script.peer_said(*this, peer, std::move(message));
  };
  handlers.on_down = [](const net::Peer&, boost::system::error_code) {};
  handlers.on_refused = [this](const net::LinkFailure&) { ++refused_; };
  auto hub = net::LinkHub::start(context_, std::move(options), std::move(handlers));
  EXPECT_TRUE(hub) << hub.error().message();
  if (!hub) return;
  hub_ = std::move(*hub);
  for (const Target& target : dialled) hub_->dial({target.name, "127.0.0.1", target.port});
  thread_ = std::thread{[this] {
    const auto guard = boost::asio::make_work_guard(context_);
    context_.run();
  }};
}

Liar::~Liar() {
  context_.stop();
  if (thread_.joinable()) thread_.join();
}

}  // namespace fixkeep::attack
