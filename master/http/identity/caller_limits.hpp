// CallerLimits bounds each caller's requests to this master. A service counts under its key. A
// player with a token counts under its id and its address. A client without a token counts under
// its address.
//
// Thread rule: one owner; reads no clock. Bounds and errors: see ClientLimits.
#pragma once

#include "master/http/identity/caller.hpp"
#include "master/http/identity/client_limits.hpp"

namespace fixkeep::master {

struct CountedAs {
  ClientAddress first;
  ClientAddress then;  // second name; empty: only the first name counts

  // Returns the name under which the caller's started rooms count.
  [[nodiscard]] const ClientAddress& for_rooms() const { return then.empty() ? first : then; }
};

[[nodiscard]] CountedAs counted_as(const Caller& caller, const ClientAddress& address);

class CallerLimits {
 public:
  // `options`: limits for callers without a key.
  explicit CallerLimits(const ClientLimitOptions& options) : options_(options) {}

  // Admits the request if its caller is within the limits. An admitted request counts as waiting
  // until done().
  [[nodiscard]] ClientLimits::Admission admit(const Caller& caller, const CountedAs& counted,
                                              TimePoint now);
  void done(const CountedAs& counted);

 private:
  ClientLimitOptions options_;
  ClientLimits limits_;
};

}  // namespace fixkeep::master
