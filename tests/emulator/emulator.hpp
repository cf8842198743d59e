// Enough of CUDA to run the device code on a CPU, thread by thread: every thread of a block is a fibre that runs until
// it meets a barrier or a warp-wide operation. The order in which fibres run changes from step to step, and now and
// then a warp is held back for a while, so that a missing barrier is likely to show as a wrong result; a barrier that
// only some threads reach ends the program with a message.

#include <setjmp.h>
#include <ucontext.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define __device__
#define __global__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __shared__ static

namespace emulator {

struct Index {
  int x = 0, y = 0;
};

enum class Wait { none, at_warp, at_block, done };

struct Fibre {
  ucontext_t context;  // where it begins; from then on jumps, which take no system call
  jmp_buf place;
  bool begun = false;
  std::vector<char> stack = std::vector<char>(1 << 17);
  Index index;
  int warp = 0, lane = 0;
  Wait wait = Wait::none;
  int turn = 0;
};

inline Fibre* current = nullptr;
inline jmp_buf scheduler;
inline Index block, block_size, grid_size;
inline std::vector<Fibre> fibres;
inline std::vector<unsigned long long> posted;  // (warp, turn, lane)
inline unsigned dynamic_shared[1 << 14];
inline void (*body)(const void*) = nullptr;
inline const void* argument = nullptr;

inline void pause(Wait wait) {
  current->wait = wait;
  if (!_setjmp(current->place)) _longjmp(scheduler, 1);
}

inline void run_body() {
  body(argument);
  current->wait = Wait::done;
  _longjmp(scheduler, 1);
}

inline __attribute__((noinline)) void resume(Fibre& fibre) {
  current = &fibre;
  if (_setjmp(scheduler)) return;
  if (fibre.begun) _longjmp(fibre.place, 1);
  fibre.begun = true;
  setcontext(&fibre.context);
}

// What every lane of the warp gave to the same operation.
template <class T>
inline const unsigned long long* exchange(T value) {
  static_assert(sizeof(T) <= 8, "a register pair at most");
  const int turn = current->turn++ & 1;
  unsigned long long* slots = posted.data() + (current->warp * 2 + turn) * 32;
  slots[current->lane] = 0;
  std::memcpy(slots + current->lane, &value, sizeof(T));
  pause(Wait::at_warp);
  return slots;
}

template <class T>
inline T read(unsigned long long slot) {
  T value;
  std::memcpy(&value, &slot, sizeof(T));
  return value;
}

inline bool release(Wait wait, size_t first, size_t last) {
  size_t waiting = 0, done = 0;
  for (size_t t = first; t < last; ++t) {
    waiting += fibres[t].wait == wait;
    done += fibres[t].wait == Wait::done;
  }
  if (!waiting || waiting + done < last - first) return false;
  for (size_t t = first; t < last; ++t)
    if (fibres[t].wait == wait) fibres[t].wait = Wait::none;
  return true;
}

inline void run_block(int x, int threads_x, int threads_y) {
  const size_t n = static_cast<size_t>(threads_x) * threads_y;
  block.x = x;
  fibres.resize(n);
  posted.assign(n / 32 * 64, 0);
  for (size_t t = 0; t < n; ++t) {
    Fibre& fibre = fibres[t];
    fibre.index.x = static_cast<int>(t % threads_x);
    fibre.index.y = static_cast<int>(t / threads_x);
    fibre.warp = static_cast<int>(t / 32);
    fibre.lane = static_cast<int>(t % 32);
    fibre.wait = Wait::none;
    fibre.turn = 0;
    fibre.begun = false;
    getcontext(&fibre.context);
    fibre.context.uc_stack.ss_sp = fibre.stack.data();
    fibre.context.uc_stack.ss_size = fibre.stack.size();
    fibre.context.uc_link = nullptr;
    makecontext(&fibre.context, run_body, 0);
  }
  static unsigned long long random = 1;
  std::vector<int> held(n / 32, 0);  // steps for which a warp does not run
  for (;;) {
    random = random * 6364136223846793005ull + 1442695040888963407ull;
    const size_t start = (random >> 33) % n, step = (random >> 60) & 1 ? 1 : n - 1;
    if (held.size() > 1 && (random >> 54 & 15) == 0) held[(random >> 40) % held.size()] = 1 + (random >> 48 & 63);
    size_t done = 0;
    for (size_t k = 0, t = start; k < n; ++k, t = (t + step) % n) {
      if (fibres[t].wait == Wait::none && !held[t / 32]) resume(fibres[t]);
      done += fibres[t].wait == Wait::done;
    }
    if (done == n) return;
    bool moved = false;
    for (int& steps : held) {
      moved |= steps > 0;
      steps -= steps > 0;
    }
    for (size_t first = 0; first < n; first += 32) moved |= release(Wait::at_warp, first, first + 32);
    moved |= release(Wait::at_block, 0, n);
    if (!moved) {
      std::fprintf(stderr, "some threads wait at a barrier that others never reach\n");
      std::abort();
    }
  }
}

}  // namespace emulator

#define threadIdx (emulator::current->index)
#define blockIdx (emulator::block)
#define blockDim (emulator::block_size)
#define gridDim (emulator::grid_size)

template <class T>
inline T atomicAdd(T* place, T value) {
  const T before = *place;
  *place = before + value;
  return before;
}
inline int max(int a, int b) { return a > b ? a : b; }
inline int min(int a, int b) { return a < b ? a : b; }

inline void __syncthreads() { emulator::pause(emulator::Wait::at_block); }
inline void __syncwarp() { emulator::exchange(0); }
inline int __popc(unsigned value) { return __builtin_popcount(value); }
inline int __ffs(unsigned value) { return __builtin_ffs(static_cast<int>(value)); }
inline float __fdividef(float a, float b) { return a / b; }
inline unsigned __float_as_uint(float value) {
  unsigned bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline float __uint_as_float(unsigned bits) { return emulator::read<float>(bits); }
inline float __int_as_float(int bits) { return emulator::read<float>(static_cast<unsigned>(bits)); }

inline unsigned __reduce_max_sync(unsigned, unsigned value) {
  const unsigned long long* all = emulator::exchange(value);
  unsigned out = 0;
  for (int lane = 0; lane < 32; ++lane) out = all[lane] > out ? static_cast<unsigned>(all[lane]) : out;
  return out;
}
inline unsigned __reduce_min_sync(unsigned, unsigned value) {
  const unsigned long long* all = emulator::exchange(value);
  unsigned out = 0xffffffffu;
  for (int lane = 0; lane < 32; ++lane) out = all[lane] < out ? static_cast<unsigned>(all[lane]) : out;
  return out;
}
inline unsigned __ballot_sync(unsigned, bool value) {
  const unsigned long long* all = emulator::exchange(static_cast<unsigned>(value));
  unsigned out = 0;
  for (int lane = 0; lane < 32; ++lane) out |= static_cast<unsigned>(all[lane]) << lane;
  return out;
}
template <class T>
inline T __ldcg(const T* place) {
  return *place;
}
template <class T>
inline T __shfl_sync(unsigned, T value, int lane) {
  return emulator::read<T>(emulator::exchange(value)[lane]);
}
template <class T>
inline T __shfl_xor_sync(unsigned, T value, int mask) {
  const unsigned long long* all = emulator::exchange(value);
  return emulator::read<T>(all[emulator::current->lane ^ mask]);
}
