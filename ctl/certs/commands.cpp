#include "ctl/certs/commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "common/certs/folder.hpp"

namespace fixkeep::ctl {
namespace {

using certs::Authority;
using certs::CertificateFolder;
using std::chrono::days;
using std::chrono::sys_seconds;
using Run = std::function<int(std::ostream& out, std::ostream& err)>;

constexpr int most_days = 36'500;

struct CertsOptions {
  std::string folder = "certs";
  std::string cluster;
  std::string role;
  std::vector<std::string> names;
  int valid_days = 0;  // 0: not given
  int within_days = 30;
  bool all = false;
  bool json = false;
};

sys_seconds now() {
  return std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
}

long days_left(sys_seconds end) {
  return std::chrono::floor<days>(end - now()).count();
}

std::string day_of(sys_seconds time) {
  const std::time_t seconds = time.time_since_epoch().count();
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::string text(sizeof "2026-01-01" - 1, ' ');
  (void)std::strftime(text.data(), text.size() + 1, "%Y-%m-%d", &parts);
  return text;
}

std::string role_of(net::Role role) {
  return role == net::Role::master ? "master" : "worker";
}

int fail(std::ostream& err, const std::string& problem) {
  err << "fixkeepctl: " << problem << '\n';
  return 1;
}

// Returns the mistake in a node's or cluster's name. Only few characters are allowed, because paths
// and URIs contain the name unescaped.
std::string problem_of_name(const std::string& name) {
  constexpr std::size_t most = 64;
  const auto fits = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
  };
  const bool right = !name.empty() && name.size() <= most && name.front() != '.' &&
                     std::all_of(name.begin(), name.end(), fits);
  if (right) return {};
  return "a name has 1 to 64 letters, digits or any of -_. but begins with no dot";
}

std::string problem_of_node(net::Role role, const std::string& name) {
  if (role == net::Role::worker) return problem_of_name(name);
  const bool number = name.size() >= 2 && name.size() <= 4 && name[0] == 'm' && name[1] != '0' &&
                      std::all_of(name.begin() + 1, name.end(), [](char c) {
                        return std::isdigit(static_cast<unsigned char>(c)) != 0;
                      });
  return number ? "" : "a master is named m1, m2 …, after its master.id";
}

int init(const CertsOptions& options, std::ostream& out, std::ostream& err) {
  if (auto wrong = problem_of_name(options.cluster); !wrong.empty()) {
    return fail(err, "--cluster " + options.cluster + ": " + wrong);
  }
  const CertificateFolder folder{options.folder};
  const auto problem = folder.init(options.cluster, days{options.valid_days});
  if (!problem.empty()) return fail(err, problem);
  out << fmt::format(
      "made the authority of cluster \"{}\" in {}; keep authority.key off the nodes\n"
      "next: fixkeepctl certs node --dir {} --role master m1 m2 m3\n",
      options.cluster, options.folder, options.folder);
  return 0;
}

int node(const CertsOptions& options, std::ostream& out, std::ostream& err) {
  const auto role = options.role == "master" ? net::Role::master : net::Role::worker;
  for (const auto& name : options.names) {
    if (auto wrong = problem_of_node(role, name); !wrong.empty()) {
      return fail(err, name + ": " + wrong);
    }
  }
  const CertificateFolder folder{options.folder};
  const auto authority = folder.authority();
  if (const auto* const problem = std::get_if<std::string>(&authority)) return fail(err, *problem);
  for (const auto& name : options.names) {
    const auto problem = folder.add_node(std::get<Authority>(authority), role, name,
                                         days{options.valid_days}, false);
    if (!problem.empty()) return fail(err, problem);
    out << fmt::format("{} {}: {} and {}\n", options.role, name, folder.certificate_file(name),
                       folder.key_file(name));
  }
  return 0;
}

void print_row(std::ostream& out, const CertificateFolder::Entry& entry, const std::string& what) {
  out << fmt::format("{:<20}  {:<6}  {}  {:>9}{}\n", entry.facts.node.name,
                     role_of(entry.facts.node.role), day_of(entry.facts.expires_at),
                     days_left(entry.facts.expires_at), what.empty() ? "" : "  " + what);
}

void print_head(std::ostream& out) {
  out << fmt::format("{:<20}  {:<6}  {:<10}  {:>9}\n", "name", "role", "expires", "days left");
}

// Warns long before the authority expires. Unlike a node's certificate, a new authority needs two
// steps: every node must have it before the first certificate that it signs is used.
void warn_of_authority(const Authority& authority, std::ostream& err) {
  constexpr long soon = 180;
  const auto left = days_left(authority.expires_at());
  if (left > soon) return;
  err << fmt::format(
      "fixkeepctl: the authority itself ends in {} days: make a new one in another folder. Give "
      "the nodes both in one file, then new certificates, then only the new one\n",
      left);
}

int renew(const CertsOptions& options, std::ostream& out, std::ostream& err) {
  const CertificateFolder folder{options.folder};
  const auto authority = folder.authority();
  if (const auto* const problem = std::get_if<std::string>(&authority)) return fail(err, *problem);
  auto nodes = folder.nodes();
  if (const auto* const problem = std::get_if<std::string>(&nodes)) return fail(err, *problem);
  const auto& known = std::get<Authority>(authority);
  print_head(out);
  for (auto& entry : std::get<0>(nodes)) {
    if (!options.all && days_left(entry.facts.expires_at) > options.within_days) {
      print_row(out, entry, "as it was");
      continue;
    }
    const auto problem =
        folder.add_node(known, entry.facts.node.role, entry.name, days{options.valid_days}, true);
    if (!problem.empty()) return fail(err, problem);
    entry.facts.expires_at = std::min(now() + days{options.valid_days}, known.expires_at());
    print_row(out, entry, "renewed: give it to the node, and send it SIGHUP");
  }
  warn_of_authority(known, err);
  return 0;
}

int revoke(const CertsOptions& options, std::ostream& out, std::ostream& err) {
  const CertificateFolder folder{options.folder};
  const auto authority = folder.authority();
  if (const auto* const problem = std::get_if<std::string>(&authority)) return fail(err, *problem);
  for (const auto& name : options.names) {
    if (auto wrong = problem_of_name(name); !wrong.empty()) return fail(err, name + ": " + wrong);
    const auto revoked = folder.revoke(std::get<Authority>(authority), name);
    if (const auto* const problem = std::get_if<std::string>(&revoked)) return fail(err, *problem);
    out << fmt::format("{}: {} revoked\n", name, std::get<std::size_t>(revoked));
  }
  out << fmt::format("give {} to every node, as tls.revoked, and send each SIGHUP\n",
                     folder.revocations_file());
  return 0;
}

int list(const CertsOptions& options, std::ostream& out, std::ostream& err) {
  const auto nodes = CertificateFolder{options.folder}.nodes();
  if (const auto* const problem = std::get_if<std::string>(&nodes)) return fail(err, *problem);
  auto all = nlohmann::json::array();
  if (!options.json) print_head(out);
  for (const auto& entry : std::get<0>(nodes)) {
    if (!options.json) print_row(out, entry, "");
    all.push_back({{"name", entry.facts.node.name},
                   {"role", role_of(entry.facts.node.role)},
                   {"cluster", entry.facts.node.cluster},
                   {"expires", day_of(entry.facts.expires_at)},
                   {"days_left", days_left(entry.facts.expires_at)}});
  }
  if (options.json) out << all.dump(2) << '\n';
  return 0;
}

}  // namespace

void add_certs(CLI::App& app, Run& run) {
  const auto options = std::make_shared<CertsOptions>();
  CLI::App* const certs =
      app.add_subcommand("certs", "certificates by which the nodes of a cluster know each other");
  certs->require_subcommand(1);
  const auto add = [&](const char* name, const char* purpose, auto command) {
    CLI::App* const made = certs->add_subcommand(name, purpose);
    made->add_option("--dir", options->folder, "the folder with the certificates")
        ->type_name("DIR");
    made->callback([&run, options, command] {
      run = [options, command](std::ostream& out, std::ostream& err) {
        return command(*options, out, err);
      };
    });
    return made;
  };
  // All commands store --days in the same member of `options`, but their defaults differ. Therefore
  // the default is stored only by the chosen command, after the command line was parsed.
  const auto add_days = [&](CLI::App* command, int usual) {
    command->add_option("--days", options->valid_days, "how long they are valid")
        ->check(CLI::Range(1, most_days))
        ->default_str(std::to_string(usual));
    command->parse_complete_callback([options, usual] {
      if (options->valid_days == 0) options->valid_days = usual;
    });
  };

  CLI::App* const init_command = add("init", "makes the authority of a cluster", init);
  init_command->add_option("--cluster", options->cluster, "cluster.id of its configuration")
      ->required();
  add_days(init_command, 3650);

  CLI::App* const node_command = add("node", "makes keys and certificates of nodes", node);
  node_command->add_option("--role", options->role, "role of the nodes")
      ->check(CLI::IsMember({"master", "worker"}))
      ->required();
  node_command->add_option("names,--name", options->names, "m1 …, or the worker.id of workers")
      ->required();
  add_days(node_command, 365);

  CLI::App* const renew_command =
      add("renew", "renews the nodes' keys and certificates that end soon", renew);
  renew_command->add_option("--within", options->within_days, "days that count as soon")
      ->check(CLI::Range(0, most_days));
  renew_command->add_flag("--all", options->all, "all nodes");
  add_days(renew_command, 365);

  CLI::App* const revoke_command = add("revoke", "revokes all certificates of these nodes", revoke);
  revoke_command->add_option("names,--name", options->names, "m1 …, or the worker.id of workers")
      ->required();

  CLI::App* const list_command = add("list", "lists the certificates", list);
  list_command->add_flag("--json", options->json, "for programs");
}

}  // namespace fixkeep::ctl
