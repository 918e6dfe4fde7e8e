// CallerLimits bounds what each caller may ask of this master, by the names that the caller is
// counted under: a service under its key; a player with a token under its id, and beside that under
// its address, as a client without a token is.
//
// Thread rule: one owner; reads no clock. Bounds and errors: those of ClientLimits.
#pragma once

#include "master/http/identity/caller.hpp"
#include "master/http/identity/client_limits.hpp"

namespace fixkeep::master {

struct CountedAs {
  ClientAddress first;
  ClientAddress then;  // empty: under the first name alone

  // The name under which rooms are counted that are started for the caller.
  [[nodiscard]] const ClientAddress& for_rooms() const { return then.empty() ? first : then; }
};

[[nodiscard]] CountedAs counted_as(const Caller& caller, const ClientAddress& address);

class CallerLimits {
 public:
  // `options` are those of everybody who shows no key.
  explicit CallerLimits(const ClientLimitOptions& options) : options_(options) {}

  // Admitted: the request counts as waiting until it is done().
  [[nodiscard]] ClientLimits::Admission admit(const Caller& caller, const CountedAs& counted,
                                              TimePoint now);
  void done(const CountedAs& counted);

 private:
  ClientLimitOptions options_;
  ClientLimits limits_;
};

}  // namespace fixkeep::master
