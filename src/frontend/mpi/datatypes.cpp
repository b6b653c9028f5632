// Rebuilds a datatype's data map from the calls that made it.
//
// MPI tells how a type was made: the constructor (its "combiner"), the numbers and the types it was
// given. We make the same construction once more with data maps. Lower bound and extent of every
// level are the library's: it knows alignment padding, MPI_LB and MPI_UB markers, and what its own
// version takes an empty type's bounds to be. These decide where the next level puts its elements,
// so each level's map must agree with the library and not with our reading of the standard.
//
// Numbers. The constructors with int counts keep counts in the integers and byte displacements in
// the addresses; Fortran's old ones (…_INTEGER) keep all in the integers; the large-count ones
// (…_c) keep all in the counts. In that order, one after the other, they are in each case the
// constructor's arguments in the order of the standard. Only the array types mix sizes with small
// integers, and are taken apart by hand.
//
// Misses: a type that the library cannot tell us about (a constructor younger than this code, an
// invalid handle) has no bytes, so nothing races with it. A predefined type that the program
// renamed appears under its new name.
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

// Open MPI keeps the three values but hides their names, which MPI 3 removed.
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

// Products of the program's numbers. What leaves int64 becomes an offset that no box may have, so
// the box is dropped.
int64_t product(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<int64_t>::max() : result;
}

struct Envelope {
  MPI_Count integers = 0;
  MPI_Count addresses = 0;
  MPI_Count counts = 0;
  MPI_Count types = 0;
  int combiner = MPI_UNDEFINED;  // stays so if the library does not tell

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

// The arguments of the constructor. MPI hands out the types among them as new handles, which are
// given back at the end; not the predefined ones, which nobody may free.
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

  std::vector<int64_t> numbers;  // integers, addresses, large counts
  std::size_t integers = 0;      // how many of the numbers come from the integers
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

// A predefined type whose size is not its extent is a pair of a value and an int, laid out as C
// lays out the struct: MPI_SHORT_INT has a gap in the middle, MPI_DOUBLE_INT one at the end.
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

// Two types made with the same arguments are the same type, and with others are not, whatever their
// size.
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

// count × blocklength elements, `stride` bytes from block to block.
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

// A struct of thousands of members has few types: the members of one type are placed together, and
// each type is taken apart once. (Open MPI hands out copies, so there only predefined types are
// seen to be the same.)
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
      continue;  // MPI_LB, MPI_UB and empty types: bounds only, which the library tells
    maps.push_back(located(member.map, blocks));
    elements.push_back(member.element);
  }
  const bool uniform =
      !elements.empty() && std::ranges::count(elements, elements.front()) == std::ssize(elements);
  return {joined(maps), uniform ? elements.front() : std::string()};
}

// Arrays are built from the dimension whose neighbors are closest to the one whose neighbors are
// farthest.
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

// One dimension of a distributed array: which of its indices one process has.
struct Distribution {
  int64_t size;        // of the global array
  int64_t block;       // indices in a row
  int64_t processes;   // the blocks are dealt out to them in turn
  int64_t coordinate;  // of this process

  Distribution(int64_t kind, int64_t argument, int64_t global_size, int64_t process_count,
               int64_t process)
      : size(global_size), block(argument), processes(process_count), coordinate(process) {
    if (kind == MPI_DISTRIBUTE_NONE)
      block = size;
    else if (argument == MPI_DISTRIBUTE_DFLT_DARG)
      block = kind == MPI_DISTRIBUTE_BLOCK ? size / processes + (size % processes != 0) : 1;
    // BLOCK(b) is CYCLIC(b) that never comes to a second turn: b × processes ≥ size.
  }

  DataMap call_site(const DataMap& map, int64_t stride) const {
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
  // Ranks are laid out in C order over the process grid, whatever the order of the array.
  std::vector<int64_t> coordinates(n);
  for (int64_t rank = integers[1], i = static_cast<int64_t>(n) - 1; i >= 0; --i) {
    coordinates[i] = rank % processes[i];
    rank /= processes[i];
  }
  int64_t stride = map.extent;
  for (const std::size_t i : fastest_first(n, integers.back())) {
    map = Distribution(kinds[i], arguments[i], sizes[i], processes[i], coordinates[i])
              .call_site(map, stride);
    stride = product(stride, sizes[i]);
  }
  return map;
}

// What the constructor does with its one old type; the bounds are put right afterwards.
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

// The name that a person gave the type. Open MPI invents names for copies and for Fortran's
// parametrised types.
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
