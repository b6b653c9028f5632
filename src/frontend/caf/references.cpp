#include "frontend/caf/references.h"

#include <cstring>

#include "frontend/caf/accesses.h"

using photofinish::caf::Descriptor;
using photofinish::caf::Reference;

CAF_ENTRY void _gfortran_caf_get_by_ref(void* token, int image, Descriptor* target,
                                        Reference* references, int target_kind, int source_kind,
                                        bool overlaps, bool reallocates, int* stat,
                                        int source_type);
CAF_ENTRY void _gfortran_caf_send_by_ref(void* token, int image, Descriptor* source,
                                         Reference* references, int target_kind, int source_kind,
                                         bool overlaps, bool reallocates, int* stat,
                                         int target_type);
CAF_ENTRY void _gfortran_caf_sendget_by_ref(void* to, int to_image, Reference* to_references,
                                            void* from, int from_image, Reference* from_references,
                                            int target_kind, int source_kind, bool overlaps,
                                            int* target_stat, int* source_stat, int target_type,
                                            int source_type);
CAF_ENTRY int _gfortran_caf_is_present(void* token, int image, Reference* references);

namespace photofinish::caf {
namespace {

constexpr int kCharacter = 6, kMaxDimensions = 15;

// Reads bytes of the image: those that the chain up to `last`, a component, refers to. The library
// follows the chain; to it, they are a string.
bool read_component(void* token, int image, const Reference* references, const Reference* last,
                    void* to, std::size_t bytes) {
  std::vector<Reference> chain;
  for (const Reference* one = references;; one = one->next) {
    chain.push_back(*one);
    if (one == last) break;
  }
  for (std::size_t i = 0; i + 1 < chain.size(); ++i) chain[i].next = &chain[i + 1];
  chain.back().next = nullptr;
  chain.back().item = bytes;
  chain.back().component.token_offset = 0;
  Descriptor target{};
  target.base = to;
  target.dtype.element = bytes;
  target.dtype.type = kCharacter;
  target.span = static_cast<std::ptrdiff_t>(bytes);
  int stat = 0;
  CAF_REAL(get_by_ref)
  (token, image, &target, chain.data(), 1, 1, false, false, &stat, kCharacter);
  return stat == 0;
}

int rank_of(const Reference& array) {
  int rank = 0;
  while (rank < kMaxDimensions && array.array.mode[rank] != Mode::None) ++rank;
  return rank;
}

class Follower {
 public:
  Follower(void* token, int image, const Reference* references)
      : token_(token), image_(image), references_(references) {}

  std::optional<Referenced> follow() {
    const Coarray* const coarray = Coarrays::get().find(token_);
    if (coarray == nullptr) return std::nullopt;
    region_ = coarray->region.id;
    if (coarray->descriptor) array_ = *coarray->descriptor;
    for (const Reference* one = references_; one != nullptr; one = one->next) {
      const bool known =
          one->type == ReferenceType::Component ? follow_component(*one) : follow_array(*one);
      if (!known) return std::nullopt;
      item_ = static_cast<std::int64_t>(one->item);
    }
    return Referenced{region_, static_cast<std::uint64_t>(begin_), pieces_of(axes_, item_)};
  }

 private:
  bool follow_component(const Reference& one) {
    if (one.component.token_offset <= 0) {
      begin_ += one.component.offset;
      return true;
    }
    const bool is_array = one.next != nullptr && one.next->type == ReferenceType::Array;
    const std::size_t bytes =
        is_array ? offsetof(Descriptor, dimensions) +
                       sizeof(Dimension) * static_cast<std::size_t>(rank_of(*one.next))
                 : sizeof(void*);
    array_ = {};
    if (!read_component(token_, image_, references_, &one, &array_, bytes) ||
        array_.base == nullptr)
      return false;
    region_ = Coarrays::get().components();
    begin_ = static_cast<std::int64_t>(reinterpret_cast<std::uint64_t>(array_.base));
    return true;
  }

  // The bounds of a static array are counted from its first element, in elements.
  bool follow_array(const Reference& one) {
    const bool is_static = one.type == ReferenceType::StaticArray;
    const auto item = static_cast<std::int64_t>(one.item);
    for (int i = 0; i < rank_of(one); ++i) {
      const Dimension dimension =
          is_static ? Dimension{.stride = 1, .lower = 0, .upper = 0} : array_.dimensions[i];
      const std::int64_t step = dimension.stride * item;
      const auto add_range = [&](std::int64_t start, std::int64_t end, std::int64_t stride) {
        if (stride == 0) stride = 1;
        begin_ += (start - dimension.lower) * step;
        axes_.push_back(
            {.count = (end - start) / stride + 1, .stride = stride * step, .distances = {}});
      };
      const Reference::Bounds& bounds = one.array.dimensions[i].bounds;
      switch (one.array.mode[i]) {
        case Mode::Single:
          begin_ += (bounds.start - dimension.lower) * step;
          break;
        case Mode::Range:
          add_range(bounds.start, bounds.end, bounds.stride);
          break;
        case Mode::Full:
          add_range(dimension.lower, is_static ? bounds.end : dimension.upper, bounds.stride);
          break;
        case Mode::OpenEnd:
          add_range(bounds.start, is_static ? bounds.end : dimension.upper, bounds.stride);
          break;
        case Mode::OpenStart:
          add_range(dimension.lower, bounds.end, bounds.stride);
          break;
        case Mode::Vector: {
          const Reference::Values& vector = one.array.dimensions[i].vector;
          Axis axis;
          for (std::size_t k = 0; k < vector.count; ++k)
            axis.distances.push_back(
                (value_of_vector(vector.values, k, vector.kind) - dimension.lower) * step);
          if (axis.distances.empty()) axis.count = 0;
          axes_.push_back(std::move(axis));
          break;
        }
        default:
          return false;
      }
    }
    return true;
  }

  void* const token_;
  const int image_;
  const Reference* const references_;
  WinId region_;
  std::int64_t begin_ = 0, item_ = 0;
  std::vector<Axis> axes_;
  Descriptor array_{};  // of the next reference
};

void add_referenced(Context& c, BufferUse use, void* token, int image,
                    const Reference* references) {
  c.event.fields.set(Field::target, Images::get().current().image(image).value);
  const auto found = follow_references(token, image, references);
  if (!found) return;
  c.event.fields.set(Field::win, found->region);
  add_pieces(c, use, found->begin, found->pieces);
}

}  // namespace

std::optional<Referenced> follow_references(void* token, int image, const Reference* references) {
  return Follower(token, image, references).follow();
}

CAF_ENTRY void _gfortran_caf_get_by_ref(void* token, int image, Descriptor* target,
                                        Reference* references, int target_kind, int source_kind,
                                        bool overlaps, bool reallocates, int* stat,
                                        int source_type) {
  Interception call(CALL_SITE);
  call.returning(
      CafCall::caf_get_by_ref,
      [&] {
        CAF_REAL(get_by_ref)
        (token, image, target, references, target_kind, source_kind, overlaps, reallocates, stat,
         source_type);
      },
      [&](Context& c) {
        set_result(c, stat);
        add_array(c, BufferUse::Write, *target);
        add_referenced(c, BufferUse::TargetRead, token, image, references);
      });
}

CAF_ENTRY void _gfortran_caf_send_by_ref(void* token, int image, Descriptor* source,
                                         Reference* references, int target_kind, int source_kind,
                                         bool overlaps, bool reallocates, int* stat,
                                         int target_type) {
  Interception call(CALL_SITE);
  call.returning(
      CafCall::caf_send_by_ref,
      [&] {
        CAF_REAL(send_by_ref)
        (token, image, source, references, target_kind, source_kind, overlaps, reallocates, stat,
         target_type);
      },
      [&](Context& c) {
        set_result(c, stat);
        add_array(c, BufferUse::Read, *source);
        add_referenced(c, BufferUse::TargetWrite, token, image, references);
      });
}

CAF_ENTRY void _gfortran_caf_sendget_by_ref(void* to, int to_image, Reference* to_references,
                                            void* from, int from_image, Reference* from_references,
                                            int target_kind, int source_kind, bool overlaps,
                                            int* target_stat, int* source_stat, int target_type,
                                            int source_type) {
  Interception call(CALL_SITE);
  const auto describe_write = [&](Context& c) {
    set_result(c, target_stat);
    add_referenced(c, BufferUse::TargetWrite, to, to_image, to_references);
  };
  call.announce(CafCall::caf_sendget_by_ref, describe_write);
  call.returning(
      CafCall::caf_sendget_by_ref,
      [&] {
        CAF_REAL(sendget_by_ref)
        (to, to_image, to_references, from, from_image, from_references, target_kind, source_kind,
         overlaps, target_stat, source_stat, target_type, source_type);
      },
      [&](Context& c) {
        set_result(c, source_stat);
        add_referenced(c, BufferUse::TargetRead, from, from_image, from_references);
      });
  call.also(CafCall::caf_sendget_by_ref, describe_write);
}

// The library's own access to the status of a component.
CAF_ENTRY int _gfortran_caf_is_present(void* token, int image, Reference* references) {
  Interception call(CALL_SITE);
  return CAF_REAL(is_present)(token, image, references);
}

}  // namespace photofinish::caf
