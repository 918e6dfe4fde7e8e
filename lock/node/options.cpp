#include "lock/node/options.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <optional>
#include <ostream>
#include <string_view>

namespace fixkeep::lock_node {

namespace {

constexpr const char* footer =
    "Commands are read from standard input, one JSON object a line; what happens is written to\n"
    "standard output in the same way. For example, with two more nodes on ports 7302 and 7303:\n"
    "  fixkeep-lock-node --self 1 --peers 1=127.0.0.1:7301,2=127.0.0.1:7302,3=127.0.0.1:7303\n"
    "  {\"do\":\"acquire\",\"key\":\"duel\"}\n"
    "  {\"do\":\"release\",\"key\":\"duel\",\"bytes\":\"for the next one\"}\n"
    "Exit codes: 0 the end of the input, or quit; 2 wrong usage; 3 cannot listen.";

struct Raw {
  std::string peers;
  std::string listen;
  std::string servers;
  std::string quorum = "grid";
  std::uint16_t self = 0;
  std::uint32_t lease_ms = 5000;
  std::uint32_t wait_ms = 10'000;
  std::uint32_t join_grace_ms = 5000;
};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// Parses a text like "3=127.0.0.1:7303".
std::optional<std::pair<MasterId, config::Address>> parse_peer(const std::string& text) {
  std::uint16_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || rest == end || *rest != '=' || number == 0 || number > 255) return {};
  const auto address = config::parse_address(std::string_view{rest + 1, end});
  if (!address) return {};
  return std::pair{MasterId{number}, *address};
}

// Returns the mistake or an empty text.
std::string take_peers(NodeOptions& options, const Raw& raw) {
  for (const auto& text : split(raw.peers)) {
    const auto peer = parse_peer(text);
    if (!peer) return "--peers: \"" + text + "\" is not like 2=127.0.0.1:7302";
    if (!options.peers.insert(*peer).second) return "--peers: two have the number of " + text;
  }
  if (const auto own = options.peers.extract(options.self); !own.empty()) {
    options.listen = own.mapped();
  }
  if (!raw.listen.empty()) {
    const auto address = config::parse_address(raw.listen);
    if (!address) return "--listen: \"" + raw.listen + "\" is not like 127.0.0.1:7301";
    options.listen = *address;
  }
  if (options.listen.host.empty()) return "neither --listen nor --peers says where to listen";
  return {};
}

std::string complete(NodeOptions& options, const Raw& raw) {
  const auto* strategy = lock::find_strategy(options.strategy);
  if (strategy == nullptr) {
    std::string text = "--strategy: \"" + options.strategy + "\" is not one of";
    for (const auto& known : lock::strategies) text += " " + std::string{known.name};
    return text;
  }
  options.self = MasterId{raw.self};
  options.quorum = lock::parse_quorum(raw.quorum).value_or(lock::Quorum::grid);
  options.lease = std::chrono::milliseconds{raw.lease_ms};
  options.wait = std::chrono::milliseconds{raw.wait_ms};
  options.join_grace = std::chrono::milliseconds{raw.join_grace_ms};
  if (auto mistake = take_peers(options, raw); !mistake.empty()) return mistake;
  for (const auto& text : split(raw.servers)) {
    const auto address = config::parse_address(text);
    if (!address) return "--servers: \"" + text + "\" is not like 127.0.0.1:6379";
    options.servers.push_back(*address);
  }
  const bool wanted = strategy->family == lock::Family::engine;
  if (wanted && options.servers.empty()) return "--servers: " + options.strategy + " needs them";
  if (!wanted && !options.servers.empty()) return "--servers: " + options.strategy + " has none";
  return {};
}

}  // namespace

std::variant<NodeOptions, ExitCode> parse_options(int argc, const char* const* argv,
                                                  std::ostream& out, std::ostream& err) {
  CLI::App app{"One participant of a distributed lock, driven by lines of JSON",
               "fixkeep-lock-node"};
  app.option_defaults()->always_capture_default();
  NodeOptions options;
  Raw raw;
  const auto milliseconds = CLI::Range(1, 3'600'000);
  app.footer(footer);
  app.add_option("--strategy", options.strategy, "As lock.strategy of a master");
  app.add_option("--self", raw.self, "Our own number")
      ->check(CLI::Range(1, 255))
      ->required()
      ->default_str("");
  app.add_option("--peers", raw.peers, "All masters, NUMBER=HOST:PORT with commas between")
      ->required();
  app.add_option("--listen", raw.listen, "HOST:PORT; default: this node's entry in --peers");
  app.add_option("--servers", raw.servers,
                 "HOST:PORT,... of redis, redlock, etcd, zookeeper, postgres, kubernetes-lease");
  app.add_option("--cluster", options.cluster, "Only nodes of one cluster know each other")
      ->check([](const std::string& text) { return text.empty() ? "is empty" : std::string{}; });
  app.add_option("--certificates", options.certificates,
                 "Folder of `fixkeepctl certs`; links are TLS 1.3, and without it they are plain")
      ->check(CLI::ExistingDirectory);
  app.add_option("--lease-ms", raw.lease_ms, "Longest hold")->check(milliseconds);
  app.add_option("--wait-ms", raw.wait_ms, "Longest wait")->check(milliseconds);
  app.add_option("--join-grace-ms", raw.join_grace_ms,
                 "Longest wait after the start for peers that are silent")
      ->check(milliseconds);
  app.add_option("--quorum", raw.quorum, "Of maekawa")->check(CLI::IsMember({"grid", "majority"}));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error, out, err);
    return ExitCode{code == 0 ? 0 : exit_usage};
  }
  if (const auto mistake = complete(options, raw); !mistake.empty()) {
    err << mistake << "\nRun with --help for more information.\n";
    return ExitCode{exit_usage};
  }
  return options;
}

}  // namespace fixkeep::lock_node
