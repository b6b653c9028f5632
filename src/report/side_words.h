// What one side of a finding is, in the words of MPI and OpenSHMEM.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/finding.h"

namespace photofinish {

bool is_local(const FindingSide& side);
bool is_plain(const FindingSide& side);   // a load or store of the program
bool is_buffer(const FindingSide& side);  // of a call, which reads or writes it itself
bool is_one_sided(Call call);
// A collective updates the work arrays (pSync, pWrk) of other PEs.
bool updates_work_array(const FindingSide& side);
// The access is pending after its call has returned.
bool outlasts_call(const FindingSide& side);

std::string name_of(Call call);
std::string noun(const FindingSide& side);  // "put", "load"; for a buffer the name of the call
std::string with_article(const FindingSide& side);
std::string both(const FindingSide& a, const FindingSide& b);  // "the put and the load",
                                                               // "the two puts"
std::string bytes_text(std::uint64_t bytes);
std::string operation_text(ReduceOp op);  // "MPI_SUM"

// Advice for two threads: they have to synchronize, and an operation that outlasts its call has to
// complete before that, as `completion` says.
std::string order_of_threads(const FindingSide& a, const FindingSide& b,
                             std::string_view completion);

}  // namespace photofinish
