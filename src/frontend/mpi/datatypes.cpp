// Rebuilds a datatype's data map from the calls that made it.
//
// MPI returns how a type was constructed: the constructor (its "combiner") and its arguments, which
// are numbers and types. This file repeats the construction with data maps. The lower bound and
// extent of every level come from the library: it knows alignment padding, MPI_LB and MPI_UB
// markers, and how its version defines the bounds of an empty type. They determine where the next
// level places its elements, so each level must agree with the library, not with our reading of the
// standard.
//
// Numbers: the constructors with int counts return counts as integers and byte displacements as
// addresses. The old Fortran constructors (…_INTEGER) return all numbers as integers, the
// large-count ones (…_c) return all as counts. Concatenated as integers, addresses, counts, they
// are always the arguments of the constructor, in the order of the standard. The exceptions are the
// array types, which mix sizes with small integers and have code of their own.
//
// Misses: a type that the library does not describe (a constructor that this code does not know, an
// invalid handle) has no bytes, so races on its data are missed. A predefined type that the program
// renamed has its new name.
#include "frontend/mpi/datatypes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <vector>

namespace photofinish::mpi {
namespace {

using std::int64_t;
using Numbers = std::span<const int64_t>;

// Open MPI still has the three values, but not their names, which MPI 3 removed.
#if defined(OPEN_MPI)
enum {
  kHvectorInteger = MPI_COMBINER_HVECTOR - 1,
  kHindexedInteger = MPI_COMBINER_HINDEXED - 1,
  kStructInteger = MPI_COMBINER_STRUCT - 1
};
#else
enum {
  kHvectorInteger = MPI_COMBINER_HVECTOR_INTEGER,
  kHindexedInteger = MPI_COMBINER_HINDEXED_INTEGER,
  kStructInteger = MPI_COMBINER_STRUCT_INTEGER
};
#endif

// A product of numbers from the program. On overflow it is the largest int64, an offset that no
// block may have: normalize() drops the block (model/data_map.h).
int64_t product(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<int64_t>::max() : result;
}

struct Envelope {
  MPI_Count integers = 0;
  MPI_Count addresses = 0;
  MPI_Count counts = 0;
  MPI_Count types = 0;
  int combiner = MPI_UNDEFINED;  // remains so if the library call fails

  explicit Envelope(MPI_Datatype type) {
#if MPI_VERSION >= 4
    REAL(PMPI_Type_get_envelope_c)(type, &integers, &addresses, &counts, &types, &combiner);
#else
    int n_integers = 0, n_addresses = 0, n_types = 0;
    REAL(PMPI_Type_get_envelope)(type, &n_integers, &n_addresses, &n_types, &combiner);
    integers = n_integers;
    addresses = n_addresses;
    types = n_types;
#endif
  }

  bool f90() const {
    return combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX ||
           combiner == MPI_COMBINER_F90_INTEGER;
  }
  bool predefined() const { return combiner == MPI_COMBINER_NAMED || f90(); }
  bool structure() const { return combiner == MPI_COMBINER_STRUCT || combiner == kStructInteger; }
};

// The arguments of the constructor. Derived types among them are new handles, which the destructor
// frees. Predefined types must not be freed.
class Contents {
 public:
  Contents(MPI_Datatype type, const Envelope& envelope) : types(envelope.types) {
    std::vector<int> ints(envelope.integers);
    std::vector<MPI_Aint> addresses(envelope.addresses);
    std::vector<MPI_Count> counts(envelope.counts);
#if MPI_VERSION >= 4
    const auto get_contents = REAL(PMPI_Type_get_contents_c);
    get_contents(type, envelope.integers, envelope.addresses, envelope.counts, envelope.types,
                 ints.data(), addresses.data(), counts.data(), types.data());
#else
    const auto get_contents = REAL(PMPI_Type_get_contents);
    get_contents(type, static_cast<int>(envelope.integers), static_cast<int>(envelope.addresses),
                 static_cast<int>(envelope.types), ints.data(), addresses.data(), types.data());
#endif
    numbers.assign(ints.begin(), ints.end());
    numbers.insert(numbers.end(), addresses.begin(), addresses.end());
    numbers.insert(numbers.end(), counts.begin(), counts.end());
    integers = ints.size();
  }
  ~Contents() {
    for (MPI_Datatype& type : types)
      if (!Envelope(type).predefined()) REAL(PMPI_Type_free)(&type);
  }
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;

  std::vector<int64_t> numbers;  // integers, addresses, counts
  std::size_t integers = 0;      // how many of the numbers are integers
  std::vector<MPI_Datatype> types;
};

struct Description {
  DataMap map;
  std::string element;
};

Description describe(MPI_Datatype type);

DataMap with_bounds_of(MPI_Datatype type, DataMap map) {
  MPI_Count lower_bound = 0, extent = 0;
  REAL(PMPI_Type_get_extent_x)(type, &lower_bound, &extent);
  return resized(std::move(map), lower_bound, extent);
}

std::string name_of(MPI_Datatype type) {
  char name[MPI_MAX_OBJECT_NAME + 1] = "";
  int length = 0;
  if (REAL(PMPI_Type_get_name)(type, name, &length) != MPI_SUCCESS) return {};
  return name;
}

// A predefined type whose size differs from its extent is a pair of a value and an int, with the
// layout of the C struct: MPI_SHORT_INT has a gap in the middle, MPI_DOUBLE_INT one at the end.
DataMap predefined_map(MPI_Datatype type) {
  MPI_Count size = 0, lower_bound = 0, extent = 0;
  REAL(PMPI_Type_size_x)(type, &size);
  REAL(PMPI_Type_get_extent_x)(type, &lower_bound, &extent);
  if (size == extent) return contiguous_map(size);
  constexpr int64_t int_size = sizeof(int);
  const int64_t value_size = size - int_size;
  const int64_t int_offset = (value_size + int_size - 1) / int_size * int_size;
  return joined({contiguous_map(value_size), shifted(contiguous_map(int_size), int_offset)});
}

// The name contains the arguments: two types with different arguments are different types, even if
// they have the same size.
std::string f90_name(int combiner, Numbers arguments) {
  std::string name = combiner == MPI_COMBINER_F90_REAL      ? "MPI_F90_REAL("
                     : combiner == MPI_COMBINER_F90_COMPLEX ? "MPI_F90_COMPLEX("
                                                            : "MPI_F90_INTEGER(";
  for (const int64_t& argument : arguments) {
    if (&argument != arguments.data()) name += ",";
    name += argument == MPI_UNDEFINED ? "MPI_UNDEFINED" : std::to_string(argument);
  }
  return name + ")";
}

// `count` blocks of `blocklength` elements, `stride` bytes apart.
DataMap vector_map(const DataMap& old, int64_t count, int64_t blocklength, int64_t stride) {
  return repeated(repeated(old, blocklength), count, stride);
}

// arguments: blocklength[n], displacement[n]
std::vector<Block> blocks_of(Numbers arguments, int64_t unit) {
  const std::size_t n = arguments.size() / 2;
  std::vector<Block> blocks(n);
  for (std::size_t i = 0; i < n; ++i) blocks[i] = {arguments[i], product(arguments[n + i], unit)};
  return blocks;
}

// arguments: blocklength, displacement[n]
std::vector<Block> equal_blocks_of(Numbers arguments, int64_t unit) {
  std::vector<Block> blocks;
  blocks.reserve(arguments.size());
  for (const int64_t displacement : arguments.subspan(1))
    blocks.push_back({arguments[0], product(displacement, unit)});
  return blocks;
}

// A struct may have thousands of members but few types: each type is described once, and all its
// members are placed at once. Open MPI returns copies of derived types, so there this helps only
// for predefined types.
Description struct_description(const Contents& contents) {
  const std::vector<Block> members = blocks_of(Numbers(contents.numbers).subspan(1), 1);
  std::map<MPI_Datatype, std::vector<Block>> members_of_type;
  for (std::size_t i = 0; i < members.size(); ++i)
    if (members[i].count > 0) members_of_type[contents.types[i]].push_back(members[i]);
  std::vector<DataMap> maps;
  std::vector<std::string> elements;
  for (const auto& [type, blocks] : members_of_type) {
    const Description member = describe(type);
    if (member.map.size == 0)
      continue;  // MPI_LB, MPI_UB and empty types only affect the bounds, which the library
                 // provides
    maps.push_back(located(member.map, blocks));
    elements.push_back(member.element);
  }
  const bool uniform =
      !elements.empty() && std::ranges::count(elements, elements.front()) == std::ssize(elements);
  return {joined(maps), uniform ? elements.front() : std::string()};
}

// The dimensions of an array, from the one with the smallest stride to the one with the largest.
std::vector<std::size_t> fastest_first(std::size_t dimensions, int64_t order) {
  std::vector<std::size_t> result(dimensions);
  for (std::size_t i = 0; i < dimensions; ++i)
    result[i] = order == MPI_ORDER_C ? dimensions - 1 - i : i;
  return result;
}

DataMap subarray_map(const Contents& contents, DataMap map) {
  const Numbers integers = Numbers(contents.numbers).first(contents.integers);
  const Numbers large = Numbers(contents.numbers).subspan(contents.integers);
  const auto n = static_cast<std::size_t>(integers[0]);
  const Numbers arrays = large.empty() ? integers.subspan(1, 3 * n) : large;
  const Numbers sizes = arrays.first(n), subsizes = arrays.subspan(n, n),
                starts = arrays.subspan(2 * n, n);
  int64_t stride = map.extent;
  for (const std::size_t i : fastest_first(n, integers.back())) {
    map = shifted(repeated(map, subsizes[i], stride), product(starts[i], stride));
    stride = product(stride, sizes[i]);
  }
  return map;
}

// One dimension of a distributed array: the indices that belong to one process.
struct Distribution {
  int64_t size;        // of the global array
  int64_t block;       // consecutive indices of one process
  int64_t processes;   // they get the blocks round-robin
  int64_t coordinate;  // of this process

  Distribution(int64_t kind, int64_t argument, int64_t global_size, int64_t process_count,
               int64_t process)
      : size(global_size), block(argument), processes(process_count), coordinate(process) {
    if (kind == MPI_DISTRIBUTE_NONE)
      block = size;
    else if (argument == MPI_DISTRIBUTE_DFLT_DARG)
      block = kind == MPI_DISTRIBUTE_BLOCK ? size / processes + (size % processes != 0) : 1;
    // BLOCK(b) is CYCLIC(b) with a single round: b × processes ≥ size.
  }

  DataMap distribute(const DataMap& map, int64_t stride) const {
    const int64_t first = product(coordinate, block), turn = product(block, processes);
    if (first >= size) return {};
    const int64_t full = block <= size - first ? (size - first - block) / turn + 1 : 0;
    const int64_t rest = std::clamp(size - first - product(full, turn), int64_t{0}, block);
    const DataMap blocks = repeated(repeated(map, block, stride), full, product(turn, stride));
    const DataMap last = shifted(repeated(map, rest, stride), product(product(full, turn), stride));
    return shifted(joined({blocks, last}), product(first, stride));
  }
};

DataMap darray_map(const Contents& contents, DataMap map) {
  const Numbers integers = Numbers(contents.numbers).first(contents.integers);
  const Numbers large = Numbers(contents.numbers).subspan(contents.integers);
  const auto n = static_cast<std::size_t>(integers[2]);
  const Numbers sizes = large.empty() ? integers.subspan(3, n) : large;
  const Numbers kinds = integers.last(3 * n + 1).first(n);
  const Numbers arguments = integers.last(2 * n + 1).first(n);
  const Numbers processes = integers.last(n + 1).first(n);
  // Ranks are in C order over the process grid, whatever the order of the array.
  std::vector<int64_t> coordinates(n);
  for (int64_t rank = integers[1], i = static_cast<int64_t>(n) - 1; i >= 0; --i) {
    coordinates[i] = rank % processes[i];
    rank /= processes[i];
  }
  int64_t stride = map.extent;
  for (const std::size_t i : fastest_first(n, integers.back())) {
    map = Distribution(kinds[i], arguments[i], sizes[i], processes[i], coordinates[i])
              .distribute(map, stride);
    stride = product(stride, sizes[i]);
  }
  return map;
}

// Applies the constructor to its single old type. The caller sets the bounds.
DataMap constructed_map(int combiner, const Contents& contents, const DataMap& old) {
  const Numbers numbers = contents.numbers;
  switch (combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
      return old;
    case MPI_COMBINER_CONTIGUOUS:
      return repeated(old, numbers[0]);
    case MPI_COMBINER_VECTOR:
      return vector_map(old, numbers[0], numbers[1], product(numbers[2], old.extent));
    case MPI_COMBINER_HVECTOR:
    case kHvectorInteger:
      return vector_map(old, numbers[0], numbers[1], numbers[2]);
    case MPI_COMBINER_INDEXED:
      return located(old, blocks_of(numbers.subspan(1), old.extent));
    case MPI_COMBINER_HINDEXED:
    case kHindexedInteger:
      return located(old, blocks_of(numbers.subspan(1), 1));
    case MPI_COMBINER_INDEXED_BLOCK:
      return located(old, equal_blocks_of(numbers.subspan(1), old.extent));
    case MPI_COMBINER_HINDEXED_BLOCK:
      return located(old, equal_blocks_of(numbers.subspan(1), 1));
    case MPI_COMBINER_SUBARRAY:
      return subarray_map(contents, old);
    case MPI_COMBINER_DARRAY:
      return darray_map(contents, old);
  }
  return {};
}

Description describe_derived(MPI_Datatype type, const Envelope& envelope) {
  const Contents contents(type, envelope);
  if (envelope.structure()) return struct_description(contents);
  Description old = describe(contents.types[0]);
  return {constructed_map(envelope.combiner, contents, old.map), std::move(old.element)};
}

Description describe(MPI_Datatype type) {
  const Envelope envelope(type);
  Description result;
  if (envelope.combiner == MPI_UNDEFINED) return result;
  if (envelope.combiner == MPI_COMBINER_NAMED)
    result = {predefined_map(type), name_of(type)};
  else if (envelope.f90())
    result = {predefined_map(type), f90_name(envelope.combiner, Contents(type, envelope).numbers)};
  else
    result = describe_derived(type, envelope);
  if (result.map.size == 0) result.element.clear();
  result.map = with_bounds_of(type, std::move(result.map));
  return result;
}

// The name that the program gave the type. Open MPI generates names for duplicates and for
// parameterized Fortran types; these are ignored.
std::string given_name(MPI_Datatype type, const Description& description) {
  const Envelope envelope(type);
  if (envelope.f90()) return description.element;
  std::string name = name_of(type);
  const bool copied =
      envelope.combiner == MPI_COMBINER_DUP || envelope.combiner == MPI_COMBINER_RESIZED;
  if (copied && name.starts_with("Dup ")) name.clear();
  return name;
}

}  // namespace

TypeDescription describe_type(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return {};
  Description description = describe(type);
  std::string name = given_name(type, description);
  return {std::move(description.map), std::move(name), std::move(description.element)};
}

MPI_Datatype keep_type(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL || Envelope(type).predefined()) return type;
  MPI_Datatype kept = type;
  REAL(PMPI_Type_dup)(type, &kept);
  return kept;
}

void release_type(MPI_Datatype kept) {
  if (kept != MPI_DATATYPE_NULL && !Envelope(kept).predefined()) REAL(PMPI_Type_free)(&kept);
}

}  // namespace photofinish::mpi
