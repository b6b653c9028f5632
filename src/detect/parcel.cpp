#include "detect/parcel.h"

#include "trace/codec.h"

namespace photofinish {

std::vector<std::uint8_t> encode(const Parcel& parcel) {
  Size size;
  size(parcel);
  std::vector<std::uint8_t> bytes(size.bytes);
  Encoder out(bytes.data());
  Write{out}(parcel);
  bytes.resize(static_cast<std::size_t>(out.next() - bytes.data()));
  return bytes;
}

bool decode(const std::vector<std::uint8_t>& bytes, Parcel& parcel) {
  Decoder in(bytes.data(), bytes.data() + bytes.size());
  Read{in}(parcel);
  return in.ok();
}

std::size_t footprint(const Parcel& parcel) {
  std::size_t steps = 0;
  for (const SliceSteps& slice : parcel.steps) steps += slice.steps.size();
  return sizeof(Parcel) + parcel.accesses.footprint() +
         parcel.atomics.size() * footprint(AtomicOp()) + steps;
}

}  // namespace photofinish
