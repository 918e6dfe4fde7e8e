#include "common/certs/folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "common/process/descriptor.hpp"

namespace fixkeep::certs {
namespace {

namespace fs = std::filesystem;

constexpr mode_t public_mode = 0644;
constexpr mode_t secret_mode = 0600;
constexpr const char* authority_name = "authority";
// Certificates are valid from this long before now, so that a machine with a slow clock accepts
// them.
constexpr std::chrono::minutes leeway{10};

Validity valid_for(std::chrono::days days) {
  using std::chrono::seconds;
  const auto now = std::chrono::time_point_cast<seconds>(std::chrono::system_clock::now());
  return {now - leeway, now + days};
}

std::string cannot(const char* what, const std::string& path) {
  return fmt::format("cannot {} {}: {}", what, path, std::strerror(errno));
}

// Replaces a file in one step: writes a temporary file in the same folder and renames it to `path`.
// Returns the error; an empty text means success.
std::string write_file(const std::string& path, const std::string& text, mode_t mode) {
  const auto next = path + ".new";
  ::unlink(next.c_str());
  const process::Descriptor file{
      ::open(next.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)};
  if (!file) return cannot("write", next);
  const auto written = ::write(file.get(), text.data(), text.size());
  const bool whole = written == static_cast<ssize_t>(text.size()) && ::fsync(file.get()) == 0 &&
                     ::rename(next.c_str(), path.c_str()) == 0;
  if (whole) return {};
  auto problem = cannot("write", path);
  ::unlink(next.c_str());
  return problem;
}

std::variant<std::string, int> read_file(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file) return errno;
  return std::string{std::istreambuf_iterator<char>{file}, {}};
}

bool is_there(const std::string& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

}  // namespace

std::string CertificateFolder::certificate_file(const std::string& name) const {
  return path_ + "/" + name + ".pem";
}

std::string CertificateFolder::key_file(const std::string& name) const {
  return path_ + "/" + name + ".key";
}

// Write the key first: a key alone does no harm, but a certificate without its key is useless.
std::string CertificateFolder::write(const std::string& name, const KeyPair& pair,
                                     bool replace) const {
  const auto certificate = certificate_file(name);
  const auto key = key_file(name);
  for (const auto& file : {certificate, key}) {
    if (!replace && is_there(file)) {
      return fmt::format("{} is there already; remove it, or renew it with fixkeepctl certs renew",
                         file);
    }
  }
  if (auto problem = write_file(key, pair.key, secret_mode); !problem.empty()) return problem;
  return write_file(certificate, pair.certificate, public_mode);
}

std::string CertificateFolder::init(const std::string& cluster, std::chrono::days valid) const {
  std::error_code error;
  fs::create_directories(path_, error);
  if (error) return fmt::format("cannot make the folder {}: {}", path_, error.message());
  if (is_there(certificate_file(authority_name)) || is_there(key_file(authority_name))) {
    return fmt::format(
        "there is an authority in {} already: all certificates of the cluster would "
        "have to be made anew; take another folder with --dir",
        path_);
  }
  const auto made = Authority::make(cluster, valid_for(valid));
  auto problem = write(authority_name, made.to_pair(), false);
  if (!problem.empty()) return problem;
  // Makes an empty list now, so that the nodes' configurations can name this file from the start.
  return write_file(revocations_file(), made.revoke({}, {}, valid_for(valid).from).value(),
                    public_mode);
}

std::variant<Authority, std::string> CertificateFolder::authority() const {
  KeyPair pair;
  for (auto [file, text] : {std::pair{certificate_file(authority_name), &pair.certificate},
                            std::pair{key_file(authority_name), &pair.key}}) {
    auto read = read_file(file);
    if (const int* const number = std::get_if<int>(&read)) {
      return fmt::format("cannot read {}: {}{}", file, std::strerror(*number),
                         *number == ENOENT ? "; make it with fixkeepctl certs init" : "");
    }
    *text = std::move(std::get<std::string>(read));
  }
  auto made = Authority::read(pair);
  if (const auto* const problem = std::get_if<std::string>(&made)) {
    return fmt::format("{} cannot be used: {}", certificate_file(authority_name), *problem);
  }
  return made;
}

std::string CertificateFolder::add_node(const Authority& authority, net::Role role,
                                        const std::string& name, std::chrono::days valid,
                                        bool replace) const {
  if (name == authority_name) return "no node can have the name \"authority\"";
  auto validity = valid_for(valid);
  validity.until = std::min(validity.until, authority.expires_at());
  const net::CertifiedNode node{authority.cluster(), role, name};
  const auto pair = authority.certify(node, validity);
  if (!replace && is_there(certificate_file(name))) return write(name, pair, replace);
  // Records the serial of the present certificate too: perhaps an old version of this program made
  // this certificate and did not record its serial.
  if (const auto before = read_file(certificate_file(name)); before.index() == 0) {
    if (auto problem = remember(name, std::get<0>(before)); !problem.empty()) return problem;
  }
  if (auto problem = remember(name, pair.certificate); !problem.empty()) return problem;
  return write(name, pair, replace);
}

std::string CertificateFolder::remember(const std::string& name,
                                        const std::string& certificate) const {
  const auto facts = facts_of(certificate);
  const auto* const known = std::get_if<CertificateFacts>(&facts);
  if (known == nullptr) return {};
  std::ofstream file{issued_file(), std::ios::app};
  file << known->serial << ' ' << name << '\n';
  file.flush();
  return file ? std::string{} : cannot("write", issued_file());
}

// Returns the recorded serials and the serial in the present certificate file. Perhaps an old
// version of this program made this file and did not record the serial.
std::variant<std::set<std::string>, std::string> CertificateFolder::serials_of(
    const std::string& name) const {
  std::set<std::string> serials;
  std::ifstream issued{issued_file()};
  for (std::string serial, whose; issued >> serial >> whose;) {
    if (whose != name) continue;
    if (serial.find_first_not_of("0123456789ABCDEFabcdef") != std::string::npos) {
      return fmt::format("{} has \"{}\" where a serial should be", issued_file(), serial);
    }
    serials.insert(serial);
  }
  const auto text = read_file(certificate_file(name));
  if (const auto* const pem = std::get_if<std::string>(&text)) {
    const auto facts = facts_of(*pem);
    const auto* const known = std::get_if<CertificateFacts>(&facts);
    if (known == nullptr) return fmt::format("{} is of no node", certificate_file(name));
    serials.insert(known->serial);
  }
  if (serials.empty()) return fmt::format("no certificate of {} was made in {}", name, path_);
  return serials;
}

std::variant<std::size_t, std::string> CertificateFolder::revoke(const Authority& authority,
                                                                 const std::string& name) const {
  const auto serials = serials_of(name);
  if (const auto* const problem = std::get_if<std::string>(&serials)) return *problem;
  const auto old = read_file(revocations_file());
  if (const int* const number = std::get_if<int>(&old); number != nullptr && *number != ENOENT) {
    return fmt::format("cannot read {}: {}", revocations_file(), std::strerror(*number));
  }
  const auto* const before = std::get_if<std::string>(&old);
  const auto list = authority.revoke(before == nullptr ? std::string{} : *before,
                                     std::get<0>(serials), valid_for({}).from);
  if (!list) return fmt::format("{} is no list of this authority", revocations_file());
  if (auto problem = write_file(revocations_file(), *list, public_mode); !problem.empty()) {
    return problem;
  }
  for (const auto& file : {certificate_file(name), key_file(name)}) {
    if (::unlink(file.c_str()) != 0 && errno != ENOENT) return cannot("remove", file);
  }
  return std::get<0>(serials).size();
}

std::variant<std::vector<CertificateFolder::Entry>, std::string> CertificateFolder::nodes() const {
  std::vector<Entry> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator{path_, error}) {
    if (entry.path().extension() != ".pem" || entry.path().stem() == authority_name) continue;
    auto text = read_file(entry.path().string());
    if (!std::holds_alternative<std::string>(text)) continue;
    auto facts = facts_of(std::get<std::string>(text));
    if (auto* const known = std::get_if<CertificateFacts>(&facts)) {
      found.push_back({entry.path().stem().string(), std::move(*known)});
    }
  }
  if (error) return fmt::format("cannot look into {}: {}", path_, error.message());
  std::sort(found.begin(), found.end(),
            [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return found;
}

}  // namespace fixkeep::certs
