#include "master/http/identity/identity.hpp"

#include <algorithm>
#include <boost/beast/http/field.hpp>
#include <iterator>
#include <string>
#include <utility>

#include "common/auth/api_key.hpp"
#include "common/auth/hmac.hpp"
#include "common/base/credential.hpp"
#include "common/wire/limits.hpp"

namespace fixkeep::master {
namespace {

static_assert(auth::TokenVerifier::player_bytes == wire::limits::id_bytes);

constexpr std::string_view challenge = R"(Bearer realm="fixkeep players")";
constexpr std::string_view challenge_again =
    R"(Bearer realm="fixkeep players", error="invalid_token")";

// Causes of refusals that are not mistakes in a token.
constexpr std::string_view nothing_shown = "nothing-shown";
constexpr std::string_view not_bearer = "not-bearer";
constexpr std::string_view no_tokens_here = "no-tokens-here";
constexpr std::string_view unknown_service = "unknown-service-key";

Identity::Refusal unknown_caller(std::string_view type, std::string_view title,
                                 std::string_view detail, std::string_view challenged) {
  auto answer = net::problem(401, type, title, detail);
  answer.authenticate = {challenged};
  return {type, std::move(answer)};
}

struct Credential {
  std::string_view text;
  std::string problem;  // empty: no problem
};

// Two Authorization lines are refused as ambiguous. A problem never quotes the line, because the
// line may contain a secret.
Credential credential_of(const net::HttpRequest& request) {
  const auto [first, last] = request.equal_range(net::http::field::authorization);
  if (first == last) {
    return {{},
            "send one line \"Authorization: Bearer \", and the player's token or a service's key"};
  }
  if (std::next(first) != last) {
    const auto lines = std::distance(first, last);
    return {{}, "there are " + std::to_string(lines) + " lines \"Authorization\": send one"};
  }
  const std::string_view said{first->value().data(), first->value().size()};
  const auto shown = credential_in(said, "bearer");
  if (!shown) return {{}, "the line \"Authorization\" does not begin with \"Bearer \""};
  if (shown->empty()) return {{}, "nothing stands behind \"Bearer\""};
  return {*shown, {}};
}

}  // namespace

Identity::Identity(const IdentityOptions& options) {
  for (const auto cause : {nothing_shown, not_bearer, no_tokens_here, unknown_service}) {
    refused_[cause] = 0;
  }
  for (std::size_t i = 0; i < auth::token_faults; ++i) {
    refused_[to_string(static_cast<auth::TokenFault>(i))] = 0;
  }
  take(options);
}

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
  if (!verifier_ && keys_.empty()) return Caller{};  // without keys all callers are admitted
  const bool shows_something = request.count(net::http::field::authorization) > 0;
  if (!shows_something && open_) return Caller{};
  const auto credential = credential_of(request);
  if (!credential.problem.empty()) {
    ++refused_[shows_something ? not_bearer : nothing_shown];
    return unknown_caller("token-needed", "The request needs a token or key", credential.problem,
                          challenge);
  }
  const bool is_token = credential.text.find('.') != std::string_view::npos || keys_.empty();
  return is_token ? by_token(credential.text, client, moment)
                  : by_key(credential.text, client, moment);
}

std::variant<Caller, Identity::Refusal> Identity::by_token(std::string_view token,
                                                           const boost::asio::ip::address& client,
                                                           Moment moment) {
  if (!verifier_) {
    return wrong(no_tokens_here, "this master takes keys of services, and no tokens of players",
                 client, moment);
  }
  if (const PlayerId* known = cache_.find(token, moment.wall)) {
    return Caller{.kind = Caller::Kind::player, .player = *known, .key = {}};
  }
  const auto result = verifier_->verify(token, moment.wall);
  if (const auto* verified = std::get_if<auth::PlayerToken>(&result)) {
    cache_.add(token, *verified);
    return Caller{.kind = Caller::Kind::player, .player = verified->player, .key = {}};
  }
  const auto& [fault, detail] = std::get<auth::TokenRefusal>(result);
  if (fault == auth::TokenFault::expired) {
    ++refused_[to_string(fault)];
    auto refusal =
        unknown_caller("token-expired", "The player's token has ended", detail, challenge_again);
    // Too many expired tokens from one address close the connection: they may be forged, and each
    // check of a token costs time.
    refusal.answer.last = expired_.add(client, moment.now) > std::chrono::seconds{0};
    return refusal;
  }
  return wrong(to_string(fault), detail, client, moment);
}

std::variant<Caller, Identity::Refusal> Identity::by_key(std::string_view key,
                                                         const boost::asio::ip::address& client,
                                                         Moment moment) {
  const std::string hash = auth::hash_of_api_key(key);
  const auto known = std::find_if(keys_.begin(), keys_.end(), [&](const auto& each) {
    return auth::equal_in_constant_time(each->hash, hash);
  });
  if (known == keys_.end()) {
    return wrong(unknown_service, "it is no key of identity.keys, and no token: that has two dots",
                 client, moment);
  }
  return Caller{.kind = Caller::Kind::service, .player = {}, .key = *known};
}

Identity::Refusal Identity::wrong(std::string_view cause, std::string_view detail,
                                  const boost::asio::ip::address& client, Moment moment) {
  ++refused_[cause];
  const auto wait = wrong_.add(client, moment.now);
  if (wait == std::chrono::seconds{0}) {
    return unknown_caller("wrong-token", "The token or key is not valid", detail, challenge_again);
  }
  constexpr std::string_view type = "too-many-wrong-tokens";
  auto answer = net::problem(
      429, type, "Too many wrong tokens",
      "this address has shown many wrong tokens, and a right one is always heard; of this one: " +
          std::string{detail});
  answer.retry_after_seconds = static_cast<unsigned>(wait.count());
  answer.last = true;
  return {type, std::move(answer)};
}

}  // namespace fixkeep::master
