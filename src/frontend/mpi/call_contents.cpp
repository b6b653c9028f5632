#include "frontend/mpi/call_contents.h"

#include "frontend/mpi/fortran.h"
#include "frontend/mpi/interceptor.h"

namespace photofinish::mpi {
namespace {

bool reads(const Buffer& buffer) {
  return buffer.access == BufferUse::Read || buffer.access == BufferUse::ReadWrite;
}
bool writes(const Buffer& buffer) {
  return buffer.access == BufferUse::Write || buffer.access == BufferUse::ReadWrite;
}

// Whether others receive what such a call reads.
bool sends_contents(Action action) {
  switch (action) {
    case Action::Send:
    case Action::SendReceive:
    case Action::SendReceiveReplace:
    case Action::Put:
    case Action::Bcast:
    case Action::Gather:
    case Action::Scatter:
    case Action::Allgather:
    case Action::Alltoall:
    case Action::NeighborAllgather:
    case Action::NeighborAlltoall:
      return true;
    default:
      return false;
  }
}

// How many elements of what a collective reads, or writes, are for one rank; 0: all.
std::int64_t block_read(const Context& c, Action action) {
  if (action != Action::Scatter && action != Action::Alltoall && action != Action::NeighborAlltoall)
    return 0;
  const BufferArguments& buffer = c.send.in_place() ? c.recv : c.send;
  return buffer.counts.data == nullptr ? buffer.count : 0;
}
std::int64_t block_written(const Context& c, Action action) {
  const bool from_all = action == Action::Gather || action == Action::Allgather ||
                        action == Action::Alltoall || action == Action::NeighborAllgather ||
                        action == Action::NeighborAlltoall;
  return from_all && c.recv.counts.data == nullptr ? c.recv.count : 0;
}

// What is read here from windows is part of the entry of the call: it depends only on what a
// replayed rank knows, too.
void publish_buffers(Journaling& journaling, Context& c, Action action) {
  if (action == Action::Start) {
    for (int i = 0; i < c.request_count; ++i)
      if (const RequestRecord* request =
              Objects::get().find_request(c.requests[i], variable_of(c.requests, i)))
        for (const Buffer& buffer : request->rare().sends) journaling.publish(c.task, buffer);
    return;
  }
  const FieldSet& fields = c.event.fields;
  if (!sends_contents(action) || (fields.has(Field::to) && !journaling.in_group(fields[Field::to])))
    return;
  if (action == Action::Gather && fields[Field::root] >= 0 &&
      !journaling.in_group(fields[Field::root]))
    return;
  if (action == Action::Put) {
    const WorldRank target(static_cast<std::int32_t>(fields[Field::target]));
    if (c.event.buffers.size() == 2 && journaling.in_group(target.value))
      journaling.publish_put(c.task, c.event.buffers[0], target, c.win->definition.uid,
                             c.event.buffers[1]);
    return;
  }
  for (const Buffer& buffer : c.event.buffers)
    if (reads(buffer))
      journaling.each_piece(c.task, buffer, block_read(c, action),
                            [&](const Buffer& piece) { journaling.publish(c.task, piece); });
}

void exchange_window_fills(Journaling& journaling, Context& c) {
  const auto rule = mpi_meaning::completion_of(c.event);
  if (!rule) return;
  const bool one_target = rule->targets == mpi_meaning::CompletionRule::Targets::One;
  std::lock_guard lock(c.win->lock);
  std::erase_if(c.win->fills, [&](const WinRecord::Filling& filling) {
    if (one_target && filling.target.value != c.event.fields[Field::target]) return false;
    journaling.exchange_fills(c.task, filling.buffers, -1, filling.step);
    return true;
  });
}

// The buffers of an operation that is complete later belong to its request.
void leave_to_request(Journaling& journaling, Context& c, Action action, When when) {
  auto& request = c.new_request->rare();
  if (c.win != nullptr) request.step = TaskState::of(c.task).steps;
  for (const Buffer& buffer : c.event.buffers)
    if (writes(buffer))
      journaling.each_piece(c.task, buffer, block_written(c, action),
                            [&](const Buffer& piece) { request.fills.push_back(piece); });
  const FieldSet& fields = c.event.fields;
  const bool sends = when == When::Prepares && sends_contents(action) &&
                     (!fields.has(Field::to) || journaling.in_group(fields[Field::to]));
  for (const Buffer& buffer : c.event.buffers)
    if (sends && reads(buffer))
      journaling.each_piece(c.task, buffer, block_read(c, action),
                            [&](const Buffer& piece) { request.sends.push_back(piece); });
}

void exchange_buffers(Journaling& journaling, Context& c, Action action, When when) {
  const std::vector<Buffer>& buffers = c.event.buffers;
  const bool later = when == When::Starts || when == When::Prepares;
  const bool one_sided = c.win != nullptr;
  if (one_sided && c.event.fields.has(Field::target))
    for (const Buffer& buffer : buffers)
      if (buffer.access == BufferUse::Read) journaling.report_carried(c.task, buffer);
  if (later && c.new_request != nullptr) return leave_to_request(journaling, c, action, when);
  if (mpi_meaning::may_complete(action)) return exchange_window_fills(journaling, c);
  if (later) return;
  const std::int64_t bytes =
      c.event.fields.has(Field::matched_bytes) ? c.event.fields[Field::matched_bytes] : -1;
  for (const Buffer& buffer : buffers) {
    if (!writes(buffer)) continue;
    if (!one_sided)
      journaling.each_piece(c.task, buffer, block_written(c, action), [&](const Buffer& piece) {
        journaling.exchange_memory(c.task, piece, bytes, kPayloadFrom);
      });
    else
      c.win->fills.push_back({WorldRank(static_cast<std::int32_t>(c.event.fields[Field::target])),
                              {buffer},
                              TaskState::of(c.task).steps});
  }
}

// Windows that the call has made, attached memory to, or ended.
void follow_windows(Journaling& journaling, Context& c, Action action) {
  const FieldSet& fields = c.event.fields;
  const auto memory = [](std::uint64_t address) { return reinterpret_cast<void*>(address); };
  switch (action) {
    case Action::WinCreate: {
      const WinId id(static_cast<std::uint32_t>(fields[Field::new_win]));
      const WinDefinition& win = Recorder::get()->writer().known().wins.at(id);
      if (win.segments.empty()) journaling.watch(c.task, id.value, memory(win.base), win.size);
      for (const WinSegment& segment : win.segments)
        journaling.watch(c.task, id.value, memory(segment.address), segment.size);
      return;
    }
    case Action::WinAttach:
      return journaling.watch(c.task, static_cast<std::uint64_t>(fields[Field::address]),
                              memory(static_cast<std::uint64_t>(fields[Field::address])),
                              static_cast<std::size_t>(fields[Field::size]));
    case Action::WinDetach:
      journaling.exchange_all_changes(c.task);
      return journaling.unwatch(static_cast<std::uint64_t>(fields[Field::address]));
    case Action::WinFree:
      journaling.exchange_all_changes(c.task);
      return journaling.unwatch(static_cast<std::uint64_t>(fields[Field::win]));
    default:
      return;
  }
}

}  // namespace

void before_call(Journaling& journaling, Context& c, Action action, When when) {
  journaling.report_stores(c.task);
  if (journaling.group().size() > 1 && when != When::Prepares)
    publish_buffers(journaling, c, action);
  journaling.before_call(c.task);
  if (action != Action::WinFree ||
      Recorder::get()->writer().known().wins.at(c.win->definition.id).flavour == WinFlavour::Create)
    return;
  journaling.unwatch(c.win->definition.id.value);
}

void exchange_contents(Journaling& journaling, Context& c, Action action, When when) {
  exchange_buffers(journaling, c, action, when);
  follow_windows(journaling, c, action);
  // Others' puts are seen once something has been waited for, or queried; not while operations are
  // only started.
  const bool only_starts = when == When::Starts || when == When::Prepares ||
                           (c.win != nullptr && when == When::Returns &&
                            action != Action::WinSync && action != Action::WaitEpoch);
  if (!only_starts) journaling.exchange_changes(c.task);
}

void exchange_early(Journaling& journaling, Context& c, bool is_complete) {
  journaling.of(c.task)(is_complete);
  if (!is_complete) return;
  std::vector<Buffer> written;
  for (const Buffer& buffer : c.event.buffers)
    if (writes(buffer)) written.push_back(buffer);
  if (traits(c.call).action == Action::Start)
    for (int i = 0; i < c.request_count; ++i)
      if (const RequestRecord* request =
              Objects::get().find_request(c.requests[i], variable_of(c.requests, i)))
        written.insert(written.end(), request->rare().fills.begin(), request->rare().fills.end());
  for (const Buffer& buffer : written) journaling.exchange_memory(c.task, buffer, -1, kPayloadFrom);
}

}  // namespace photofinish::mpi
