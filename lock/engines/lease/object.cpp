#include "lock/engines/lease/object.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <charconv>

#include "common/base/base64.hpp"

namespace fixkeep::engine {

using kubernetes::Json;

namespace {

constexpr const char* epoch_key = "fixkeep/epoch";
constexpr const char* record_key = "fixkeep/record";

std::string digest(const std::string& text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), bytes.data(), &size, EVP_sha256(), nullptr);
  std::string out;
  for (std::size_t i = 0; i < 20; ++i) out += fmt::format("{:02x}", bytes[i]);
  return out;
}

}  // namespace

std::optional<LeaseObject> read_lease(const Json& object) {
  const Json& meta = kubernetes::at(object, "metadata");
  const Json& spec = kubernetes::at(object, "spec");
  const Json& notes = kubernetes::at(meta, "annotations");
  LeaseObject lease;
  lease.name = kubernetes::text_at(meta, "name");
  lease.version = kubernetes::text_at(meta, "resourceVersion");
  lease.uid = kubernetes::text_at(meta, "uid");
  lease.holder = kubernetes::text_at(spec, "holderIdentity");
  lease.renewed = kubernetes::text_at(spec, "renewTime");
  lease.duration =
      std::chrono::seconds{kubernetes::number_at(spec, "leaseDurationSeconds").value_or(0)};
  const auto epoch = kubernetes::text_at(notes, epoch_key);
  const auto [end, error] = std::from_chars(epoch.data(), epoch.data() + epoch.size(), lease.epoch);
  if (lease.name.empty() || lease.version.empty() || error != std::errc{} ||
      end != epoch.data() + epoch.size()) {
    return {};
  }
  if (const auto bytes = from_base64(kubernetes::text_at(notes, record_key))) {
    lease.record = lock::decode_record(*bytes);
  }
  return lease;
}

std::string lease_time(std::chrono::system_clock::time_point time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto micros = std::chrono::floor<std::chrono::microseconds>(time - seconds);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)), micros.count());
}

std::string write_lease(const LeaseObject& lease, const std::string& cluster_label,
                        std::chrono::system_clock::time_point now) {
  Json notes{{epoch_key, std::to_string(lease.epoch)}};
  if (lease.record) notes[record_key] = to_base64(lock::encode_record(*lease.record));
  Json meta{{"name", lease.name},
            {"labels", {{"fixkeep-cluster", cluster_label}}},
            {"annotations", std::move(notes)}};
  if (!lease.version.empty()) {
    // The server refuses this write if the object has changed (version) or was deleted (uid).
    // Without the uid, the write would make a deleted object again.
    meta["resourceVersion"] = lease.version;
    meta["uid"] = lease.uid;
  }
  Json spec{{"leaseDurationSeconds", lease.duration.count()},
            {"leaseTransitions", lease.epoch % 2'000'000'000},
            {"renewTime", lease_time(now)}};
  if (!lease.holder.empty()) spec["holderIdentity"] = lease.holder;
  return Json{{"apiVersion", "coordination.k8s.io/v1"},
              {"kind", "Lease"},
              {"metadata", std::move(meta)},
              {"spec", std::move(spec)}}
      .dump();
}

std::string lease_name(const std::string& cluster, const GroupKey& group) {
  return "fixkeep-" + digest(lock::path_component(cluster) + '/' + group.text());
}

std::string lease_label(const std::string& cluster) {
  return digest(cluster);
}

}  // namespace fixkeep::engine
