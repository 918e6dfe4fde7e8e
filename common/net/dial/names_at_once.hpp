// Looks up several names side by side within one limit. Some libraries want all addresses of their
// servers at the start.
//
// A late look-up has the answer host_not_found_try_again and delays no other name.
//
// Thread rule: the executor's. Lifetime: the object may end at any time; `told` is not called then.
// Bounds: `limit`; those of name_lookups.hpp. Errors: those of the look-ups: one for each name.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/net/dial/name_lookups.hpp"

namespace fixkeep::net {

class NamesAtOnce {
 public:
  using Told = std::function<void(const std::vector<LookupAnswer>&)>;  // in order of names

  // `told` is called once but not from within.
  NamesAtOnce(const boost::asio::any_io_executor& executor, const std::vector<std::string>& names,
              std::chrono::milliseconds limit, Told told,
              NameLookups& lookups = *NameLookups::of_the_system());
  ~NamesAtOnce();
  NamesAtOnce(const NamesAtOnce&) = delete;
  NamesAtOnce& operator=(const NamesAtOnce&) = delete;

 private:
  class Round;
  std::weak_ptr<Round> round_;
};

}  // namespace fixkeep::net
