#include "ctl/identity/commands.hpp"

#include <CLI/CLI.hpp>
#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "common/auth/api_key.hpp"
#include "common/auth/hmac.hpp"
#include "common/base/base64.hpp"
#include "common/config/secret_text.hpp"

namespace fixkeep::ctl {
namespace {

struct TokenOptions {
  std::string player;
  std::string issuer;
  std::string audience;
  std::string claim = "sub";
  std::string secret_file;
  int minutes = 60;
};

// Returns the secret in the file. Empty if the file cannot be read or is empty.
std::string secret_of_file(const std::string& path) {
  std::ifstream file{path};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  return config::secret_in(text);
}

int show_key(const std::string& file, std::ostream& out, std::ostream& err) {
  const std::string key = file.empty() ? auth::make_api_key() : secret_of_file(file);
  if (key.empty()) return fail(err, file + " cannot be read, or has no key in it");
  if (file.empty()) out << "key   " << key << '\n';
  out << "hash  " << auth::hash_of_api_key(key) << '\n';
  return 0;
}

int show_token(const TokenOptions& options, std::ostream& out, std::ostream& err) {
  const std::string secret = secret_of_file(options.secret_file);
  if (secret.size() < 32) {
    return fail(err, options.secret_file +
                         " cannot be read, or has fewer than 32 bytes: openssl rand -hex 32 makes "
                         "a secret");
  }
  const auto ends = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()) +
                    std::chrono::minutes{options.minutes};
  const nlohmann::json claims{{"iss", options.issuer},
                              {"aud", options.audience},
                              {options.claim, options.player},
                              {"exp", ends.time_since_epoch().count()}};
  std::string token;
  append_base64url(R"({"alg":"HS256","typ":"JWT"})", token);
  token += '.';
  append_base64url(claims.dump(), token);
  const auto signature = auth::hmac_sha256(secret, token);
  token += '.';
  append_base64url(auth::view_of(signature), token);
  out << token << '\n';
  return 0;
}

}  // namespace

void add_identity(CLI::App& app, Run& run) {
  const auto file = std::make_shared<std::string>();
  CLI::App* const key =
      app.add_subcommand("key", "makes a key for a service that speaks for players, and its hash");
  key->add_option("--file", *file, "says the hash of the key in this file instead")
      ->type_name("FILE");
  key->callback([&run, file] {
    run = [file](std::ostream& out, std::ostream& err) { return show_key(*file, out, err); };
  });

  const auto options = std::make_shared<TokenOptions>();
  CLI::App* const token =
      app.add_subcommand("token", "makes a token of a player by a secret (HS256), to try it");
  token->add_option("player", options->player, "the player that it names")->required();
  token->add_option("--issuer", options->issuer, "identity.tokens.issuer")->required();
  token->add_option("--audience", options->audience, "identity.tokens.audience")->required();
  token->add_option("--secret-file", options->secret_file, "identity.tokens.secret_file")
      ->type_name("FILE")
      ->required();
  token->add_option("--claim", options->claim, "identity.tokens.player_claim");
  token->add_option("--minutes", options->minutes, "for how long it counts")
      ->check(CLI::Range(1, 1440));
  token->callback([&run, options] {
    run = [options](std::ostream& out, std::ostream& err) {
      return show_token(*options, out, err);
    };
  });
}

}  // namespace fixkeep::ctl
