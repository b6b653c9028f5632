// Property: data maps name the bytes that MPI itself moves.
//
// Makes random nested datatypes and compares the map of each with MPI_Pack. The buffer contains the
// positions of its bytes (one pass for each byte of a position), so the packed data shows its
// origin. Positions are compared as multisets: a byte that a type names twice must be named twice.
// Then it checks that the maps of a few large types are small.
//
// run: datatype_property [N [seed]]     on one rank
// → expect: "ok N types", exit 0. On a failure: the type's construction, the command that repeats
// it, exit 1.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "frontend/mpi/datatypes.h"
#include "model/data_map.h"

namespace {

using photofinish::ByteRange;
using photofinish::DataMap;
using photofinish::Strided;
using photofinish::mpi::describe_type;
using photofinish::mpi::TypeDescription;
using std::int64_t;

constexpr int64_t kMaxBytes = 4000;  // data bytes of one element
constexpr int64_t kMaxSpan = 60000;  // from the first byte to the last, and of the extent
constexpr int kMaxDepth = 4;

#if defined(OPEN_MPI)
constexpr bool kOpenMpi = true;
#else
constexpr bool kOpenMpi = false;
#endif

struct Made {
  MPI_Datatype type;
  std::string text;
  std::set<std::string> elements;  // predefined types of its data
  bool predefined = false;

  void free() {
    if (!predefined) MPI_Type_free(&type);
  }
};

struct Measures {
  MPI_Count size = 0, lower_bound = 0, extent = 0, true_lower_bound = 0, true_extent = 0;
  explicit Measures(MPI_Datatype type) {
    MPI_Type_size_x(type, &size);
    MPI_Type_get_extent_x(type, &lower_bound, &extent);
    // Open MPI may return the largest integer as the true lower bound of an empty type.
    if (size > 0) MPI_Type_get_true_extent_x(type, &true_lower_bound, &true_extent);
  }
  bool small() const {
    const auto fits = [](MPI_Count value) { return -kMaxSpan <= value && value <= kMaxSpan; };
    return size <= kMaxBytes && fits(lower_bound) && fits(extent) && fits(true_lower_bound) &&
           fits(true_extent);
  }
};

template <class Number>
std::string text_of(const std::vector<Number>& numbers) {
  std::string text = "{";
  for (const Number number : numbers) text += (text.size() > 1 ? "," : "") + std::to_string(number);
  return text + "}";
}

std::string text_of(const std::vector<ByteRange>& ranges) {
  std::string text;
  for (const ByteRange& range : ranges)
    text += " [" + std::to_string(range.begin) + "," + std::to_string(range.end) + ")";
  return text;
}

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  Made make(int depth) {
    if (depth == 0 || number(0, 9) == 0) return leaf();
    Made made = derived(depth);
    const Measures measures(made.type);
    if (measures.size == 0) made.elements.clear();
    if (measures.small()) return made;
    made.free();
    return leaf();
  }

  // Open MPI 4.1 does not support a darray of a type without data. After a struct with such a
  // member, it packs several elements as if they were contiguous, independent of the extent (which
  // it returns correctly).
  Made make_with_data(int depth) {
    Made made = make(depth);
    if (!kOpenMpi || Measures(made.type).size > 0) return made;
    made.free();
    return leaf();
  }

  int number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

 private:
  struct Leaf {
    MPI_Datatype type;
    const char* name;
  };

  static std::vector<Leaf> leaves() {
#define LEAF(type) {type, #type}
    std::vector<Leaf> result = {LEAF(MPI_CHAR),      LEAF(MPI_BYTE),
                                LEAF(MPI_SHORT),     LEAF(MPI_INT),
                                LEAF(MPI_FLOAT),     LEAF(MPI_DOUBLE),
                                LEAF(MPI_INT64_T),   LEAF(MPI_SHORT_INT),
                                LEAF(MPI_FLOAT_INT), LEAF(MPI_DOUBLE_INT),
                                LEAF(MPI_LONG_INT),  LEAF(MPI_2INT),
                                LEAF(MPI_C_BOOL),    LEAF(MPI_C_DOUBLE_COMPLEX),
                                LEAF(MPI_CHARACTER)};
#ifndef __x86_64__  // only ten of its sixteen bytes are significant there, and a library may skip
                    // the others
    result.push_back(LEAF(MPI_LONG_DOUBLE));
    result.push_back(LEAF(MPI_LONG_DOUBLE_INT));
#else
    result.push_back(LEAF(MPI_DOUBLE));
    result.push_back(LEAF(MPI_DOUBLE_INT));
#endif
#undef LEAF
    MPI_Datatype f90;
    MPI_Type_create_f90_real(6, 30, &f90);
    result.push_back({f90, "MPI_F90_REAL(6,30)"});
    MPI_Type_create_f90_complex(12, MPI_UNDEFINED, &f90);
    result.push_back({f90, "MPI_F90_COMPLEX(12,MPI_UNDEFINED)"});
    MPI_Type_create_f90_integer(5, &f90);
    result.push_back({f90, "MPI_F90_INTEGER(5)"});
    return result;
  }

  Made leaf() {
    static const std::vector<Leaf> all = leaves();
    const Leaf& chosen = all[number(0, static_cast<int>(all.size()) - 1)];
    return {chosen.type, chosen.name, {chosen.name}, true};
  }

  // Open MPI 4.1 interprets a stride of -1 byte as "no stride given".
  static bool means_default(MPI_Count stride_bytes) { return kOpenMpi && stride_bytes == -1; }

  bool flip() { return number(0, 1) == 1; }

  std::vector<int> numbers(int n, int low, int high) {
    std::vector<int> result(n);
    for (int& value : result) value = number(low, high);
    return result;
  }

  static std::vector<MPI_Aint> addresses(const std::vector<int>& values) {
    return {values.begin(), values.end()};
  }
  static std::vector<MPI_Count> large(const std::vector<int>& values) {
    return {values.begin(), values.end()};
  }

  Made derived(int depth) {
    const int constructor = number(0, 11);
    if (constructor == 0) return structure(depth);
    Made old = constructor == 10 ? make_with_data(depth - 1) : make(depth - 1);
    Made made{MPI_DATATYPE_NULL, "", old.elements, false};
    switch (constructor) {
      case 1:
        duplicate(old, made);
        break;
      case 2:
        contiguous(old, made);
        break;
      case 3:
        vector(old, made);
        break;
      case 4:
        hvector(old, made);
        break;
      case 5:
        indexed(old, made);
        break;
      case 6:
        hindexed(old, made);
        break;
      case 7:
        indexed_block(old, made);
        break;
      case 8:
        hindexed_block(old, made);
        break;
      case 9:
        subarray(old, made);
        break;
      case 10:
        darray(old, made);
        break;
      case 11:
        resized(old, made);
        break;
    }
    old.free();  // the new type does not need it any more
    return made;
  }

// The same constructor with large counts, where MPI has it: both must be supported.
#if MPI_VERSION >= 4
#define EITHER(plain_call, large_call) \
  do {                                 \
    if (flip())                        \
      plain_call;                      \
    else                               \
      large_call, made.text += "_c";   \
  } while (false)
#else
#define EITHER(plain_call, large_call) plain_call
#endif

  void duplicate(const Made& old, Made& made) {
    MPI_Type_dup(old.type, &made.type);
    made.text = "dup(" + old.text + ")";
  }

  void contiguous(const Made& old, Made& made) {
    const int count = number(0, 5);
    made.text = "contiguous";
    EITHER(MPI_Type_contiguous(count, old.type, &made.type),
           MPI_Type_contiguous_c(count, old.type, &made.type));
    made.text += "(" + std::to_string(count) + ", " + old.text + ")";
  }

  void vector(const Made& old, Made& made) {
    const int count = number(0, 4), length = number(0, 3);
    int stride = number(-4, 6);
    if (means_default(stride * Measures(old.type).extent)) stride = -2;
    made.text = "vector";
    EITHER(MPI_Type_vector(count, length, stride, old.type, &made.type),
           MPI_Type_vector_c(count, length, stride, old.type, &made.type));
    made.text += text_of<int>({count, length, stride}) + "(" + old.text + ")";
  }

  void hvector(const Made& old, Made& made) {
    const int count = number(0, 4), length = number(0, 3);
    int stride = number(-90, 120);
    if (means_default(stride)) stride = -2;
    made.text = "hvector";
    EITHER(MPI_Type_create_hvector(count, length, stride, old.type, &made.type),
           MPI_Type_create_hvector_c(count, length, stride, old.type, &made.type));
    made.text += text_of<int>({count, length, stride}) + "(" + old.text + ")";
  }

  void indexed(const Made& old, Made& made) {
    const int n = number(0, 5);
    const auto lengths = numbers(n, 0, 3), displacements = numbers(n, -6, 12);
    made.text = "indexed";
    EITHER(MPI_Type_indexed(n, lengths.data(), displacements.data(), old.type, &made.type),
           MPI_Type_indexed_c(n, large(lengths).data(), large(displacements).data(), old.type,
                              &made.type));
    made.text += "(" + text_of(lengths) + text_of(displacements) + ", " + old.text + ")";
  }

  void hindexed(const Made& old, Made& made) {
    const int n = number(0, 5);
    const auto lengths = numbers(n, 0, 3), displacements = numbers(n, -80, 200);
    made.text = "hindexed";
    EITHER(MPI_Type_create_hindexed(n, lengths.data(), addresses(displacements).data(), old.type,
                                    &made.type),
           MPI_Type_create_hindexed_c(n, large(lengths).data(), large(displacements).data(),
                                      old.type, &made.type));
    made.text += "(" + text_of(lengths) + text_of(displacements) + ", " + old.text + ")";
  }

  void indexed_block(const Made& old, Made& made) {
    const int n = number(0, 5), length = number(0, 3);
    const auto displacements = numbers(n, -6, 12);
    made.text = "indexed_block";
    EITHER(MPI_Type_create_indexed_block(n, length, displacements.data(), old.type, &made.type),
           MPI_Type_create_indexed_block_c(n, length, large(displacements).data(), old.type,
                                           &made.type));
    made.text += "(" + std::to_string(length) + text_of(displacements) + ", " + old.text + ")";
  }

  void hindexed_block(const Made& old, Made& made) {
    const int n = number(0, 5), length = number(0, 3);
    const auto displacements = numbers(n, -80, 200);
    made.text = "hindexed_block";
    EITHER(MPI_Type_create_hindexed_block(n, length, addresses(displacements).data(), old.type,
                                          &made.type),
           MPI_Type_create_hindexed_block_c(n, length, large(displacements).data(), old.type,
                                            &made.type));
    made.text += "(" + std::to_string(length) + text_of(displacements) + ", " + old.text + ")";
  }

  void subarray(const Made& old, Made& made) {
    const int n = number(1, 3), order = flip() ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    const auto sizes = numbers(n, 1, 6);
    std::vector<int> subsizes, starts;
    for (const int size : sizes) {
      subsizes.push_back(number(1, size));
      starts.push_back(number(0, size - subsizes.back()));
    }
    made.text = "subarray";
    EITHER(MPI_Type_create_subarray(n, sizes.data(), subsizes.data(), starts.data(), order,
                                    old.type, &made.type),
           MPI_Type_create_subarray_c(n, large(sizes).data(), large(subsizes).data(),
                                      large(starts).data(), order, old.type, &made.type));
    made.text += "(" + text_of(sizes) + text_of(subsizes) + text_of(starts) +
                 (order == MPI_ORDER_C ? "C, " : "Fortran, ") + old.text + ")";
  }

  void darray(const Made& old, Made& made) {
    const int n = number(1, 3), order = flip() ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    const auto sizes = numbers(n, 1, 11);
    std::vector<int> kinds, arguments, processes;
    int size = 1;
    for (const int global : sizes) {
      const int kind = number(0, 2);
      processes.push_back(kind == 0 ? 1 : number(1, 3));
      size *= processes.back();
      const int least = kind == 1 ? (global + processes.back() - 1) / processes.back() : 1;
      kinds.push_back(kind == 0   ? MPI_DISTRIBUTE_NONE
                      : kind == 1 ? MPI_DISTRIBUTE_BLOCK
                                  : MPI_DISTRIBUTE_CYCLIC);
      arguments.push_back(kind == 0 || flip() ? MPI_DISTRIBUTE_DFLT_DARG
                                              : number(least, least + 2));
    }
    const int rank = number(0, size - 1);
    made.text = "darray";
    EITHER(
        MPI_Type_create_darray(size, rank, n, sizes.data(), kinds.data(), arguments.data(),
                               processes.data(), order, old.type, &made.type),
        MPI_Type_create_darray_c(size, rank, n, large(sizes).data(), kinds.data(), arguments.data(),
                                 processes.data(), order, old.type, &made.type));
    made.text += "(" + std::to_string(rank) + " of " + std::to_string(size) + text_of(sizes) +
                 text_of(kinds) + text_of(arguments) + text_of(processes) +
                 (order == MPI_ORDER_C ? "C, " : "Fortran, ") + old.text + ")";
  }

  void resized(const Made& old, Made& made) {
    const int lower_bound = number(-30, 30), extent = number(0, 90);
    made.text = "resized";
    EITHER(MPI_Type_create_resized(old.type, lower_bound, extent, &made.type),
           MPI_Type_create_resized_c(old.type, lower_bound, extent, &made.type));
    made.text += text_of<int>({lower_bound, extent}) + "(" + old.text + ")";
  }

  Made structure(int depth) {
    const int n = number(0, 4);
    const auto lengths = numbers(n, 0, 3), displacements = numbers(n, -80, 200);
    Made made{MPI_DATATYPE_NULL, "struct", {}, false};
    std::string texts;
    std::vector<Made> members;
    std::vector<MPI_Datatype> types;
    for (int i = 0; i < n; ++i) {
      const bool again = i > 0 && number(0, 3) == 0;  // same type as the preceding member
      if (!again) members.push_back(make_with_data(depth - 1));
      types.push_back(members.back().type);
      texts += ", " + members.back().text;
      if (lengths[i] > 0)
        made.elements.insert(members.back().elements.begin(), members.back().elements.end());
    }
    EITHER(MPI_Type_create_struct(n, lengths.data(), addresses(displacements).data(), types.data(),
                                  &made.type),
           MPI_Type_create_struct_c(n, large(lengths).data(), large(displacements).data(),
                                    types.data(), &made.type));
    made.text += "(" + text_of(lengths) + text_of(displacements) + texts + ")";
    for (Made& member : members) member.free();
    return made;
  }

  std::mt19937_64 random_;
};

// The positions of the bytes of `count` elements, in ascending order, as MPI_Pack finds them. The
// buffer is large enough for both: true extents differ (in MPICH empty members of a struct extend
// them, Open MPI ignores overlapping parts).
std::vector<int64_t> packed_positions(MPI_Datatype type, int count, const Measures& measures,
                                      const DataMap& map) {
  const int64_t last = (count - 1) * measures.extent;
  const int64_t low =
      std::min<int64_t>(measures.true_lower_bound, map.bounds().begin) + std::min<int64_t>(0, last);
  const int64_t high =
      std::max<int64_t>(measures.true_lower_bound + measures.true_extent, map.bounds().end) +
      std::max<int64_t>(0, last);
  std::vector<unsigned char> buffer(high - low + 1);
  int capacity = 0;
  MPI_Pack_size(count, type, MPI_COMM_SELF, &capacity);
  std::vector<unsigned char> packed(capacity + 1);
  std::vector<int64_t> positions;
  for (int pass = 0; pass < 3; ++pass) {
    for (std::size_t i = 0; i < buffer.size(); ++i)
      buffer[i] = static_cast<unsigned char>(i >> (8 * pass));
    int used = 0;
    MPI_Pack(buffer.data() - low, count, type, packed.data(), capacity, &used, MPI_COMM_SELF);
    positions.resize(used);
    for (int i = 0; i < used; ++i) positions[i] += int64_t{packed[i]} << (8 * pass);
  }
  for (int64_t& position : positions) position += low;
  std::sort(positions.begin(), positions.end());
  return positions;
}

void append_positions(const Strided& strided, std::size_t dimension, int64_t offset,
                      std::vector<int64_t>& positions) {
  if (dimension == strided.dimensions.size()) {
    for (int64_t i = 0; i < strided.length; ++i) positions.push_back(offset + i);
    return;
  }
  for (int64_t i = 0; i < strided.dimensions[dimension].count; ++i)
    append_positions(strided, dimension + 1, offset + i * strided.dimensions[dimension].stride,
                     positions);
}

std::vector<int64_t> mapped_positions(const DataMap& map, int count) {
  std::vector<int64_t> positions;
  for (int i = 0; i < count; ++i)
    for (const Strided& strided : map.footprint)
      append_positions(strided, 0, strided.offset + i * map.extent, positions);
  std::sort(positions.begin(), positions.end());
  return positions;
}

std::vector<ByteRange> ranges_of(const std::vector<int64_t>& positions) {
  std::vector<ByteRange> ranges;
  for (const int64_t position : positions) {
    if (!ranges.empty() && position <= ranges.back().end)
      ranges.back().end = position + 1;
    else
      ranges.push_back({position, position + 1});
  }
  return ranges;
}

// What is wrong with the tool's map of the type; empty if it is correct.
std::string verdict(const Made& made, int count) {
  const Measures measures(made.type);
  const TypeDescription description = describe_type(made.type);
  const DataMap& map = description.map;
  if (map.size != measures.size)
    return "size is " + std::to_string(measures.size) + ", not " + std::to_string(map.size);
  if (map.lower_bound != measures.lower_bound) return "lower bound";
  if (map.extent != measures.extent) return "extent";
  const std::string element = made.elements.size() == 1 ? *made.elements.begin() : "";
  if (description.element != element)
    return "element is '" + element + "', not '" + description.element + "'";
  MPI_Datatype committed;
  MPI_Type_dup(made.type, &committed);
  MPI_Type_commit(&committed);
  const auto truth = packed_positions(committed, count, measures, map);
  MPI_Type_free(&committed);
  if (mapped_positions(map, count) != truth)
    return "positions, MPI's are" + text_of(ranges_of(truth));
  if (photofinish::expand(map, count) != ranges_of(truth)) return "expand";
  return {};
}

bool check_random(int index, std::uint64_t seed) {
  Generator generator(seed);
  Made made = generator.make(kMaxDepth);
  const int count = generator.number(1, 3);
  const std::string wrong = verdict(made, count);
  if (wrong.empty()) {
    made.free();
    return true;
  }
  std::printf("type %d, %d elements: wrong %s\n  %s\n  again: datatype_property 1 %llu\n", index,
              count, wrong.c_str(), made.text.c_str(), static_cast<unsigned long long>(seed));
  for (const Strided& strided : describe_type(made.type).map.footprint) {
    std::printf("  box %lld +%lld", static_cast<long long>(strided.offset),
                static_cast<long long>(strided.length));
    for (const auto& dimension : strided.dimensions)
      std::printf(" %lld x %lld", static_cast<long long>(dimension.count),
                  static_cast<long long>(dimension.stride));
    std::printf("\n");
  }
  return false;
}

// Frees the type; true if its map has `footprint` blocks of at most `dimensions` dimensions.
bool compact(const char* what, MPI_Datatype type, std::size_t footprint, std::size_t dimensions) {
  const Measures measures(type);
  const DataMap map = describe_type(type).map;
  MPI_Type_free(&type);
  std::size_t most = 0;
  for (const Strided& strided : map.footprint) most = std::max(most, strided.dimensions.size());
  const bool bounds = map.lower_bound == measures.lower_bound && map.extent == measures.extent;
  if (map.size == measures.size && bounds && map.footprint.size() <= footprint &&
      most <= dimensions)
    return true;
  std::printf(
      "%s: size %lld of %lld, bounds %s, %zu boxes of at most %zu, %zu dimensions of at most %zu\n",
      what, static_cast<long long>(map.size), static_cast<long long>(measures.size),
      bounds ? "right" : "wrong", map.footprint.size(), footprint, most, dimensions);
  return false;
}

bool check_compact() {
  constexpr int kMany = 1000000;
  bool good = true;
  MPI_Datatype type, inner;

  MPI_Type_vector(kMany, 2, 5, MPI_DOUBLE, &type);
  good &= compact("a million blocks", type, 1, 1);

  MPI_Type_vector(1000, 1, 3, MPI_INT, &inner);
  MPI_Type_create_hvector(1000, 1, 100000, inner, &type);
  MPI_Type_free(&inner);
  good &= compact("vector of vectors", type, 1, 2);

  MPI_Type_vector(kMany, 3, 3, MPI_INT, &type);
  good &= compact("vector without gaps", type, 1, 0);

  std::vector<int> lengths(kMany, 2), displacements(kMany);
  for (int i = 0; i < kMany; ++i) displacements[i] = (kMany - i) * 7;
  MPI_Type_indexed(kMany, lengths.data(), displacements.data(), MPI_INT, &type);
  good &= compact("regular indexed, backwards", type, 1, 1);

  const int pair_lengths[] = {1, 1};
  const MPI_Aint pair_displacements[] = {0, 8};
  const MPI_Datatype pair_types[] = {MPI_CHAR, MPI_INT};
  MPI_Type_create_struct(2, pair_lengths, pair_displacements, pair_types, &inner);
  MPI_Type_create_indexed_block(kMany, 1, displacements.data(), inner, &type);
  MPI_Type_free(&inner);
  good &= compact("regular indexed of a struct", type, 2, 1);

  const int sizes[] = {1000, 1000, 1000}, subsizes[] = {300, 400, 500}, starts[] = {1, 2, 3};
  MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_SHORT, &type);
  good &= compact("subarray", type, 1, 2);

  const int kinds[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK},
            arguments[] = {3, 7, 500};
  const int processes[] = {2, 2, 2};
  MPI_Type_create_darray(8, 5, 3, sizes, kinds, arguments, processes, MPI_ORDER_FORTRAN, MPI_INT,
                         &type);
  good &= compact("darray", type, 4, 4);

  std::mt19937 random(1);
  for (int i = 0; i < kMany; ++i) displacements[i] = 10 * i + static_cast<int>(random() % 8);
  MPI_Type_indexed(kMany, lengths.data(), displacements.data(), MPI_INT, &type);
  good &= compact("irregular indexed", type, kMany, 8);

  // Expanding both members at each level would take exponential time. Open MPI returns copies of
  // the contents, so two members of one type are two types.
  type = MPI_INT;
  for (int depth = 0; depth < (kOpenMpi ? 10 : 30); ++depth) {
    const int lengths_of_members[] = {1, 1};
    const MPI_Aint locations[] = {0, MPI_Aint{4} << depth};
    const MPI_Datatype twice[] = {type, type};
    inner = type;
    MPI_Type_create_struct(2, lengths_of_members, locations, twice, &type);
    if (depth > 0) MPI_Type_free(&inner);
  }
  good &= compact("struct of structs", type, 1, 0);
  return good;
}

bool check_names() {
  MPI_Datatype type;
  MPI_Type_dup(MPI_INT, &type);
  const bool unnamed = describe_type(type).name.empty();
  MPI_Type_set_name(type, "a name");
  const bool named = describe_type(type).name == "a name";
  MPI_Type_free(&type);
  const bool predefined =
      describe_type(MPI_2INT).name == "MPI_2INT" && describe_type(MPI_2INT).element == "MPI_2INT";
  const bool null = describe_type(MPI_DATATYPE_NULL).map == DataMap();
  if (!unnamed || !named || !predefined || !null)
    std::printf("names: unnamed %d, named %d, predefined %d, null %d\n", unnamed, named, predefined,
                null);
  return unnamed && named && predefined && null;
}

// The markers that MPI 3 removed; old programs use them, and both libraries support them.
bool check_markers() {
#if defined(OPEN_MPI)
  void* const lower =
      photofinish::mpi::find_real(photofinish::mpi::SymbolKind::Variable, "ompi_mpi_lb");
  void* const upper =
      photofinish::mpi::find_real(photofinish::mpi::SymbolKind::Variable, "ompi_mpi_ub");
  if (!lower || !upper) return true;
  const MPI_Datatype types[] = {static_cast<MPI_Datatype>(lower), MPI_INT,
                                static_cast<MPI_Datatype>(upper)};
#else
  const MPI_Datatype types[] = {MPI_LB, MPI_INT, MPI_UB};
#endif
  const int lengths[] = {1, 2, 1};
  const MPI_Aint displacements[] = {-8, 4, 40};
  MPI_Datatype type;
  MPI_Type_create_struct(3, lengths, displacements, types, &type);
  const TypeDescription description = describe_type(type);
  MPI_Type_free(&type);
  const bool good =
      description.map == DataMap{{{4, 8, {}}}, 8, -8, 48} && description.element == "MPI_INT";
  if (!good) std::printf("struct with MPI_LB and MPI_UB\n");
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = argc > 1 ? std::atoi(argv[1]) : 5000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  bool good = check_names() && check_markers() && check_compact();
  for (int i = 0; i < n && good; ++i) good = check_random(i, seed + i);
  if (good) std::printf("ok %d types\n", n);
  MPI_Finalize();
  return good ? 0 : 1;
}
