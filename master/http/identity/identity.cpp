#include "master/http/identity/identity.hpp"

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/field.hpp>
#include <iterator>
#include <string>
#include <utility>

#include "common/auth/api_key.hpp"
#include "common/auth/hmac.hpp"
#include "common/wire/limits.hpp"

namespace fixkeep::master {
namespace {

static_assert(auth::TokenVerifier::player_bytes == wire::limits::id_bytes);

constexpr std::string_view challenge = R"(Bearer realm="fixkeep players")";
constexpr std::string_view challenge_again =
    R"(Bearer realm="fixkeep players", error="invalid_token")";

Identity::Refusal unknown_caller(std::string_view type, std::string_view title,
                                 std::string_view detail, std::string_view challenged) {
  auto answer = net::problem(401, type, title, detail);
  answer.authenticate = {challenged};
  return {type, std::move(answer)};
}

// Returns what stands behind "Bearer"; empty: nothing, or something else. Two of them are none,
// since nobody knows which one is meant.
std::string_view credential_of(const net::HttpRequest& request) {
  constexpr std::string_view scheme = "Bearer ";
  const auto [first, last] = request.equal_range(net::http::field::authorization);
  if (first == last || std::next(first) != last) return {};
  const std::string_view said{first->value().data(), first->value().size()};
  if (!boost::beast::iequals(said.substr(0, scheme.size()), scheme)) return {};
  return said.substr(scheme.size());
}

}  // namespace

void Identity::take(const IdentityOptions& options) {
  open_ = options.open;
  verifier_.reset();
  if (!options.token_keys.empty()) verifier_.emplace(options.rules, options.token_keys);
  keys_.clear();
  for (const auto& key : options.keys) keys_.push_back(std::make_shared<const ApiKeyOptions>(key));
}

void Identity::renew(const IdentityOptions& options) {
  cache_.clear();
  take(options);
}

std::variant<Caller, Identity::Refusal> Identity::identify(const net::HttpRequest& request,
                                                           const boost::asio::ip::address& client,
                                                           Moment moment) {
  if (!verifier_ && keys_.empty()) return Caller{};  // settings without either are open
  const bool shows_something = request.count(net::http::field::authorization) > 0;
  if (!shows_something && open_) return Caller{};
  const auto credential = credential_of(request);
  if (credential.empty()) {
    return unknown_caller("token-needed", "Nobody knows who asks",
                          "send one line \"Authorization: Bearer \", and the player's token or a "
                          "service's key",
                          challenge);
  }
  const bool is_token = credential.find('.') != std::string_view::npos;
  return is_token ? by_token(credential, client, moment) : by_key(credential, client, moment);
}

std::variant<Caller, Identity::Refusal> Identity::by_token(std::string_view token,
                                                           const boost::asio::ip::address& client,
                                                           Moment moment) {
  if (!verifier_) return wrong("this master takes no tokens of players", client, moment);
  if (const PlayerId* known = cache_.find(token, moment.wall)) {
    return Caller{.kind = Caller::Kind::player, .player = *known, .key = {}};
  }
  const auto result = verifier_->verify(token, moment.wall);
  if (const auto* verified = std::get_if<auth::PlayerToken>(&result)) {
    cache_.add(token, *verified);
    return Caller{.kind = Caller::Kind::player, .player = verified->player, .key = {}};
  }
  const auto fault = std::get<auth::TokenFault>(result);
  if (fault == auth::TokenFault::expired) {
    return unknown_caller("token-expired", "The player's token has ended", detail_of(fault),
                          challenge_again);
  }
  return wrong(detail_of(fault), client, moment);
}

std::variant<Caller, Identity::Refusal> Identity::by_key(std::string_view key,
                                                         const boost::asio::ip::address& client,
                                                         Moment moment) {
  const std::string hash = auth::hash_of_api_key(key);
  const auto known = std::find_if(keys_.begin(), keys_.end(), [&](const auto& each) {
    return auth::equal_in_constant_time(each->hash, hash);
  });
  if (known == keys_.end()) return wrong("it is no key of identity.keys", client, moment);
  return Caller{.kind = Caller::Kind::service, .player = {}, .key = *known};
}

Identity::Refusal Identity::wrong(std::string_view detail, const boost::asio::ip::address& client,
                                  Moment moment) {
  const auto wait = wrong_.add(client, moment.now);
  if (wait == std::chrono::seconds{0}) {
    return unknown_caller("wrong-token", "What was shown does not say who asks", detail,
                          challenge_again);
  }
  constexpr std::string_view type = "too-many-wrong-tokens";
  auto answer =
      net::problem(429, type, "Too many wrong tokens",
                   "this address has shown many wrong tokens; a right one is always heard");
  answer.retry_after_seconds = static_cast<unsigned>(wait.count());
  answer.last = true;
  return {type, std::move(answer)};
}

}  // namespace fixkeep::master
