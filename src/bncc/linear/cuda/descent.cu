// Dual coordinate descent for the squared hinge and the hinge loss: one warp to a problem, over the rows that matter to
// it. REAL is float or double.

// Visits wait for memory: what a row needs is asked for some visits ahead, one thing at each of them, since every load
// tells where the next one goes: entry, row, where the row begins, its columns, and what the problem has for these.

// A row as a lane holds it: its first two stored entries there.
struct Held {
  long long begin = 0, end = 0;
  int column[2] = {0, 0};
  REAL value[2] = {0, 0};
};

struct Rows {
  const long long* ptr;
  const int* columns;
  const REAL* values;
  int n_features;
  const unsigned* context;
  const REAL* weights;

  // Labels that the problem does not see are 0.
  __device__ bool sees(int column) const {
    const int label = column - n_features;
    return label < 0 || (context[label >> 5] >> (label & 31) & 1u);
  }

  __device__ Held hold(long long begin, long long end, int lane) const {
    Held held;
    held.begin = begin, held.end = end;
    for (int part = 0; part < 2; ++part) {
      const long long at = begin + lane + 32 * part;
      if (at >= end) continue;
      held.column[part] = columns[at];
      held.value[part] = values[at];
    }
    return held;
  }

  // Hide what the problem does not see, and ask for its weights of the rest.
  __device__ void prepare(Held& held) const {
    for (int part = 0; part < 2; ++part) {
      if (held.value[part] == 0) continue;  // there may be no column at all
#ifdef __CUDA_ARCH__
      asm volatile("prefetch.L1 [%0];" ::"l"(weights + held.column[part]));
#endif
      if (!sees(held.column[part])) held.value[part] = 0;
    }
  }

  // The product of a row with the weights, and its squared length, over the lanes of the warp.
  __device__ void measure(const Held& held, int lane, REAL& product, REAL& square) const {
    product = square = 0;
    for (int part = 0; part < 2; ++part) {
      product += held.value[part] * weights[held.column[part]];
      square += held.value[part] * held.value[part];
    }
    for (long long at = held.begin + lane + 64; at < held.end; at += 32) {
      const REAL stored = sees(columns[at]) ? values[at] : REAL(0);
      product += stored * weights[columns[at]];
      square += stored * stored;
    }
    for (int step = 16; step; step /= 2) {
      product += __shfl_xor_sync(0xffffffffu, product, step);
      square += __shfl_xor_sync(0xffffffffu, square, step);
    }
  }

  __device__ void add(const Held& held, REAL change, REAL* to, int lane) const {
    for (int part = 0; part < 2; ++part) {
      if (held.value[part] != 0) to[held.column[part]] += change * held.value[part];
    }
    for (long long at = held.begin + lane + 64; at < held.end; at += 32) {
      if (sees(columns[at])) to[columns[at]] += change * values[at];
    }
  }
};

__device__ inline unsigned after(unsigned at, unsigned stride, unsigned n) {
  const unsigned left = n - stride;
  return at >= left ? at - left : at + stride;
}

extern "C" __global__ void descend(const long long* row_ptr, const int* columns, const REAL* values,
                                   const long long* entry_ptr, const int* entry_rows, const REAL* entry_costs,
                                   REAL* multipliers, long long n_problems, REAL* weights, long long n_columns,
                                   int n_features, const unsigned* contexts, int n_words, REAL bias, int hinge,
                                   int most_epochs, unsigned most_visits, unsigned seed, REAL precision, double* dual) {
  const long long problem = blockIdx.x * static_cast<long long>(blockDim.y) + threadIdx.y;
  if (problem >= n_problems) return;
  const int lane = threadIdx.x;
  const long long first = entry_ptr[problem];
  const unsigned n = static_cast<unsigned>(entry_ptr[problem + 1] - first);
  REAL* w = weights + static_cast<size_t>(problem) * n_columns;
  const Rows rows{row_ptr, columns, values, n_features, contexts + problem * n_words, w};
  REAL constant = w[n_columns - 1];
  const int epochs = n ? max(1, min(most_epochs, static_cast<int>(most_visits / n))) : 0;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    // A prime above the number of entries has no divisor in common with it: every entry is visited once.
    const unsigned primes[4] = {4294967291u, 4294967279u, 4294967231u, 4294967197u};
    const unsigned stride = primes[(seed + epoch) & 3] % n;
    unsigned at[5];  // the entry of this visit, and those of the next four
    at[0] = (seed + epoch) * 2654435761u % n;
    for (int k = 1; k < 5; ++k) at[k] = after(at[k - 1], stride, n);
    int row[2] = {entry_rows[first + at[3]], entry_rows[first + at[4]]};  // of the visits 3 and 4 from now
    const int second = entry_rows[first + at[2]];
    long long begin = row_ptr[second], end = row_ptr[second + 1];  // of the row of the visit after next
    Held held, next_held;
    {
      const int now = entry_rows[first + at[0]], next = entry_rows[first + at[1]];
      held = rows.hold(row_ptr[now], row_ptr[now + 1], lane);
      next_held = rows.hold(row_ptr[next], row_ptr[next + 1], lane);
    }
    rows.prepare(held);
    REAL cost = entry_costs[first + at[0]], alpha = multipliers[first + at[0]];
    REAL worst = 0;
    for (unsigned visit = 0; visit < n; ++visit) {
      const unsigned fifth = after(at[4], stride, n);
      const int row_5 = entry_rows[first + fifth];
      const long long begin_3 = row_ptr[row[0]], end_3 = row_ptr[row[0] + 1];
      const Held held_2 = rows.hold(begin, end, lane);
      rows.prepare(next_held);
      const REAL next_cost = entry_costs[first + at[1]], next_alpha = multipliers[first + at[1]];
      REAL product, square;
      rows.measure(held, lane, product, square);
      const REAL sign = cost > 0 ? REAL(1) : REAL(-1), size = cost * sign;
      const REAL diagonal = hinge ? REAL(0) : REAL(0.5) / size;
      const REAL gradient = sign * (product + bias * constant) - 1 + alpha * diagonal;
      const REAL divisor = square + bias * bias + diagonal;
      REAL next = divisor > 0 ? alpha - gradient / divisor : size;
      next = next > 0 ? next : REAL(0);
      if (hinge && next > size) next = size;
      if (next != alpha) {
        const REAL change = (next - alpha) * sign;
        rows.add(held, change, w, lane);
        constant += change * bias;
        if (!lane) multipliers[first + at[0]] = next;
        const REAL away = gradient > 0 ? gradient : -gradient;
        worst = away > worst ? away : worst;
        __syncwarp();
      }
      for (int k = 0; k < 4; ++k) at[k] = at[k + 1];
      at[4] = fifth;
      row[0] = row[1], row[1] = row_5;
      begin = begin_3, end = end_3;
      held = next_held, next_held = held_2;
      cost = next_cost, alpha = next_alpha;
    }
    if (worst <= precision) break;
  }
  double total = 0;
  for (unsigned k = lane; k < n; k += 32) {
    const double alpha = multipliers[first + k], cost = entry_costs[first + k];
    total += alpha - (hinge ? 0.0 : alpha * alpha / (4 * (cost > 0 ? cost : -cost)));
  }
  for (int step = 16; step; step /= 2) total += __shfl_xor_sync(0xffffffffu, total, step);
  if (!lane) {
    w[n_columns - 1] = constant;
    dual[problem] = total;
  }
}
