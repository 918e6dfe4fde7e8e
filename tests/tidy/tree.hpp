// The files of the repository, for rules.hpp: those that git tracks. Whatever a test, an editor or
// an interpreter leaves in the tree is no part of it. Where git cannot say (an unpacked archive, a
// folder of another user), all files are taken but those of build folders.
//
// Thread rule: free functions; load_tree() changes the working folder while it runs. Errors: a file
// that cannot be read is empty; no folder: no files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/tidy/rules.hpp"

namespace fixkeep::tidy {

[[nodiscard]] std::string text_of(const std::filesystem::path& file);

// In the order of their paths.
[[nodiscard]] std::vector<SourceFile> load_tree(const std::filesystem::path& root);

}  // namespace fixkeep::tidy
