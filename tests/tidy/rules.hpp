// The layout of the tree, as a test: who may include whom, sizes, names, and that all is built.
//
// Works on text, not on a syntax tree, so that it needs nothing but a compiler and ends in a
// second. Thread rule: free functions. Errors: findings; none means that the tree is in order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fixkeep::tidy {

struct SourceFile {
  std::string path;  // from the root of the repository
  std::string text;
};

struct Finding {
  std::string path;
  int line = 0;
  std::string rule;  // as named in exceptions.txt
  std::string message;
  int size = 0;  // what was measured, for rules about sizes
};

// Text with comments and the contents of literals blanked out; lines stay where they are.
[[nodiscard]] std::string code_of(std::string_view text);

// Includes: who may include whom, that sans-IO folders include and call nothing of the system, and
// that their folders include each other in one direction: one finding for each circle, whose path
// is the folder of the table and whose size is how many folders are in it.
[[nodiscard]] std::vector<Finding> check_folders(const std::vector<SourceFile>& tree);

// Classes: how many methods and booleans a class has, and in how many files its methods are. Units:
// one of a few lines with one user, in the same folder, belongs into that. Of a class the path is
// its folder and name.
[[nodiscard]] std::vector<Finding> check_classes(const std::vector<SourceFile>& tree);

// All rules but those about words; check_folders() and check_classes() are among them.
[[nodiscard]] std::vector<Finding> check_tree(const std::vector<SourceFile>& tree);

// Identifiers with a word that the glossary (docs/design.md) lists to avoid: one finding for each
// word and file, whose size is how many there are. In the product also comments that begin with
// "Of", "Who", "What" and the like, which stand in the place of a subject.
[[nodiscard]] std::vector<Finding> check_words(const std::vector<SourceFile>& tree);

// How easy documents and comments of the product are to read, over all of them: sentences that are
// long, have many commas, begin without a subject or name nothing. The path is "documents" or
// "comments". An aim that is not met yet is an exception, whose size may only shrink.
[[nodiscard]] std::vector<Finding> check_prose(const std::vector<SourceFile>& tree);

// Takes away what `exceptions` allows ("RULE PATH SIZE REASON" a line, # for comments) and adds a
// finding for each line of it that is malformed or whose SIZE is not what was measured: so what is
// allowed shrinks with what is there.
[[nodiscard]] std::vector<Finding> apply_exceptions(std::vector<Finding> findings,
                                                    std::string_view exceptions);

}  // namespace fixkeep::tidy
