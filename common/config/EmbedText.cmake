# fixkeep_embed_text(OUT_VARIABLE FILE NAMESPACE FUNCTION): a generated source that defines
#   std::string_view NAMESPACE::FUNCTION() noexcept
# with the contents of FILE, so that the program needs no file beside it and the file stays the
# single source. Configures again when the file changes. The standard requires compilers to take
# literals of 64 KiB; GCC and Clang take longer ones.
function(fixkeep_embed_text out file namespace function)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(READ "${file}" text)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp")
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT [==[
// Generated from a file of the source tree.
#include <string_view>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverlength-strings"
namespace @namespace@ {

std::string_view @function@() noexcept;
std::string_view @function@() noexcept {
  return R"embedded(@text@)embedded";
}

}  // namespace @namespace@
#pragma GCC diagnostic pop
]==])
  set(${out} "${source}" PARENT_SCOPE)
endfunction()
