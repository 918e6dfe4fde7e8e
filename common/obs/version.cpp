#include "common/obs/version.hpp"

namespace fixkeep::obs {

std::string version() {
  return std::string{build_version()}
      .append(" (")
      .append(build_type())
      .append(", ")
      .append(build_compiler())
      .append(")");
}

std::string_view build_version() {
  return FIXKEEP_VERSION;
}
std::string_view build_type() {
  return FIXKEEP_BUILD_TYPE;
}
std::string_view build_compiler() {
  return FIXKEEP_COMPILER;
}

}  // namespace fixkeep::obs
