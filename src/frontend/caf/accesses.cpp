// Coindexed accesses: x(5)[3] = y, y = x(5)[3], x(5)[3] = y(2)[4]. The library completes each
// before it returns.
#include "frontend/caf/accesses.h"

using photofinish::caf::Descriptor;
using photofinish::caf::Subscript;

// Versions of gfortran differ in the last arguments (stat, team), which are passed on.
CAF_ENTRY void _gfortran_caf_send(void* token, std::size_t offset, int image, Descriptor* target,
                                  Subscript* subscripts, Descriptor* source, int target_kind,
                                  int source_kind, bool overlaps, int* stat, void* team);
CAF_ENTRY void _gfortran_caf_get(void* token, std::size_t offset, int image, Descriptor* source,
                                 Subscript* subscripts, Descriptor* target, int source_kind,
                                 int target_kind, bool overlaps, int* stat, void* team);
CAF_ENTRY void _gfortran_caf_sendget(void* to, std::size_t to_offset, int to_image,
                                     Descriptor* target, Subscript* target_subscripts, void* from,
                                     std::size_t from_offset, int from_image, Descriptor* source,
                                     Subscript* source_subscripts, int target_kind, int source_kind,
                                     bool overlaps, int* stat);

namespace photofinish::caf {

void add_pieces(Context& c, BufferUse use, std::uint64_t begin, const std::vector<Piece>& pieces) {
  for (const Piece& piece : pieces) {
    if (piece.bytes <= 0) continue;
    const std::uint64_t at = begin + static_cast<std::uint64_t>(piece.offset);
    if (piece.count == 1 || piece.stride == piece.bytes)
      c.event.buffers.push_back({use, at, piece.count * piece.bytes, TypeId(0)});
    else
      c.event.buffers.push_back(
          {use, at, piece.count, mpi::Objects::get().row_type(piece.bytes, piece.stride)});
  }
}

bool add_section(Context& c, BufferUse use, const void* token, std::size_t offset, int image,
                 const std::vector<Piece>& pieces) {
  c.event.fields.set(Field::target, Images::get().current().image(image).value);
  const Coarray* const coarray = Coarrays::get().find(token);
  if (coarray == nullptr) return false;
  c.event.fields.set(Field::win, coarray->region.id);
  add_pieces(c, use, offset, pieces);
  return true;
}

void add_array(Context& c, BufferUse use, const Descriptor& array) {
  add_pieces(c, use, reinterpret_cast<std::uint64_t>(array.base), pieces_of(array));
}

CAF_ENTRY void _gfortran_caf_send(void* token, std::size_t offset, int image, Descriptor* target,
                                  Subscript* subscripts, Descriptor* source, int target_kind,
                                  int source_kind, bool overlaps, int* stat, void* team) {
  Interception call(CALL_SITE);
  call.returning(
      CafCall::caf_send,
      [&] {
        CAF_REAL(send)
        (token, offset, image, target, subscripts, source, target_kind, source_kind, overlaps, stat,
         team);
      },
      [&](Context& c) {
        set_result(c, stat);
        add_array(c, BufferUse::Read, *source);
        add_section(c, BufferUse::TargetWrite, token, offset, image,
                    pieces_of(*target, subscripts));
      });
}

CAF_ENTRY void _gfortran_caf_get(void* token, std::size_t offset, int image, Descriptor* source,
                                 Subscript* subscripts, Descriptor* target, int source_kind,
                                 int target_kind, bool overlaps, int* stat, void* team) {
  Interception call(CALL_SITE);
  call.returning(
      CafCall::caf_get,
      [&] {
        CAF_REAL(get)
        (token, offset, image, source, subscripts, target, source_kind, target_kind, overlaps, stat,
         team);
      },
      [&](Context& c) {
        set_result(c, stat);
        add_array(c, BufferUse::Write, *target);
        add_section(c, BufferUse::TargetRead, token, offset, image, pieces_of(*source, subscripts));
      });
}

// Two events: it reads, then it writes.
CAF_ENTRY void _gfortran_caf_sendget(void* to, std::size_t to_offset, int to_image,
                                     Descriptor* target, Subscript* target_subscripts, void* from,
                                     std::size_t from_offset, int from_image, Descriptor* source,
                                     Subscript* source_subscripts, int target_kind, int source_kind,
                                     bool overlaps, int* stat) {
  Interception call(CALL_SITE);
  const auto describe_write = [&](Context& c) {
    set_result(c, stat);
    add_section(c, BufferUse::TargetWrite, to, to_offset, to_image,
                pieces_of(*target, target_subscripts));
  };
  call.announce(CafCall::caf_sendget, describe_write);
  call.returning(
      CafCall::caf_sendget,
      [&] {
        CAF_REAL(sendget)
        (to, to_offset, to_image, target, target_subscripts, from, from_offset, from_image, source,
         source_subscripts, target_kind, source_kind, overlaps, stat);
      },
      [&](Context& c) {
        set_result(c, stat);
        add_section(c, BufferUse::TargetRead, from, from_offset, from_image,
                    pieces_of(*source, source_subscripts));
      });
  call.also(CafCall::caf_sendget, describe_write);
}

}  // namespace photofinish::caf
