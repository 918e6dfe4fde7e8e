// Certificates for a LocalCluster: an authority of its own and a key for each node, in a folder
// that goes with the object.
//
// Thread rule: one owner. Errors: as failures of the test.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <variant>

#include "common/certs/folder.hpp"
#include "tests/support/local_cluster.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fixkeep::attack {

struct Certified {
  void certify(const std::string& cluster, bool replace = false) const {
    const certs::CertificateFolder made{folder.path()};
    if (!replace) { EXPECT_EQ(made.init(cluster, std::chrono::days{100}), ""); }
    const auto authority = made.authority();
    for (const char* name : {"m1", "m2", "m3", "w1", "w2"}) {
      const auto role = name[0] == 'm' ? net::Role::master : net::Role::worker;
      EXPECT_EQ(made.add_node(std::get<certs::Authority>(authority), role, name,
                              std::chrono::days{20}, replace),
                "");
    }
  }
  // The first change of a file names the cluster, and so whose the certificates are.
  void secure(nlohmann::json& config, support::Part part, std::size_t index) const {
    if (!std::filesystem::exists(folder / "authority.pem")) certify(config["cluster"]["id"]);
    const auto name = (part == support::Part::master ? "m" : "w") + std::to_string(index + 1);
    config["cluster"].erase("secret");
    config["tls"] = {{"authority", (folder / "authority.pem").string()},
                     {"certificate", (folder / (name + ".pem")).string()},
                     {"key", (folder / (name + ".key")).string()}};
  }

  test::TemporaryFolder folder;
};

}  // namespace fixkeep::attack
