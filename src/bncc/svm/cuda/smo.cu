// SMO with second-order selection (Fan, Chen, Lin 2005), one group of THREADS threads per problem.
//
// ELEMENTS  rows per thread that registers hold; a problem with more rows than THREADS * ELEMENTS is solved by parts
// PACK      problems per block (more than one only where THREADS is 32)
//
// f_t = y_t - sum_s a_s y_s k(s, t) - offset, with an offset that changes nothing but rounding. A row is in "up" when
// a_t y_t may grow and in "down" when it may fall; the state is optimal when max f over up - min f over down < tol. f,
// both flags and the kernel row of i stay in registers, the numbers of the rows and of their labels in shared memory;
// alpha lies in memory, since only two are read in an iteration.

#define BLOCK_THREADS (THREADS * PACK)
#define CAPACITY (THREADS * ELEMENTS)
#define TAU 1e-12f
#define EDGE 1e-12
#define FAR 1e30  // no f lies there
#define ROUNDING 6e-8f
#define MAX_REFRESHES 50
#define MAX_RUN (1ll << 30)
#define STRIDE 7919

static_assert(ELEMENTS <= 32, "one bit of a register per row");

enum class End { reached, paused, stopped };
enum class Status { converged, iteration_limit, one_class, interrupted };

// One problem: where its parts lie.
struct Problem {
  const int* rows;
  const signed char* target;  // by row
  const double* weight;       // by row, or null
  const unsigned* mask;       // context, by word
  double* alpha;
  float* f;
  int* support;
  double* coef;
  int* chosen;
  double* before;
  double C;
  float gamma;
  int n;
};

struct State {
  float gmax, gmin;
  float drift;  // square of the rounding error that f may have gathered
  long long iterations;
  double largest;  // of the multipliers so far
};

// A candidate of one warp, with what the others need to know of it.
struct Slot {
  unsigned key, low;
  int place, row;
  float f, k;
};

struct Shared {
  Slot slot[2][WARPS];
  double sum[WARPS];
  int count[WARPS];
  int stop;
};

static __device__ __forceinline__ void sync() {
  if (THREADS == 32)
    __syncwarp();
  else
    __syncthreads();
}

// Unsigned keys in the order of the floats; 0 is below all of them.
static __device__ __forceinline__ unsigned key_of(float value) {
  const unsigned bits = __float_as_uint(value);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}
static __device__ __forceinline__ float value_of(unsigned key) {
  return __uint_as_float(key & 0x80000000u ? key & 0x7fffffffu : ~key);
}

static __device__ __forceinline__ double bound_of(const Problem& problem, int row) {
  return problem.weight ? problem.C * problem.weight[row] : problem.C;
}

// A coefficient within rounding of its box is put onto it: a row that is free by rounding alone would set the bias.
// What counts as rounding is told by the largest multiplier: the box may be wider by any factor.
static __device__ __forceinline__ double snap(double value, double bound, double largest) {
  if (value < EDGE * fmin(bound, largest)) return 0.0;
  return value > (1.0 - EDGE) * bound ? bound : value;
}

// The best candidate of all threads: largest key, then lowest warp, then lowest lane. `low` becomes the least of all.
// One barrier; `turn` alternates between two sets of slots, so that a slow warp may still read the last one.
static __device__ __forceinline__ Slot choose(Shared& shared, int turn, Slot mine) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const unsigned best = __reduce_max_sync(LANES, mine.key);
  const unsigned low = __reduce_min_sync(LANES, mine.low);
  const int winner = __ffs(__ballot_sync(LANES, mine.key == best)) - 1;
  if (lane == winner) {
    mine.low = low;
    shared.slot[turn][warp] = mine;
  }
  sync();
  if (WARPS == 1) return shared.slot[turn][0];
  const bool held = lane < WARPS;
  const unsigned key = held ? shared.slot[turn][lane].key : 0u;
  const unsigned least = __reduce_min_sync(LANES, held ? shared.slot[turn][lane].low : 0xffffffffu);
  const unsigned most = __reduce_max_sync(LANES, key);
  Slot out = shared.slot[turn][__ffs(__ballot_sync(LANES, held && key == most)) - 1];
  out.low = least;
  return out;
}

static __device__ double sum_over(Shared& shared, double value) {
  for (int step = 16; step; step >>= 1) value += __shfl_xor_sync(LANES, value, step);
  if (WARPS == 1) return value;
  sync();
  if ((threadIdx.x & 31) == 0) shared.sum[threadIdx.x >> 5] = value;
  sync();
  double total = 0.0;
  for (int warp = 0; warp < WARPS; ++warp) total += shared.sum[warp];
  return total;
}

static __device__ int count_over(Shared& shared, int value) {
  return static_cast<int>(sum_over(shared, static_cast<double>(value)));
}

// Call put(t, position) for every t < n with take(t), positions ascending with t. Returns how many there are.
template <class Take, class Put>
static __device__ int compact(Shared& shared, int n, Take take, Put put) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int total = 0;
  for (int base = 0; base < n; base += THREADS) {
    const int t = base + threadIdx.x;
    const bool taken = t < n && take(t);
    const unsigned votes = __ballot_sync(LANES, taken);
    if (lane == 0) shared.count[warp] = __popc(votes);
    sync();
    int position = total + __popc(votes & ((1u << lane) - 1u));
    for (int w = 0; w < WARPS; ++w) {
      if (w < warp) position += shared.count[w];
      total += shared.count[w];
    }
    sync();
    if (taken) put(t, position);
  }
  sync();
  return total;
}

// Labels of the context that a row has.
static __device__ int count_labels(const Task& task, const Problem& problem, int row) {
  int count = COUNT_ZERO;
  for (int w = 0; w < task.n_words; ++w) count += __popc(task.words[w * task.n_rows + row] & problem.mask[w]);
  return count;
}

// The rows of this thread: place e is at e * THREADS. Each with the number of its labels in the context. Places from
// `live` on hold none in any thread.
struct Held {
  int* row;
  int* labels;
  int live;
};

static __device__ __forceinline__ Held held_rows(int count) {
  extern __shared__ int all_rows[];
  int* own = all_rows + threadIdx.y * 2 * CAPACITY + threadIdx.x;
  const int live = (count + THREADS - 1) / THREADS;
  return {own, own + CAPACITY, live < ELEMENTS ? live : ELEMENTS};
}

// Whether place e may hold a row; a third of the places is skipped at a time.
static __device__ __forceinline__ bool in_use(const Held& held, int e) {
  constexpr int third = (ELEMENTS + 2) / 3;
  return e < third || e / third * third < held.live;
}

static __device__ __forceinline__ void hold(const Task& task, const Problem& problem, const Held& held, int e, int t) {
  const int row = problem.rows[t];
  held.row[e * THREADS] = row;
  held.labels[e * THREADS] = count_labels(task, problem, row);
}

// Kernel values between one row and the rows of this thread, in two steps: ask for the squared distances and for the
// words of `from` (one per lane), then make kernel values of them. The Hamming distance is |a| + |b| - 2 |a and b|, and
// the last term needs only the words in which `from` has a label.
static __device__ __forceinline__ unsigned ask(const Task& task, const Problem& problem, const Held& held, int from,
                                               float (&k)[ELEMENTS]) {
  const int lane = threadIdx.x & 31;
  const float* d2 = task.d2 + from * task.n_rows;
  const unsigned mine = lane < task.n_words ? task.words[lane * task.n_rows + from] & problem.mask[lane] : 0u;
#pragma unroll
  for (int e = 0; e < ELEMENTS; ++e)
    if (in_use(held, e)) k[e] = distance(task, d2, from, held.row[e * THREADS]);
  return mine;
}

static __device__ __forceinline__ void make_kernel(const Task& task, const Problem& problem, const Held& held, int from,
                                                   unsigned mine, float (&k)[ELEMENTS]) {
  const int lane = threadIdx.x & 31, n_words = static_cast<int>(task.n_words);
  int count[ELEMENTS];
#pragma unroll
  for (int e = 0; e < ELEMENTS; ++e)
    if (in_use(held, e)) count[e] = held.labels[e * THREADS];
  for (int base = 0; base < n_words; base += 32) {
    if (base)
      mine = base + lane < n_words ? task.words[(base + lane) * task.n_rows + from] & problem.mask[base + lane] : 0u;
    for (unsigned left = __ballot_sync(LANES, mine != 0u); left; left &= left - 1u) {
      const int w = __ffs(left) - 1;
      const unsigned own = __shfl_sync(LANES, mine, w);
      const unsigned* column = task.words + (base + w) * task.n_rows;
      const int size = __popc(own);
#pragma unroll
      for (int e = 0; e < ELEMENTS; ++e)
        if (in_use(held, e)) count[e] += size - 2 * __popc(column[held.row[e * THREADS]] & own);
    }
  }
#pragma unroll
  for (int e = 0; e < ELEMENTS; ++e)
    if (in_use(held, e)) k[e] = kernel_value(k[e] + count_value(count[e]), problem.gamma);
}

static __device__ __forceinline__ void kernel_row(const Task& task, const Problem& problem, const Held& held, int from,
                                                  float (&k)[ELEMENTS]) {
  const unsigned mine = ask(task, problem, held, from, k);
  make_kernel(task, problem, held, from, mine, k);
}

static __device__ __noinline__ bool asked_to_stop(const Task& task, Shared& shared) {
  if (threadIdx.x == 0) shared.stop = *static_cast<const volatile int*>(task.stop);
  sync();
  const bool stop = shared.stop != 0;
  sync();
  return stop;
}

// f = (fresh ? y - offset : f) - sum over the first `m` entries of support (places) and coef of coef k, in double.
// False if the host asked to stop meanwhile, which leaves f half done.
static __device__ __noinline__ bool spread(const Task& given, const Problem& asked, Shared& shared, int m, bool fresh,
                                           double offset) {
  const Task task = given;
  const Problem problem = asked;
  for (int base = 0; base < problem.n; base += CAPACITY) {
    if (base && asked_to_stop(task, shared)) return false;
    const Held held = held_rows(problem.n - base);
    double sum[ELEMENTS];
#pragma unroll
    for (int e = 0; e < ELEMENTS; ++e) {
      const int t = base + e * THREADS + threadIdx.x;
      hold(task, problem, held, e, t < problem.n ? t : 0);
      sum[e] = 0.0;
    }
    // The next row is asked for before this one is used.
    float k[ELEMENTS], next[ELEMENTS];
    int from = m ? problem.rows[problem.support[0]] : 0;
    unsigned mine = m ? ask(task, problem, held, from, k) : 0u;
    for (int s = 0; s < m; ++s) {
      const double coef = problem.coef[s];
      const int after = problem.rows[problem.support[s + 1 < m ? s + 1 : s]];
      const unsigned theirs = ask(task, problem, held, after, next);
      make_kernel(task, problem, held, from, mine, k);
#pragma unroll
      for (int e = 0; e < ELEMENTS; ++e) {
        if (in_use(held, e)) {
          sum[e] += coef * k[e];
          k[e] = next[e];
        }
      }
      from = after;
      mine = theirs;
    }
#pragma unroll
    for (int e = 0; e < ELEMENTS; ++e) {
      const int t = base + e * THREADS + threadIdx.x;
      if (t >= problem.n) continue;
      const double origin = fresh ? problem.target[problem.rows[t]] - offset : static_cast<double>(problem.f[t]);
      problem.f[t] = static_cast<float>(origin - sum[e]);
    }
  }
  sync();
  return true;
}

// Support places and coefficients, in the order of the rows. Returns their number.
static __device__ __noinline__ int gather(Shared& shared, const Problem& problem) {
  sync();
  return compact(
      shared, problem.n, [&](int t) { return problem.alpha[t] > 0.0; },
      [&](int t, int position) {
        problem.support[position] = t;
        problem.coef[position] = problem.alpha[t] * problem.target[problem.rows[t]];
      });
}

static __device__ __forceinline__ bool can_rise(const Problem& problem, int t, int sign) {
  const int row = problem.rows[t];
  const double alpha = problem.alpha[t];
  return problem.target[row] * sign > 0 ? alpha < bound_of(problem, row) : alpha > 0.0;
}

// Improve `count` rows pair by pair until the tolerance or the limit is reached, which is MAX_RUN iterations away at
// most: the places in `list`, or all where it is null. f of the rows in memory is brought up to date only where all of
// them take part.
static __device__ __noinline__ End improve(const Task& given, const Problem& asked, Shared& shared, const int* list,
                                           int count, double tol, long long limit, State& outcome) {
  // Copies, so that the loop need not look them up again.
  const Task task = given;
  const Problem problem = asked;
  State state = outcome;
  const int tid = threadIdx.x;
  const Held held = held_rows(count);
  float f[ELEMENTS], k[ELEMENTS];
  unsigned up = 0, down = 0;  // bit e: the thread's row e
#pragma unroll
  for (int e = 0; e < ELEMENTS; ++e) {
    const int place = e * THREADS + tid;
    const int t = place < count ? (list ? list[place] : place) : 0;
    hold(task, problem, held, e, t);
    f[e] = problem.f[t];
    if (place < count) {
      up |= static_cast<unsigned>(can_rise(problem, t, 1)) << e;
      down |= static_cast<unsigned>(can_rise(problem, t, -1)) << e;
    }
  }
  // The pair that was changed last goes to memory one iteration later, when no thread can still want the old values.
  int last_i = -1, last_j = -1;
  double alpha_i = 0.0, alpha_j = 0.0;
  End end = End::paused;
  int since = 0;
  const int allowed = static_cast<int>(limit - state.iterations);
  for (;; ++since) {
    if ((since & 255) == 255 && asked_to_stop(task, shared)) {
      end = End::stopped;
      break;
    }
    Slot mine = {0u, 0xffffffffu, 0, 0, 0.0f, 0.0f};
    float most = -3e38f;
#pragma unroll
    for (int e = 0; e < ELEMENTS; ++e) {
      if (in_use(held, e) && (up >> e & 1) && f[e] > most) {
        most = f[e];
        mine.place = e * THREADS;
        mine.key = 1u;
      }
    }
    if (mine.key) mine.key = key_of(most);
    mine.row = held.row[mine.place];
    mine.place += tid;
    const Slot first = choose(shared, 0, mine);
    if (!first.key) {
      end = End::reached;
      break;
    }
    state.gmax = value_of(first.key);
    const int i = list ? list[first.place] : first.place;
    double old_i = problem.alpha[i];
    const int y_i = problem.target[first.row];
    const double bound_i = bound_of(problem, first.row);
    kernel_row(task, problem, held, first.row, k);

    mine.key = 0u;
    mine.place = 0;
    float gain = -1.0f, least = 3e38f;
#pragma unroll
    for (int e = 0; e < ELEMENTS; ++e) {
      if (in_use(held, e) && (down >> e & 1)) {
        least = fminf(least, f[e]);
        const float lack = state.gmax - f[e];
        const float value = __fdividef(lack * lack, fmaxf(-2.0f * k[e], TAU));
        if (lack > 0.0f && value > gain) {
          gain = value;
          mine.place = e * THREADS;
          mine.f = f[e];
          mine.k = k[e];
        }
      }
    }
    if (gain >= 0.0f) mine.key = key_of(gain);
    mine.row = held.row[mine.place];
    mine.place += tid;
    if (down) mine.low = key_of(least);
    const Slot second = choose(shared, 1, mine);
    state.gmin = value_of(second.low);
    if (!second.key || state.gmax - state.gmin < static_cast<float>(tol)) {
      end = End::reached;
      break;
    }
    if (since >= allowed) break;

    const int j = list ? list[second.place] : second.place;
    double old_j = problem.alpha[j];
    const int y_j = problem.target[second.row];
    const double bound_j = bound_of(problem, second.row);
    if (i == last_i) old_i = alpha_i;
    if (i == last_j) old_i = alpha_j;
    if (j == last_i) old_j = alpha_i;
    if (j == last_j) old_j = alpha_j;
    if (tid == 0 && last_i >= 0) {
      problem.alpha[last_i] = alpha_i;
      problem.alpha[last_j] = alpha_j;
    }
    const double room_i = y_i > 0 ? bound_i - old_i : old_i, room_j = y_j > 0 ? old_j : bound_j - old_j;
    double change = __fdividef(state.gmax - second.f, fmaxf(-2.0f * second.k, TAU));
    const bool full_i = change >= room_i && room_i <= room_j, full_j = change >= room_j && room_j <= room_i;
    change = fmin(change, fmin(room_i, room_j));
    alpha_i = full_i ? (y_i > 0 ? bound_i : 0.0) : snap(old_i + y_i * change, bound_i, state.largest);
    alpha_j = full_j ? (y_j > 0 ? 0.0 : bound_j) : snap(old_j - y_j * change, bound_j, state.largest);
    state.largest = fmax(state.largest, fmax(alpha_i, alpha_j));
    last_i = i;
    last_j = j;
    if (tid == first.place % THREADS) {
      const unsigned bit = 1u << (first.place / THREADS);
      const bool grow = alpha_i < bound_i, fall = alpha_i > 0.0;
      up = (y_i > 0 ? grow : fall) ? up | bit : up & ~bit;
      down = (y_i > 0 ? fall : grow) ? down | bit : down & ~bit;
    }
    if (tid == second.place % THREADS) {
      const unsigned bit = 1u << (second.place / THREADS);
      const bool grow = alpha_j < bound_j, fall = alpha_j > 0.0;
      up = (y_j > 0 ? grow : fall) ? up | bit : up & ~bit;
      down = (y_j > 0 ? fall : grow) ? down | bit : down & ~bit;
    }
    const float step = static_cast<float>(change);
    const float error = ROUNDING * (fabsf(state.gmax) + fabsf(state.gmin) + step);
    state.drift += error * error;
    float other[ELEMENTS];
    kernel_row(task, problem, held, second.row, other);
#pragma unroll
    for (int e = 0; e < ELEMENTS; ++e)
      if (in_use(held, e)) f[e] -= step * (k[e] - other[e]);
  }
  state.iterations += since;
  sync();
  if (tid == 0 && last_i >= 0) {
    problem.alpha[last_i] = alpha_i;
    problem.alpha[last_j] = alpha_j;
  }
  if (!list) {
#pragma unroll
    for (int e = 0; e < ELEMENTS; ++e)
      if (e * THREADS + tid < count) problem.f[e * THREADS + tid] = f[e];
  }
  outcome = state;
  sync();
  return end;
}
