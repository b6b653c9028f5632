// Findings on disk, in the run directory: rank-N.findings, which rank N of a running program writes
// about its own memory, and analysis.findings, which an analysis of the recorded run writes;
// messages.findings is about its messages. A run without any of them was never analyzed; one that
// is empty says that there is nothing to find.
//
// A file is a header and one list of findings, in the values of codec.h; calls go by name, as in a
// trace. It appears under its name when it is complete, so that nobody ever reads half of one. A
// change of the header, of a describe, or of an enumeration that a finding holds is a new
// kFindingsVersion.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/finding.h"
#include "model/message_finding.h"

namespace photofinish {

inline constexpr std::uint32_t kFindingsVersion = 6;
inline constexpr std::string_view kFindingsEnding = ".findings";
inline constexpr std::string_view kAnalysisFile = "analysis.findings";
inline constexpr std::string_view kMessagesFile = "messages.findings";
inline constexpr std::string_view kConfirmationsFile =
    "confirmed.findings";  // report/confirmation.h
inline constexpr std::string_view kUnfinished =
    ".new";  // behind the name of a file that is being written

struct FindingsHeader {
  char magic[8];  // kFindingsMagic
  std::uint32_t version;
  std::uint32_t reserved;
  std::uint64_t size;      // bytes behind the header
  std::uint64_t checksum;  // XXH3 of those bytes, seeded with the XXH3 of the header before it
};
static_assert(sizeof(FindingsHeader) == 32, "on disk: bump kFindingsVersion");
inline constexpr char kFindingsMagic[8] = {'P', 'H', 'O', 'T', 'O', 'F', 'N', 'D'};
inline constexpr char kMessagesMagic[8] = {'P', 'H', 'O', 'T', 'O', 'M', 'S', 'G'};

std::string findings_path(const std::string& directory, WorldRank rank);
std::string analysis_path(const std::string& directory);
std::string messages_path(const std::string& directory);

// The values of the list alone.
std::vector<std::uint8_t> encode_findings(const std::vector<Finding>& findings);
Result<std::vector<Finding>> decode_findings(const std::vector<std::uint8_t>& bytes);
std::vector<std::uint8_t> encode_messages(const MessageFindings& findings);
Result<MessageFindings> decode_messages(const std::vector<std::uint8_t>& bytes);

// Room on disk for a few findings, taken while there is some: write_findings uses it.
void reserve_findings(const std::string& path);
void release_findings(const std::string& path);

// Replaces the file. Also for use inside the user's process.
Result<bool> write_findings(const std::string& path, const std::vector<Finding>& findings);
Result<std::vector<Finding>> read_findings_file(const std::string& path);

Result<bool> write_messages(const std::string& path, const MessageFindings& findings);
Result<MessageFindings> read_messages_file(const std::string& path);

// All that is known about a run. What its ranks and a later analysis have both found is counted
// once.
struct RunFindings {
  bool analysed = false;                    // false: nobody has looked for findings
  bool from_traces = false;                 // a later analysis has read the traces
  std::vector<Finding> findings;            // merged
  std::optional<MessageFindings> messages;  // none: nobody has looked
  std::vector<WorldRank>
      missing;  // recorded ranks that left no findings, unless the whole run was analyzed
};
// What an analysis found and could not write, as on a full disk: it is reported all the same.
struct UnwrittenFindings {
  std::optional<std::vector<Finding>> findings;
  std::optional<MessageFindings> messages;
};
Result<RunFindings> read_findings(const std::string& directory,
                                  const UnwrittenFindings& unwritten = {});

}  // namespace photofinish
