#include "master/shell/identity_settings.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include "common/auth/hmac.hpp"
#include "common/base/base64.hpp"
#include "common/config/sections.hpp"
#include "common/net/configured_tls.hpp"

namespace fixkeep::master {
namespace {

using config::Json;

constexpr const char* needs_identity =
    "is not on the loopback device, where any client could play as any player: give "
    "identity.tokens or identity.keys, or set \"open\": \"anybody-may-name-any-player\" in "
    "identity";

using config::Fields;
using config::self;

constexpr std::size_t longest_name = 64;

void describe_tokens(Fields& fields, IdentityOptions& options) {
  const config::Text claimed{0, 1024};
  fields.texts(
      "key_files", options.key_files, {0, 8, true}, config::path_text,
      "Files with the public keys of tokens, each a JWK Set or PEM (keys or certificates). "
      "The master logs a warning for an unusable key. SIGHUP reads the files again. Keep "
      "an old key until its tokens have expired.");
  fields.secret("secret", {32, 1024},
                "The secret for HS256 tokens, shared with the issuer of the tokens. Give this or "
                "secret_file.");
  fields.text("issuer", options.rules.issuer, claimed,
              "The issuer of the tokens: the exact value of iss.");
  fields.text("audience", options.rules.audience, claimed,
              "The audience of the tokens: the value of aud, or one of its values.");
  fields.text("player_claim", options.rules.player_claim, {1, 256},
              "The claim that names the player: a text of 1 to 128 bytes.");
}

void describe(Fields& fields, ApiKeyOptions& key) {
  constexpr std::size_t digits = 64;
  fields.text(config::always("name"), key.name, config::name_text(longest_name),
              "The name of the key in metrics of requests.");
  fields.text(config::always("hash"), key.hash,
              {digits, digits, "^[0-9a-f]{64}$",
               "64 hexadecimal digits, as fixkeepctl key prints them", true},
              "The hash of the key. fixkeepctl key makes a key and its hash.");
  fields.texts("modes", key.modes, {0, 256, true}, {1, 128},
               "The modes in which the service may request and release seats; empty: all modes.");
  fields.whole("requests_per_s", key.limits.per_second, {0, 1'000'000, "requests per second"},
               "Requests per second of this key, after a burst; further requests get 429. 0: no "
               "limit.");
}

void read_key_file(const config::Document& document, const std::string& key,
                   IdentityOptions& options, config::Problems& problems, config::Problems& doubts) {
  const std::string path = config::resolved_path(document, key);
  std::ostringstream text;
  if (const auto trouble = config::read_file(path, text); !trouble.empty()) {
    problems.push_back(document.problem(key, path + " cannot be read: " + trouble));
    return;
  }
  auto read = auth::read_token_keys(text.str());
  if (const auto* sentence = std::get_if<std::string>(&read)) {
    problems.push_back(document.problem(key, path + " " + *sentence));
    return;
  }
  auto& file = std::get<auth::KeyFile>(read);
  constexpr std::size_t most_told = 8;
  for (std::size_t i = 0; i < std::min(file.left_out.size(), most_told); ++i) {
    doubts.push_back(document.problem(key, path + " is read without " + file.left_out[i]));
  }
  for (auto& one : file.keys) {
    auto& all = options.token_keys;
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(std::move(one));
  }
}

void read_tokens(const config::Document& document, IdentityOptions& options,
                 config::Problems& problems, config::Problems& doubts) {
  const Json& files = *config::find(document.root(), "identity.tokens.key_files");
  for (std::size_t i = 0; i < files.size(); ++i) {
    read_key_file(document, config::entry_key("identity.tokens.key_files", i), options, problems,
                  doubts);
  }
  const auto secret = config::load_secret_at(document, "identity.tokens.secret", problems, 32);
  if (secret && !secret->empty()) {
    auto key = auth::TokenKey::of_secret("", *secret);
    if (auto* made = std::get_if<auth::TokenKey>(&key)) {
      options.token_keys.push_back(std::move(*made));
    }
  }
  const auto missing = [&](const char* key, const std::string& value, const char* what) {
    if (!value.empty()) return;
    problems.push_back(document.problem(
        key, std::string{"is missing: without it tokens "} + what + " would count too"));
  };
  if (!files.empty() || secret) {
    missing("identity.tokens.issuer", options.rules.issuer, "of other issuers");
    missing("identity.tokens.audience", options.rules.audience, "for other services");
  } else if (!options.rules.issuer.empty() || !options.rules.audience.empty()) {
    problems.push_back(document.problem("identity.tokens.key_files",
                                        "is missing: without keys no token can be believed"));
  }
}

void check_keys(const config::Document& document, const IdentityOptions& options,
                config::Problems& problems) {
  config::check_unique(document, "identity.keys", "name", problems);
  config::check_unique(document, "identity.keys", "hash", problems);
  const Json& modes = *config::find(document.root(), "modes");
  for (std::size_t i = 0; i < options.keys.size(); ++i) {
    const auto& wanted = options.keys[i].modes;
    for (std::size_t m = 0; m < wanted.size(); ++m) {
      if (std::any_of(modes.begin(), modes.end(),
                      [&](const Json& mode) { return mode.at("name") == wanted[m]; })) {
        continue;
      }
      problems.push_back(
          document.problem(config::entry_key(config::entry_key("identity.keys", i) + ".modes", m),
                           "must be the name of one of modes, is \"" + wanted[m] + "\""));
    }
  }
}

}  // namespace

void describe_identity(Fields& fields, IdentityOptions& options) {
  const auto in_identity = fields.section(
      "identity",
      "How players and services prove their identity. If tokens or keys are set, the master "
      "refuses "
      "a request without a token or key.");
  fields.choice("open", options.open_everywhere,
                {{false, "on-loopback"}, {true, "anybody-may-name-any-player"}},
                "Where a request without token or key may name any player. on-loopback: on "
                "the loopback device, if neither tokens nor keys are set. "
                "anybody-may-name-any-player: everywhere, for each client that can reach the "
                "port.");
  {
    const auto in_tokens = fields.section(
        "tokens",
        "Tokens of players (JSON Web Tokens): RS256, ES256, EdDSA or HS256, by the type of the "
        "key. With a token, a player can request a seat only for itself.");
    describe_tokens(fields, options);
  }
  fields.list(
      "keys", options.keys, {0, 64},
      "Keys of services that send requests for players, such as a studio's back end. SIGHUP "
      "applies the new list.",
      [&](ApiKeyOptions& key) {
        {
          const auto entry = fields.section(self, "One of them.");
          describe(fields, key);
        }
        if (fields.reads()) key.limits.burst = burst_of(key.limits.per_second);
      });
}

void configure_identity(const config::Document& document, IdentityOptions& options,
                        config::Problems& problems, config::Problems& doubts) {
  const auto before = problems.size();
  read_tokens(document, options, problems, doubts);
  check_keys(document, options, problems);
  const bool shown = !options.token_keys.empty() || !options.keys.empty();
  options.open = options.open_everywhere || !shown;
  if (problems.size() > before || !options.open || options.open_everywhere) return;
  const Json& address = *config::find(document.root(), "http.address");
  if (net::is_on_loopback(address.get<std::string>())) return;
  problems.push_back(document.problem("http.address", needs_identity));
}

std::string admits_of(const IdentityOptions& options) {
  if (options.open) return "open";
  std::string text = "tokens";
  if (options.token_keys.empty()) {
    text = "keys alone";
  } else {
    for (const auto& part :
         {options.rules.issuer, options.rules.audience, options.rules.player_claim}) {
      text += '\n' + part;
    }
  }
  std::string word;
  append_base64url(auth::view_of(auth::hmac_sha256("fixkeep identity 1", text)), word);
  return word;
}

}  // namespace fixkeep::master
