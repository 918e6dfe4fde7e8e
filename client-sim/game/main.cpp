// fixkeep-demo-game: a small real game server. It demonstrates and tests the parts of this project
// that run a game.

#include <openssl/crypto.h>
#include <sys/random.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "client-sim/game/options.hpp"
#include "client-sim/game/room.hpp"

namespace {

bool happens(double percent) {
  unsigned number = 0;
  if (percent <= 0 || getrandom(&number, sizeof(number), 0) < 0) return false;
  return number % 1'000'000 < percent * 10'000;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace fixkeep;
  const auto started = std::chrono::steady_clock::now();
  const game::ParsedOptions parsed = game::parse_options(argc, argv);
  if (parsed.help) {
    std::fputs(game::usage(), stdout);
    return 0;
  }
  if (!parsed.problem.empty()) {
    std::fprintf(stderr, "fixkeep-demo-game: %s (see --help)\n", parsed.problem.c_str());
    return 2;
  }
  // OpenSSL must not load its settings and error texts. This would take 0.6 ms, longer than the
  // check of a token, and the check works without them.
  OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS, nullptr);
  std::this_thread::sleep_until(started + parsed.options.boot);
  if (happens(parsed.options.boot_fail_percent)) return parsed.options.exit_code;
  game::Room room{parsed.options};
  return room.run();
}
