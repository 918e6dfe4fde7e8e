// Identity identifies the caller by a request's token or key, before the master reads the body or
// counts anything.
//
// A request shows a player's token (with two dots), a service's key, or nothing. The configuration
// decides which of these are accepted. If there are keys for tokens or services, an invalid token
// or key is refused even if none is needed.
//
// Thread rule: the master's thread. Bounds: see TokenCache and net::WrongTokens. Errors: 401
// token-needed, wrong-token and token-expired; 429 too-many-wrong-tokens.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "common/auth/jwt/token_verifier.hpp"
#include "common/net/http/server.hpp"
#include "common/net/http/wrong_tokens.hpp"
#include "master/http/identity/caller.hpp"
#include "master/http/identity/options.hpp"
#include "master/http/identity/token_cache.hpp"

namespace fixkeep::master {

class Identity {
 public:
  explicit Identity(const IdentityOptions& options);

  struct Refusal {
    std::string_view type;  // literal
    net::HttpAnswer answer;
  };
  struct Moment {
    TimePoint now;
    auth::WallTime wall;
  };
  [[nodiscard]] std::variant<Caller, Refusal> identify(const net::HttpRequest& request,
                                                       const boost::asio::ip::address& client,
                                                       Moment moment);

  // From now on only the keys in `options` verify tokens.
  void renew(const IdentityOptions& options);

  [[nodiscard]] std::size_t tokens_kept() const { return cache_.size(); }
  [[nodiscard]] std::uint64_t wrong_tokens() const { return wrong_.count(); }
  // Counts refused requests by cause, with an entry for every cause.
  using Refusals = std::map<std::string_view, std::uint64_t>;
  [[nodiscard]] const Refusals& refused() const { return refused_; }

 private:
  void take(const IdentityOptions& options);
  [[nodiscard]] std::variant<Caller, Refusal> by_token(std::string_view token,
                                                       const boost::asio::ip::address& client,
                                                       Moment moment);
  [[nodiscard]] std::variant<Caller, Refusal> by_key(std::string_view key,
                                                     const boost::asio::ip::address& client,
                                                     Moment moment);
  [[nodiscard]] Refusal wrong(std::string_view cause, std::string_view detail,
                              const boost::asio::ip::address& client, Moment moment);

  bool open_ = false;
  std::optional<auth::TokenVerifier> verifier_;  // null: no token is accepted
  std::vector<std::shared_ptr<const ApiKeyOptions>> keys_;
  TokenCache cache_;
  net::WrongTokens wrong_;
  net::WrongTokens expired_;  // expired tokens, counted separately
  Refusals refused_;          // key: a literal
};

}  // namespace fixkeep::master
