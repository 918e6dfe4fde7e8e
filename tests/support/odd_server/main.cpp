// fixkeep-odd-server: a small game server with the odd habits of real ones; see options.hpp.

#include "tests/support/odd_server/server.hpp"

int main(int argc, char** argv) {
  return fixkeep::odd::Server{fixkeep::odd::parse_options(argc, argv)}.run();
}
