// What it costs to know who asks: a token that is verified, by its algorithm, and one that is kept.
//
// Usage: fixkeep-bench-tokens                     prints microseconds each
//        fixkeep-bench-tokens --write N FOLDER    writes FOLDER/keys.jwks and FOLDER/tokens, one a
//                                                 line, of the players p-0-1 to p-0-N, for
//                                                 match.lua
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "master/http/identity/token_cache.hpp"
#include "tests/support/token_issuer.hpp"

namespace {

using namespace fixkeep;
using auth::TokenAlgorithm;
using support::TokenIssuer;

constexpr auth::WallTime now{std::chrono::seconds{1'800'000'000}};
const auth::TokenRules rules{.issuer = "https://accounts.example", .audience = "fixkeep"};

std::string claims_of(const std::string& player) {
  return R"({"iss":"https://accounts.example","aud":"fixkeep","sub":")" + player +
         R"(","iat":1790000000,"exp":4000000000,"jti":"6f9d1c5e-0f0b-4b8e-9c43-1f1c4a3a2b11"})";
}

template <class Work>
double microseconds_each(int times, Work work) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < times; ++i) work(i);
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  return took.count() / times;
}

int measure() {
  constexpr int times = 2'000;
  const TokenIssuer issuers[] = {
      TokenIssuer{TokenAlgorithm::rs256, "k"}, TokenIssuer{TokenAlgorithm::es256, "k"},
      TokenIssuer{TokenAlgorithm::eddsa, "k"}, TokenIssuer::of_secret(std::string(32, 's'), "k")};
  const char* const names[] = {"RS256", "ES256", "EdDSA", "HS256"};
  for (std::size_t i = 0; i < std::size(issuers); ++i) {
    const auth::TokenVerifier verifier{rules, issuers[i].keys()};
    const auto token = issuers[i].token(claims_of("p-0-1"));
    const double each = microseconds_each(times, [&](int) {
      if (verifier.verify(token, now).index() != 0) std::abort();
    });
    std::cout << fmt::format("{} verified   {:6.1f} us, {} bytes\n", names[i], each, token.size());
  }
  constexpr int kept = 50'000;
  master::TokenCache cache;
  std::vector<std::string> tokens;
  for (int i = 0; i < kept; ++i) {
    tokens.push_back(issuers[3].token(claims_of("p-0-" + std::to_string(i))));
    cache.add(tokens.back(), {PlayerId{"p"}, now + std::chrono::hours{1}});
  }
  const double each = microseconds_each(kept, [&](int i) {
    if (cache.find(tokens[static_cast<std::size_t>(i)], now) == nullptr) std::abort();
  });
  std::cout << fmt::format("kept, of {}  {:6.2f} us\n", kept, each);
  return 0;
}

int write(int count, const std::string& folder) {
  const TokenIssuer issuer{TokenAlgorithm::es256, "k"};
  std::ofstream{folder + "/keys.jwks"} << issuer.jwk_set();
  std::ofstream tokens{folder + "/tokens"};
  for (int i = 1; i <= count; ++i) {
    tokens << issuer.token(claims_of("p-0-" + std::to_string(i))) << '\n';
  }
  return tokens.good() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string_view{argv[1]} == "--write") {
    return write(std::atoi(argv[2]), argv[3]);
  }
  return measure();
}
