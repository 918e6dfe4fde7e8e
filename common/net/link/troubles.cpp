#include "common/net/link/troubles.hpp"

#include <algorithm>
#include <utility>

#include "common/obs/log.hpp"
#include "common/wire/limits.hpp"

namespace fixkeep::net {
namespace {

constexpr std::chrono::seconds first_silence{1};
constexpr std::uint32_t strangers_burst = 3;
constexpr std::uint32_t links_burst = 10;
constexpr std::size_t names_most = 2048;  // more than there can be links

// Omits the port, because a returning stranger has another port each time.
std::string host_of(const std::string& address) {
  return address.substr(0, address.rfind(':'));
}

std::string text_of(const LinkFailure& failure) {
  const auto other = failure.other_version;
  constexpr auto own = wire::limits::protocol_version;
  if (other == 0) return failure.reason.message();
  return "it speaks version " + std::to_string(other) + " of the protocol, this node version " +
         std::to_string(own) + ": upgrade " + (other < own ? "it" : "this node");
}

}  // namespace

LinkTroubles::LinkTroubles(std::vector<std::string> known)
    : known_(std::move(known)),
      dialled_({.burst = 1, .interval = first_silence, .longest_interval = longest_silence}),
      strangers_({.burst = strangers_burst,
                  .interval = first_silence,
                  .longest_interval = longest_silence,
                  .kinds = strangers_most}),
      comings_and_goings_({.burst = links_burst,
                           .interval = first_silence,
                           .longest_interval = longest_silence,
                           .kinds = names_most}) {}

void LinkTroubles::know(std::vector<std::string> known) {
  std::erase_if(troubles_, [&](const auto& trouble) {
    return std::find(known.begin(), known.end(), trouble.first) == known.end();
  });
  known_ = std::move(known);
}

void LinkTroubles::failed(const char* what, const LinkFailure& failure, TimePoint now) {
  if (failure.dialled) return failed_to_dial(what, failure, now);
  const auto reason = text_of(failure);
  if (std::find(known_.begin(), known_.end(), failure.name) != known_.end()) {
    troubles_[failure.name].text = "refused here, from " + failure.address + ": " + reason;
  }
  const auto host = host_of(failure.address);
  const auto version = failure.other_version;
  if (version != 0 || failure.reason == Errc::duplicate_node) {
    note_refused({failure.name, host, 1, now, version});
  }
  const auto like_it = strangers_.admit(host, now);
  if (!like_it) return;
  const auto peer = failure.name.empty() ? failure.address : failure.name;
  obs::log_warning(what + obs::more_like_it(*like_it),
                   {{"peer", peer}, {"address", failure.address}, {"reason", reason}});
}

void LinkTroubles::failed_to_dial(const char* what, const LinkFailure& failure, TimePoint now) {
  auto& trouble = troubles_[failure.name];
  const auto reason = text_of(failure);
  if (trouble.failures++ == 0) trouble.since = now;
  if (trouble.reason != reason) dialled_.forget(failure.name);
  trouble.reason = reason;
  trouble.text = std::string{what} + " at " + failure.address + ": " + reason;
  const auto like_it = dialled_.admit(failure.name, now);
  if (!like_it) return;
  obs::log_warning(what, {{"peer", failure.name},
                          {"address", failure.address},
                          {"reason", reason},
                          {"attempts", trouble.failures}});
}

void LinkTroubles::note_refused(Refused&& refused) {
  std::erase_if(refused_, [&](const Refused& known) {
    if (refused.last - known.last > longest_silence) return true;
    if (known.name != refused.name || known.host != refused.host) return false;
    refused.times += known.times;
    return true;
  });
  if (refused_.size() == strangers_most) refused_.erase(refused_.begin());
  refused_.push_back(std::move(refused));
}

std::vector<LinkTroubles::Refused> LinkTroubles::refused(TimePoint now) const {
  std::vector<Refused> fresh = refused_;
  std::erase_if(fresh, [&](const Refused& each) { return now - each.last > longest_silence; });
  return fresh;
}

void LinkTroubles::up(const Peer& peer, TimePoint now) {
  const auto found = troubles_.extract(peer.name);
  dialled_.forget(peer.name);
  std::erase_if(refused_, [&](const Refused& each) {
    return each.name == peer.name && each.version != 0;  // the node was upgraded
  });
  const auto like_it = comings_and_goings_.admit(peer.name, now);
  if (!like_it) return;
  const auto what = "link up" + obs::more_like_it(*like_it);
  if (found.empty() || found.mapped().failures == 0) {
    obs::log_info(what, {{"peer", peer.name}});
    return;
  }
  const auto away =
      std::chrono::duration_cast<std::chrono::milliseconds>(now - found.mapped().since);
  obs::log_info(what, {{"peer", peer.name},
                       {"after_attempts", found.mapped().failures},
                       {"after_ms", away.count()}});
}

void LinkTroubles::down(const Peer& peer, boost::system::error_code reason, TimePoint now) {
  if (reason == Errc::stopping) return;
  if (const auto like_it = comings_and_goings_.admit(peer.name, now)) {
    obs::log_warning("link down" + obs::more_like_it(*like_it),
                     {{"peer", peer.name}, {"reason", reason.message()}});
  }
  const bool known = std::find(known_.begin(), known_.end(), peer.name) != known_.end();
  if (known) troubles_[peer.name].text = "link down: " + reason.message();
}

std::string LinkTroubles::of(const std::string& name) const {
  const auto found = troubles_.find(name);
  return found == troubles_.end() ? std::string{} : found->second.text;
}

}  // namespace fixkeep::net
