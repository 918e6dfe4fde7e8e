// The nodes that a LinkHub dials.
#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "common/net/coroutines.hpp"
#include "common/net/link/hub_internals.hpp"

namespace fixkeep::net {

namespace asio = boost::asio;

void LinkHub::Impl::dial(LinkTarget target) {
  targets_.push_back(std::make_shared<Target>(context_, std::move(target), options_.lookups));
  asio::co_spawn(context_, keep_dialling(targets_.back()), rethrow);
}

void LinkHub::Impl::dial_only(const std::vector<LinkTarget>& targets) {
  const auto dialled = [this](const LinkTarget& wanted) {
    return std::any_of(targets_.begin(), targets_.end(),
                       [&](const auto& target) { return target->node == wanted; });
  };
  std::erase_if(targets_, [&](const auto& target) {
    const bool wanted = std::find(targets.begin(), targets.end(), target->node) != targets.end();
    if (!wanted) give_up(*target);
    return !wanted;
  });
  for (const LinkTarget& target : targets) {
    if (!dialled(target)) dial(target);
  }
}

// Ends the dialling and closes the link of the target, which is a master: only masters are dialled.
// The same master may be dialled later at another address.
void LinkHub::Impl::give_up(Target& target) {
  target.given_up = true;
  target.cancel();
  if (auto* const link = find(Role::master, target.node.name, LinkNumber::none)) {
    link->shut(Errc::unknown_node);
  }
}

void LinkHub::Impl::know(std::vector<std::string> masters) {
  options_.known_masters = std::move(masters);
  const auto& known = options_.known_masters;
  for (const auto& [key, link] : std::map{links_}) {
    const auto& [role, name] = key;
    if (role != Role::master || std::find(known.begin(), known.end(), name) != known.end())
      continue;
    link->shut(Errc::unknown_node);
  }
}

asio::awaitable<void> LinkHub::Impl::keep_dialling(std::shared_ptr<Target> target) {
  const auto self = shared_from_this();
  auto pause = options_.reconnect_first;
  while (!over(*target)) {
    if (co_await dial_once(*target)) pause = options_.reconnect_first;
    if (over(*target)) co_return;
    // Waits between half and all of the pause, so nodes that lost the same node do not return
    // together.
    const auto wait = random_.between(pause.count() / 2, pause.count());
    target->pause.expires_after(std::chrono::milliseconds{wait});
    co_await target->pause.async_wait(use_tuple);
    pause = std::min(pause * 2, options_.reconnect_most);
  }
}

// Dials one time. If a link comes up, waits until it ends and returns true. Otherwise returns
// false.
asio::awaitable<bool> LinkHub::Impl::dial_once(Target& target) {
  // We set our own limit, because the system retries for minutes at growing intervals, and would
  // notice late that a partition has ended.
  DialTarget where{target.node.host, target.node.port, options_.handshake_timeout};
  auto [failed, connected] = co_await target.dialler.async_dial(std::move(where), use_tuple);
  if (over(target)) co_return false;
  if (failed) unreachable(target, failed);
  if (failed) co_return false;

  auto connection =
      std::make_shared<LinkConnection>(std::move(connected), options_.send_queue_bytes, counters_);
  dialled_.insert(connection);
  auto shaken = co_await shake_hands(connection, Handshake::Side::dialler, target.node.name);
  dialled_.erase(connection);
  if (over(target)) {
    connection->shut(Errc::stopping);
    co_return false;
  }
  Result<> admitted = shaken ? Result<>{} : shaken.error();
  if (shaken) {
    connection->node = shaken->peer();
    admitted = admit(connection, {});
  }
  if (!admitted) {
    refuse({true, target.node.name, target.address(), admitted.error(), connection->other_version});
    connection->shut_when_sent(admitted.error());
    co_return false;
  }
  co_await converse(connection);
  co_return true;
}

void LinkHub::Impl::unreachable(const Target& target, boost::system::error_code reason) const {
  if (!handlers_.on_unreachable || stopping_) return;
  handlers_.on_unreachable({true, target.node.name, target.address(), reason});
}

}  // namespace fixkeep::net
