#include "master/http/identity/caller_limits.hpp"

namespace fixkeep::master {

// Addresses have no blank, so a name with a blank never equals an address.
CountedAs counted_as(const Caller& caller, const ClientAddress& address) {
  switch (caller.kind) {
    case Caller::Kind::anybody: return {address, {}};
    case Caller::Kind::player: return {ClientAddress{"player " + caller.player.text()}, address};
    case Caller::Kind::service: return {ClientAddress{"key " + caller.key->name}, {}};
  }
  return {address, {}};
}

ClientLimits::Admission CallerLimits::admit(const Caller& caller, const CountedAs& counted,
                                            TimePoint now) {
  const auto& own = caller.key == nullptr ? options_ : caller.key->limits;
  const auto first = limits_.admit(counted.first, own, now);
  if (first.verdict != ClientLimits::Verdict::admitted || counted.then.empty()) return first;
  const auto then = limits_.admit(counted.then, options_, now);
  if (then.verdict != ClientLimits::Verdict::admitted) limits_.done(counted.first);
  return then;
}

void CallerLimits::done(const CountedAs& counted) {
  limits_.done(counted.first);
  if (!counted.then.empty()) limits_.done(counted.then);
}

}  // namespace fixkeep::master
