// When the fence of a peer takes the place of ours.
#include "lock/core/membership.hpp"

#include <gtest/gtest.h>

namespace fixkeep::lock {
namespace {

struct Fencing : testing::Test {
  static constexpr MasterId peer{1};
  static constexpr MasterId other{3};

  Fencing() { mesh.learn({4, other}, {}); }
  static MeshView view() {
    MeshView mesh;
    mesh.self = MasterId{2};
    mesh.configured = mesh.connected = mesh.up = {peer, other};
    mesh.joined = true;
    return mesh;
  }
  // The peer releases after a hold with this token, in which it has fenced.
  static LockValue fenced(std::uint64_t counter) {
    LockValue value;
    value.stamp = value.fence = {counter, peer};
    return value;
  }

  Membership mesh{view()};
};

TEST_F(Fencing, the_fence_of_a_hold_to_which_we_consented_counts_as_ours) {
  mesh.consented(peer);
  mesh.heard_from(peer, fenced(5));
  EXPECT_FALSE(mesh.grant().needs_fence);
}

TEST_F(Fencing, a_fence_without_our_consent_does_not_count) {
  mesh.heard_from(peer, fenced(5));
  EXPECT_TRUE(mesh.grant().needs_fence);
}

TEST_F(Fencing, a_hold_that_is_older_than_our_consent_does_not_count) {
  mesh.consented(peer);
  mesh.heard_from(peer, fenced(4));
  EXPECT_TRUE(mesh.grant().needs_fence);
}

TEST_F(Fencing, a_change_voids_our_consent) {
  mesh.consented(peer);
  mesh.on(PeerUp{other, {}});
  mesh.heard_from(peer, fenced(5));
  EXPECT_TRUE(mesh.grant().needs_fence);
}

TEST_F(Fencing, a_hold_that_has_not_fenced_does_not_count) {
  mesh.consented(peer);
  LockValue value = fenced(6);
  value.fence = {5, peer};
  mesh.heard_from(peer, value);
  value = fenced(7);
  value.uncertain = true;
  mesh.heard_from(peer, value);
  mesh.heard_from(other, fenced(8));  // a value that another one passes on
  EXPECT_TRUE(mesh.grant().needs_fence);
}

}  // namespace
}  // namespace fixkeep::lock
