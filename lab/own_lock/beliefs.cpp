#include "lab/own_lock/beliefs.hpp"

#include <algorithm>

namespace fixkeep::own_lock {

std::size_t Beliefs::running(const Key& key) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      key.believers, [&](const auto& entry) { return !stopped_.contains(entry.first); }));
}

// Counts the key's running believers, and begins or ends a period with two of them.
void Beliefs::look(Key& key, TimePoint now) {
  const bool two = running(key) > 1;
  if (two && !key.two_since) {
    key.two_since = now;
    ++figures_.overlaps;
  } else if (!two && key.two_since) {
    figures_.two_believers += now - *key.two_since;
    key.two_since.reset();
  }
}

bool Beliefs::acquired(std::size_t node, std::size_t key, Token token, bool needs_fence,
                       Duration waited, TimePoint now) {
  Key& held = keys_[key];
  if (token && needs_fence) {
    if (*token < held.fence) {
      ++figures_.fenced;
      return false;
    }
    held.fence = *token;
  }
  ++figures_.holds;
  ++figures_.shares[node];
  figures_.waits.push_back(waited);
  if (token) {
    ++figures_.tokens;
    if (*token <= held.highest_token && !needs_fence) ++figures_.tokens_fell;
    held.highest_token = std::max(held.highest_token, *token);
  }
  if (held.ended_at) {
    figures_.no_holder.push_back(now - *held.ended_at);
    held.ended_at.reset();
  }
  held.believers[node] = token;
  held.latest = node;
  look(held, now);
  return true;
}

void Beliefs::end(std::size_t node, std::size_t key, TimePoint now) {
  keys_[key].believers.erase(node);
  look(keys_[key], now);
}

void Beliefs::lost(std::size_t node, std::size_t key, TimePoint now) {
  if (!believes(node, key)) return;
  ++figures_.lost;
  end(node, key, now);
}

void Beliefs::stopped(std::size_t node, TimePoint now) {
  for (auto& [number, key] : keys_) {
    if (key.believers.contains(node) && running(key) == 1) key.ended_at = now;
  }
  stopped_[node] = true;
  for (auto& [number, key] : keys_) look(key, now);
}

void Beliefs::continued(std::size_t node, TimePoint now) {
  stopped_.erase(node);
  for (auto& [number, key] : keys_) {
    // The holder is back before another node was granted the key: the key was never without a
    // holder.
    if (key.ended_at && key.believers.contains(node)) key.ended_at.reset();
    look(key, now);
  }
}

void Beliefs::killed(std::size_t node, TimePoint now) {
  for (auto& [number, key] : keys_) {
    if (key.believers.contains(node) && running(key) == 1) key.ended_at = now;
    key.believers.erase(node);
    look(key, now);
  }
}

void Beliefs::write(std::size_t node, std::size_t key) {
  Key& held = keys_[key];
  ++figures_.writes;
  const Token token = held.believers[node];
  const bool refused = token && *token < held.fence;
  if (token) held.fence = std::max(held.fence, *token);
  if (held.latest == node) return;
  ++figures_.stale_writes;
  if (!refused) ++figures_.past_the_fence;
}

bool Beliefs::believes(std::size_t node, std::size_t key) const {
  const auto found = keys_.find(key);
  return found != keys_.end() && found->second.believers.contains(node);
}

std::vector<std::size_t> Beliefs::believers(std::size_t key) const {
  std::vector<std::size_t> nodes;
  const auto found = keys_.find(key);
  if (found == keys_.end()) return nodes;
  for (const auto& [node, token] : found->second.believers) {
    if (!stopped_.contains(node)) nodes.push_back(node);
  }
  return nodes;
}

Figures Beliefs::finish(TimePoint now) {
  for (auto& [number, key] : keys_) {
    key.believers.clear();
    look(key, now);
    if (key.ended_at) ++figures_.never_granted;
  }
  return figures_;
}

}  // namespace fixkeep::own_lock
