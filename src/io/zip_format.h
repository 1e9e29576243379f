// The records of a zip archive that reader and writer share (PKWARE's APPNOTE, section 4.3).
#pragma once

#include <cstddef>
#include <cstdint>

namespace fovea {

inline constexpr std::uint32_t kZipLocal = 0x04034B50;    // in front of each entry's data
inline constexpr std::uint32_t kZipCentral = 0x02014B50;  // the directory, one per entry
inline constexpr std::uint32_t kZipEnd = 0x06054B50;      // after the directory

inline constexpr std::size_t kZipLocalSize = 30;  // without name and extra field
inline constexpr std::size_t kZipCentralSize = 46;
inline constexpr std::size_t kZipEndSize = 22;

inline constexpr unsigned kZipEncrypted = 1u << 0;
inline constexpr unsigned kZipUtf8 = 1u << 11;
inline constexpr unsigned kZipStored = 0;
inline constexpr unsigned kZipDeflated = 8;

// A field of this value says: look into the zip64 record.
inline constexpr std::uint32_t kZip64Size = 0xFFFFFFFF;
inline constexpr std::uint32_t kZip64Count = 0xFFFF;

}  // namespace fovea
