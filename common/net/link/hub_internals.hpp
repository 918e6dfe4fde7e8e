// The internals of LinkHub: connections, listening, dialling and their clock.
//
// Internal to LinkHub; see hub.hpp for the guarantees.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/random.hpp"
#include "common/net/dial/dialler.hpp"
#include "common/net/link/breaches.hpp"
#include "common/net/link/connection.hpp"
#include "common/net/link/handshake.hpp"
#include "common/net/link/hub.hpp"
#include "common/net/link/pending_handshakes.hpp"
#include "common/net/tls/expiry_watch.hpp"
#include "common/obs/log_limit.hpp"

namespace fixkeep::net {

class LinkHub::Impl : public std::enable_shared_from_this<LinkHub::Impl> {
 public:
  Impl(boost::asio::io_context& context, LinkOptions options, LinkHandlers handlers);

  Result<> listen();
  void start();
  void dial(LinkTarget target);
  void dial_only(const std::vector<LinkTarget>& targets);
  void know(std::vector<std::string> masters);
  // Returns the node's connection for messages, or null. If `link` is LinkNumber::none, any
  // connection of the node counts.
  [[nodiscard]] LinkConnection* find(Role role, const std::string& name, LinkNumber link) const;
  void flush();
  void renew(std::shared_ptr<TlsCredentials> tls);
  void admit(std::string admits);
  [[nodiscard]] std::optional<std::chrono::sys_seconds> certificate_expires_at() const;
  void stop(std::chrono::milliseconds limit);
  void abandon();
  void orphan();

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] const LinkCounters& counters() const { return counters_; }

 private:
  using Connection = std::shared_ptr<LinkConnection>;
  using Key = std::pair<Role, std::string>;

  // A node that the hub dials. The dialling ends with the hub, or when the hub gives the node up.
  struct Target {
    Target(boost::asio::io_context& context, LinkTarget wanted,
           const std::shared_ptr<NameLookups>& lookups)
        : node(std::move(wanted)), pause(context), dialler(context.get_executor(), lookups) {}
    [[nodiscard]] std::string address() const {
      return node.host + ":" + std::to_string(node.port);
    }

    void cancel() {
      pause.cancel();
      dialler.cancel();
    }

    LinkTarget node;
    boost::asio::steady_timer pause;
    Dialler dialler;
    bool given_up = false;
  };

  boost::asio::awaitable<void> accept_all();
  boost::asio::awaitable<void> serve(Connection connection);
  boost::asio::awaitable<void> keep_dialling(std::shared_ptr<Target> target);
  boost::asio::awaitable<bool> dial_once(Target& target);
  // Runs the handshake until both sides are proven. The result identifies the other side.
  boost::asio::awaitable<Result<Handshake>> shake_hands(Connection connection, Handshake::Side side,
                                                        std::string expected_name);
  boost::asio::awaitable<Result<>> exchange(LinkConnection& connection, Handshake& handshake);
  boost::asio::awaitable<void> converse(Connection connection);
  Result<> hear(const LinkConnection& connection, std::string_view payload);

  Result<> admit(const Connection& connection, std::string_view last_frame);
  void report_down(const Connection& connection, boost::system::error_code reason);
  void each_unproven(auto visit) const {
    unproven_.each([&](const Connection& connection) { visit(*connection); });
    for (const auto& connection : dialled_) visit(*connection);
  }
  [[nodiscard]] bool over(const Target& target) const { return stopping_ || target.given_up; }
  void give_up(Target& target);
  void refuse(const LinkFailure& failure);
  void unreachable(const Target& target, boost::system::error_code reason) const;
  void accept_failed(boost::system::error_code reason);
  void tick();
  void arm_tick();
  [[nodiscard]] std::size_t most_links(Role role) const;

  boost::asio::io_context& context_;
  LinkOptions options_;
  LinkHandlers handlers_;
  LinkCounters counters_;
  Random random_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer tick_;
  LinkConnection::Clock::time_point last_tick_ = LinkConnection::Clock::now();
  ExpiryWatch expiry_{"links"};
  std::uint16_t port_ = 0;
  std::map<Key, Connection> links_;
  std::uint64_t last_link_ = 0;
  Breaches breaches_;
  obs::LogLimit accept_log_{{.burst = 1, .longest_interval = std::chrono::minutes{1}}};
  PendingHandshakes<Connection> unproven_;  // connections of nodes that dial us
  std::set<Connection> dialled_;            // our dialled connections, in a handshake
  std::vector<std::shared_ptr<Target>> targets_;
  bool stopping_ = false;
  bool orphaned_ = false;
};

}  // namespace fixkeep::net
