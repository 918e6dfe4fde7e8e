// A folder with the certificates of one cluster.
//
//   authority.pem  authority.key     the authority; its key belongs on no node
//   m1.pem         m1.key            a node's; with authority.pem all that it needs
//   revoked.crl                      which certificates count no more, signed by the authority
//   issued.txt                       the serial and the name of each that was made
//
// A private file has its mode from the start. A file is replaced in one step. Thread rule: one
// owner. Bounds: a few KiB a file. Errors: one sentence with the file and the change to make.
#pragma once

#include <chrono>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/certs/authority.hpp"

namespace fixkeep::certs {

class CertificateFolder {
 public:
  explicit CertificateFolder(std::string path) : path_(std::move(path)) {}

  [[nodiscard]] std::string certificate_file(const std::string& name) const;
  [[nodiscard]] std::string key_file(const std::string& name) const;

  // Makes folder and authority. Errors: there is one already.
  [[nodiscard]] std::string init(const std::string& cluster, std::chrono::days valid) const;
  [[nodiscard]] std::variant<Authority, std::string> authority() const;
  // The node is one of the authority's cluster. Existing files are an error unless `replace` is
  // set.
  [[nodiscard]] std::string add_node(const Authority& authority, net::Role role,
                                     const std::string& name, std::chrono::days valid,
                                     bool replace) const;

  // All certificates that were made of this node count no more; what there is of it is removed. How
  // many there were.
  [[nodiscard]] std::variant<std::size_t, std::string> revoke(const Authority& authority,
                                                              const std::string& name) const;
  [[nodiscard]] std::string revocations_file() const { return path_ + "/revoked.crl"; }

  struct Entry {
    std::string name;  // name of the file, without ".pem"
    CertificateFacts facts;
  };
  // Lists the certificates of all nodes by name. A file that is no certificate of ours is left out.
  [[nodiscard]] std::variant<std::vector<Entry>, std::string> nodes() const;

 private:
  [[nodiscard]] std::string issued_file() const { return path_ + "/issued.txt"; }
  [[nodiscard]] std::string remember(const std::string& name, const std::string& certificate) const;
  [[nodiscard]] std::variant<std::set<std::string>, std::string> serials_of(
      const std::string& name) const;
  [[nodiscard]] std::string write(const std::string& name, const KeyPair& pair, bool replace) const;

  std::string path_;
};

}  // namespace fixkeep::certs
