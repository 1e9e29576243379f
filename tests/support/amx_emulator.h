// Carries out AMX's instructions for bfloat16 where the processor has none: a handler of SIGILL that reads
// the instruction, as the processor would, and skips it. So the machine code that the compiler made of
// amx_tile_unit.cc is tested on every x86-64 Linux: registers, strides, order, setting up and giving back.
// What it cannot test is a processor.
#pragma once

#if defined(__x86_64__) && defined(__linux__)

#include <signal.h>
#include <ucontext.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "fovea/shape.h"

namespace fovea::testing {

// The state of one thread, and what was done on all of it.
struct AmxState {
  bool configured = false;
  std::uint16_t row_bytes[8] = {};
  std::uint8_t rows[8] = {};
  alignas(64) std::uint8_t tiles[8][16][64] = {};
  long products = 0, releases = 0, mistakes = 0;  // mistakes: tiles used that were not configured
};

inline AmxState& amx_state() {
  static thread_local AmxState state;
  return state;
}

// One instruction: VEX prefix of three bytes (C4), opcode, ModRM, perhaps SIB and displacement.
class AmxInstruction {
 public:
  AmxInstruction(const std::uint8_t* code, const greg_t* registers) : code_(code), registers_(registers) {}

  // False if it is none of those that are known. Tells its length.
  bool run(AmxState& state, Index& length) {
    if (code_[0] != 0xC4 || (code_[1] & 0x1F) != 2 || (code_[2] & 0x84) != 0) return false;  // 0F38, W0, L0
    const int prefix = code_[2] & 3;  // 0 none, 1 66, 2 F3, 3 F2
    const std::uint8_t opcode = code_[3], modrm = code_[4];
    const bool memory = modrm >> 6 != 3;
    const int reg = modrm >> 3 & 7, rm = modrm & 7;
    length_ = 5;
    if (memory) read_address();
    length = length_;
    if (opcode == 0x49 && prefix == 0 && memory && reg == 0) return configure(state);
    if (opcode == 0x49 && prefix == 0 && modrm == 0xC0) return release(state);
    if (opcode == 0x49 && prefix == 3 && !memory && rm == 0) return zero(state, reg);
    if (opcode == 0x4B && prefix == 3 && memory && rm == 4) return load(state, reg);
    if (opcode == 0x4B && prefix == 2 && memory && rm == 4) return store(state, reg);
    if (opcode == 0x5C && prefix == 2 && !memory) return multiply(state, reg, rm, ~code_[2] >> 3 & 15);
    return false;
  }

 private:
  std::int64_t register_value(int number) const {
    static constexpr int kOrder[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                     REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                     REG_R12, REG_R13, REG_R14, REG_R15};
    return registers_[kOrder[number]];
  }

  // Sets address_, and stride_ of the rows if there is an index.
  void read_address() {
    const int mod = code_[4] >> 6, rm = code_[4] & 7;
    const int extend_index = (code_[1] & 0x40) == 0 ? 8 : 0, extend_base = (code_[1] & 0x20) == 0 ? 8 : 0;
    int base = rm;
    if (rm == 4) {
      const std::uint8_t sib = code_[length_++];
      const int index = (sib >> 3 & 7) + extend_index;
      stride_ = index == 4 ? 0 : register_value(index) << (sib >> 6);
      base = sib & 7;
    }
    std::int32_t displacement = 0;
    const bool no_base = mod == 0 && base == 5;
    if (mod == 1) {
      displacement = static_cast<std::int8_t>(code_[length_++]);
    } else if (mod == 2 || no_base) {
      std::memcpy(&displacement, code_ + length_, 4);
      length_ += 4;
    }
    address_ = displacement;
    if (!no_base) address_ += register_value(base + extend_base);
    if (no_base && rm == 5) address_ += registers_[REG_RIP] + length_;  // relative to what comes next
  }

  bool configure(AmxState& state) const {
    const auto* config = reinterpret_cast<const std::uint8_t*>(address_);
    state.configured = config[0] == 1;
    std::memcpy(state.row_bytes, config + 16, sizeof state.row_bytes);
    std::memcpy(state.rows, config + 48, sizeof state.rows);
    std::memset(state.tiles, 0, sizeof state.tiles);
    for (int i = 0; i < 8; ++i) {
      if (state.rows[i] > 16 || state.row_bytes[i] > 64) ++state.mistakes;
    }
    return true;
  }
  static bool release(AmxState& state) {
    state.configured = false;
    ++state.releases;
    return true;
  }
  static bool zero(AmxState& state, int tile) {
    state.mistakes += !state.configured;
    std::memset(state.tiles[tile], 0, sizeof state.tiles[tile]);
    return true;
  }
  bool load(AmxState& state, int tile) const {
    state.mistakes += !state.configured;
    for (std::int64_t r = 0; r < state.rows[tile]; ++r) {
      std::memcpy(state.tiles[tile][r], reinterpret_cast<const void*>(address_ + r * stride_),
                  state.row_bytes[tile]);
    }
    return true;
  }
  bool store(AmxState& state, int tile) const {
    state.mistakes += !state.configured;
    for (std::int64_t r = 0; r < state.rows[tile]; ++r) {
      std::memcpy(reinterpret_cast<void*>(address_ + r * stride_), state.tiles[tile][r],
                  state.row_bytes[tile]);
    }
    return true;
  }

  // Subnormal numbers count as 0.
  static float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? 0.0f : x; }
  static float at(const std::uint8_t* row, int element) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, row + 2 * element, 2);
    return flushed(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
  }

  // TDPBF16PS as Intel's manual has it: sums of the even and of the odd terms, then both onto the tile.
  static bool multiply(AmxState& state, int sums, int a, int b) {
    state.mistakes += !state.configured || b > 7;
    ++state.products;
    for (int m = 0; m < state.rows[sums]; ++m) {
      for (int n = 0; n < state.row_bytes[sums] / 4; ++n) {
        float even = 0, odd = 0, sum = 0;
        for (int k = 0; k < state.row_bytes[a] / 4; ++k) {
          const std::uint8_t *left = state.tiles[a][m], *right = state.tiles[b & 7][k];
          even = flushed(std::fma(at(left, 2 * k), at(right, 2 * n), even));
          odd = flushed(std::fma(at(left, 2 * k + 1), at(right, 2 * n + 1), odd));
        }
        std::memcpy(&sum, state.tiles[sums][m] + 4 * n, 4);
        sum = flushed(sum + flushed(even + odd));
        std::memcpy(state.tiles[sums][m] + 4 * n, &sum, 4);
      }
    }
    return true;
  }

  const std::uint8_t* code_;
  const greg_t* registers_;
  Index length_ = 0;
  std::int64_t address_ = 0, stride_ = 0;
};

// While it lives, SIGILL is answered as above; another instruction ends the program, as before.
class AmxEmulator {
 public:
  AmxEmulator() {
    struct sigaction action = {};
    action.sa_sigaction = [](int, siginfo_t*, void* context) {
      greg_t* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
      const auto* code = reinterpret_cast<const std::uint8_t*>(registers[REG_RIP]);
      Index length = 0;
      if (!AmxInstruction(code, registers).run(amx_state(), length)) {
        signal(SIGILL, SIG_DFL);
        return;
      }
      registers[REG_RIP] += length;
    };
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGILL, &action, &before_);
  }
  ~AmxEmulator() { sigaction(SIGILL, &before_, nullptr); }
  AmxEmulator(const AmxEmulator&) = delete;
  AmxEmulator& operator=(const AmxEmulator&) = delete;

 private:
  struct sigaction before_ = {};
};

}  // namespace fovea::testing

#endif
