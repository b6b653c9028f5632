#include "detect/batch.h"

#include "trace/codec.h"

namespace photofinish {

std::vector<std::uint8_t> encode(const Batch& batch) {
  Size size;
  size(batch);
  std::vector<std::uint8_t> bytes(size.bytes);
  Encoder out(bytes.data());
  Write{out}(batch);
  bytes.resize(static_cast<std::size_t>(out.next() - bytes.data()));
  return bytes;
}

bool decode(const std::vector<std::uint8_t>& bytes, Batch& batch) {
  Decoder in(bytes.data(), bytes.data() + bytes.size());
  Read{in}(batch);
  return in.ok();
}

std::size_t memory_bytes(const Batch& batch) {
  std::size_t steps = 0;
  for (const PhaseSteps& phase : batch.steps) steps += phase.steps.size();
  return sizeof(Batch) + batch.accesses.memory_bytes() +
         batch.atomics.size() * memory_bytes(AtomicOp()) + steps;
}

}  // namespace photofinish
