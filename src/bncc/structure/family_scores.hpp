// Scores of a child with a set of parents: as it is, with every other label added, and without each of its parents.
#pragma once

#include <cstdint>

#include "search.hpp"

namespace bncc {

// Lists of bits of one length, one after the other.
struct Bits {
  int64_t words = 0;
  Array<uint64_t> values;

  Bits(int64_t lists, int64_t n_bits) : words((n_bits + 63) / 64), values(lists * words, 0) {}
  uint64_t* list(int64_t i) { return values.data() + i * words; }
  const uint64_t* list(int64_t i) const { return values.data() + i * words; }
  void set(int64_t i, int64_t bit) { list(i)[bit >> 6] |= uint64_t{1} << (bit & 63); }
  bool has(int64_t i, int64_t bit) const { return list(i)[bit >> 6] >> (bit & 63) & 1; }
};

// The rows of a child fall into groups (configuration of the parents, value of the child). Counts of every label in
// every group are read off bit by bit, 64 rows at a time, or row by row through the labels of each row, whichever reads
// less. Scores are rounded, in millionths.
class FamilyScores {
 public:
  explicit FamilyScores(const SearchProblem& problem);

  // Looks at a child with these parents; the others answer for the last one looked at.
  void group(int32_t child, const Array<int32_t>& parents);
  double score() const;
  double without(int64_t place) const;  // of a parent, by its place
  // With each label added, by label; minus infinity for the child, its parents and those forbidden.
  void with_each(Array<double>& scores);

 private:
  int64_t term(int32_t k, int64_t zeros, int64_t ones) const {
    return problem_.cell_at(k)[ones] + problem_.cell_at(k)[zeros] - problem_.total_at(k)[ones + zeros];
  }
  int32_t n_parents() const { return static_cast<int32_t>(parents_.size()); }
  bool allowed(int32_t label) const;
  void count_labels();
  void count_bits(int64_t groups);
  void count_rows(int64_t groups);

  // Bits that two lists have in common.
  using Common = int64_t (*)(const uint64_t*, const uint64_t*, int64_t);

  const SearchProblem& problem_;
  Common common_;
  Bits columns_;  // by label: the rows that carry it
  int32_t child_ = 0;
  Array<int32_t> parents_;
  Array<int32_t> group_of_;
  Array<int32_t> active_;  // rows outside group 0
  Array<int64_t> size_;    // by group
  Array<uint64_t> code_;   // by configuration: bit i is the value of parent i
  Array<int64_t> counts_;  // by label and group
};

}  // namespace bncc
