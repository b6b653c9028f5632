// Findings in the run directory. Rank N of a running program writes rank-N.findings about its own
// memory. An analysis of the recorded run writes analysis.findings. messages.findings holds the
// findings about messages. A run without any of them was not analyzed; an empty file means no
// findings.
//
// A file is a header and one list of findings, encoded as in codec.h; calls are stored by name, as
// in a trace. It gets its name when it is complete, so that no partial file is ever read. A change
// of the header, of a describe, or of an enumeration in a finding needs a new kFindingsVersion.
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

inline constexpr std::uint32_t kFindingsVersion = 7;
inline constexpr std::string_view kFindingsEnding = ".findings";
inline constexpr std::string_view kAnalysisFile = "analysis.findings";
inline constexpr std::string_view kMessagesFile = "messages.findings";
// model/confirmation.h.
inline constexpr std::string_view kConfirmationsFile = "confirmed.findings";
// Suffix of a file that is being written.
inline constexpr std::string_view kUnfinished = ".new";

struct FindingsHeader {
  char magic[8];  // kFindingsMagic
  std::uint32_t version;
  std::uint32_t reserved;
  std::uint64_t size;      // bytes after the header
  std::uint64_t checksum;  // XXH3 of those bytes, seeded with the XXH3 of the preceding header
};
static_assert(sizeof(FindingsHeader) == 32, "on disk: bump kFindingsVersion");
inline constexpr char kFindingsMagic[8] = {'P', 'H', 'O', 'T', 'O', 'F', 'N', 'D'};
inline constexpr char kMessagesMagic[8] = {'P', 'H', 'O', 'T', 'O', 'M', 'S', 'G'};

std::string findings_path(const std::string& directory, WorldRank rank);
std::string analysis_path(const std::string& directory);
std::string messages_path(const std::string& directory);

// The list alone, without a header.
std::vector<std::uint8_t> encode_findings(const std::vector<Finding>& findings);
Result<std::vector<Finding>> decode_findings(const std::vector<std::uint8_t>& bytes);
std::vector<std::uint8_t> encode_messages(const MessageFindings& findings);
Result<MessageFindings> decode_messages(const std::vector<std::uint8_t>& bytes);

// Reserves disk space for a few findings, for write_findings.
void reserve_findings(const std::string& path);
void release_findings(const std::string& path);

// Replaces the file. Also used inside the user's process.
Result<bool> write_findings(const std::string& path, const std::vector<Finding>& findings);
Result<std::vector<Finding>> read_findings_file(const std::string& path);

Result<bool> write_messages(const std::string& path, const MessageFindings& findings);
Result<MessageFindings> read_messages_file(const std::string& path);

// All findings of a run. Those of both its ranks and a later analysis are counted once.
struct RunFindings {
  bool analysed = false;                    // false: no analysis has run
  bool from_traces = false;                 // a later analysis has read the traces
  std::vector<Finding> findings;            // merged
  std::optional<MessageFindings> messages;  // nullopt: not analyzed
  // Recorded ranks without findings, unless the whole run was analyzed.
  std::vector<WorldRank> missing;
};
// Findings that an analysis could not write, for example on a full disk. They are reported anyway.
struct UnwrittenFindings {
  std::optional<std::vector<Finding>> findings;
  std::optional<MessageFindings> messages;
};
Result<RunFindings> read_findings(const std::string& directory,
                                  const UnwrittenFindings& unwritten = {});

}  // namespace photofinish
