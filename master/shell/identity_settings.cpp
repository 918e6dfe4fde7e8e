#include "master/shell/identity_settings.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <utility>

#include "common/auth/hmac.hpp"
#include "common/base/base64.hpp"
#include "common/config/sections.hpp"
#include "common/net/configured_tls.hpp"

namespace fixkeep::master {
namespace {

using config::Json;

constexpr std::string_view everywhere = "anybody-may-name-any-player";

constexpr const char* needs_identity =
    "is not on the loopback device, where any client could play as any player: give "
    "identity.tokens or identity.keys, or set \"open\": \"anybody-may-name-any-player\" in "
    "identity";

template <class Fields, class OptionsOrConst>
void visit_rules(const Fields& fields, OptionsOrConst& options) {
  fields("identity.tokens.issuer", options.rules.issuer);
  fields("identity.tokens.audience", options.rules.audience);
  fields("identity.tokens.player_claim", options.rules.player_claim);
}

template <class Fields, class KeyOrConst>
void visit_key(const Fields& fields, KeyOrConst& key) {
  fields("name", key.name);
  fields("hash", key.hash);
  fields("requests_per_s", key.limits.per_second);
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

IdentityOptions read_identity(const config::Document& document) {
  IdentityOptions options;
  visit_rules(config::FieldReader{document.root()}, options);
  const Json& identity = document.root().at("identity");
  options.open_everywhere = identity.at("open") == everywhere;
  options.key_files = identity.at("tokens").at("key_files").get<std::vector<std::string>>();
  for (const Json& entry : identity.at("keys")) {
    ApiKeyOptions key;
    visit_key(config::FieldReader{entry}, key);
    key.limits.burst = burst_of(key.limits.per_second);
    key.modes = entry.at("modes").get<std::vector<std::string>>();
    options.keys.push_back(std::move(key));
  }
  return options;
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

Json identity_json(const IdentityOptions& options) {
  Json shown = Json::object();
  visit_rules(config::FieldWriter{shown}, options);
  Json& identity = shown["identity"];
  identity["open"] = options.open_everywhere ? everywhere : "on-loopback";
  identity["tokens"]["key_files"] = options.key_files;
  identity["keys"] = Json::array();
  for (const auto& key : options.keys) {
    Json entry = Json::object();
    visit_key(config::FieldWriter{entry}, key);
    entry["modes"] = key.modes;
    identity["keys"].push_back(std::move(entry));
  }
  return identity;
}

}  // namespace fixkeep::master
