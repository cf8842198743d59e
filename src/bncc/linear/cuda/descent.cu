// Dual coordinate descent for the squared hinge and the hinge loss: one warp to a problem, over the rows that matter to
// it. REAL is float or double.

// Visits wait for memory: what a row needs is asked for ahead, since every load tells where the next one goes: entry,
// row, where the row begins, its columns, and what the problem has for these. The first three are asked for by 32
// visits at a time, one to a lane, the columns two visits ahead. The weights are not: with thousands of problems side
// by side memory is busy with them, and asking twice costs more than it saves.

// A row as a lane holds it: its first two stored entries there, and the weights that they met.
struct Held {
  long long begin = 0, end = 0;
  int column[2] = {0, 0};
  REAL value[2] = {0, 0};
  REAL weight[2] = {0, 0};
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

  // Hide what the problem does not see.
  __device__ void prepare(Held& held) const {
    for (int part = 0; part < 2; ++part)
      if (held.value[part] != 0 && !sees(held.column[part])) held.value[part] = 0;
  }

  // The product of a row with the weights, and its squared length, over the lanes of the warp.
  __device__ void measure(Held& held, int lane, REAL& product, REAL& square) const {
    product = square = 0;
    for (int part = 0; part < 2; ++part) {
      held.weight[part] = weights[held.column[part]];
      product += held.value[part] * held.weight[part];
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
      if (held.value[part] != 0) to[held.column[part]] = held.weight[part] + change * held.value[part];
    }
    for (long long at = held.begin + lane + 64; at < held.end; at += 32) {
      if (sees(columns[at])) to[columns[at]] += change * values[at];
    }
  }
};

// The entries of a problem in the order of an epoch. One that is satisfied, without a multiplier, falls asleep: its
// multiplier becomes `asleep`, and epochs pass it by until the scores of all rows are looked at.
constexpr REAL asleep = -1;

// What a lane has of one visit: the first of these from the list, the last two from the rows.
struct Awaited {
  unsigned entry = 0;
  int row = 0;
  REAL cost = 0, multiplier = asleep;
  long long begin = 0;
  int size = 0;
};

// A visit, as all lanes know it.
struct Visit {
  unsigned entry = 0;
  REAL cost = 0, multiplier = 0;
  long long begin = 0, end = 0;
};

struct Epoch {
  const long long* row_ptr;
  const int* rows;
  const REAL* costs;
  const REAL* multipliers;
  unsigned n, start, stride;
  int lane;
  unsigned group = 0, open = 0;  // 32 visits, and which of them are to come
  Awaited now, soon, later;      // of this group and of the next two

  __device__ Awaited look(unsigned number) const {
    Awaited out;
    const unsigned long long visit = 32ull * number + lane;
    if (visit >= n) return out;
    out.entry = static_cast<unsigned>((start + visit * stride) % n);
    out.row = rows[out.entry];
    out.cost = costs[out.entry];
    out.multiplier = multipliers[out.entry];
    return out;
  }

  __device__ void find(Awaited& awaited) const {
    if (awaited.multiplier < 0) return;
    awaited.begin = row_ptr[awaited.row];
    awaited.size = static_cast<int>(row_ptr[awaited.row + 1] - awaited.begin);
  }

  __device__ void begin() {
    now = look(0), soon = look(1), later = look(2);
    find(now);
    find(soon);
    open = __ballot_sync(0xffffffffu, now.multiplier >= 0);
  }

  // The next entry that is awake; false where there is none.
  __device__ bool next(Visit& visit) {
    while (!open) {
      if (32ull * (group + 1) >= n) return false;
      ++group;
      now = soon, soon = later;
      find(soon);
      later = look(group + 2);
      open = __ballot_sync(0xffffffffu, now.multiplier >= 0);
    }
    const int from = __ffs(open) - 1;
    open &= open - 1;
    visit.entry = __shfl_sync(0xffffffffu, now.entry, from);
    visit.cost = __shfl_sync(0xffffffffu, now.cost, from);
    visit.multiplier = __shfl_sync(0xffffffffu, now.multiplier, from);
    visit.begin = __shfl_sync(0xffffffffu, now.begin, from);
    visit.end = visit.begin + __shfl_sync(0xffffffffu, now.size, from);
    return true;
  }
};

// `first_slack` and `slack_factor`: what a row without a multiplier must have to spare to fall asleep, in the first
// epoch, and as a share of the largest gradient that pulled at a multiplier in the last one.
constexpr REAL first_slack = REAL(0.2), slack_factor = REAL(0.2);

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
  REAL constant = w[n_columns - 1], slack = first_slack;
  unsigned visits = 0;
  for (int epoch = 0; n && epoch < most_epochs && visits < most_visits; ++epoch) {
    // A prime above the number of entries has no divisor in common with it: every entry is visited once.
    const unsigned primes[4] = {4294967291u, 4294967279u, 4294967231u, 4294967197u};
    const unsigned begin = (seed + epoch) * 2654435761u % n, stride = primes[(seed + epoch) & 3] % n;
    Epoch queue{row_ptr, entry_rows + first, entry_costs + first, multipliers + first, n, begin, stride, lane};
    queue.begin();
    Visit visit, coming;
    bool is_there = queue.next(visit), is_next = is_there && queue.next(coming);
    Held held = rows.hold(visit.begin, visit.end, lane), next_held = rows.hold(coming.begin, coming.end, lane);
    rows.prepare(held);
    REAL worst = 0, excess = 0;
    while (is_there) {
      Visit after_next;
      const bool is_after = is_next && queue.next(after_next);
      const Held held_2 = rows.hold(after_next.begin, after_next.end, lane);
      rows.prepare(next_held);
      REAL product, square;
      rows.measure(held, lane, product, square);
      const REAL cost = visit.cost, alpha = visit.multiplier;
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
        if (!lane) multipliers[first + visit.entry] = next;
        const REAL away = gradient > 0 ? gradient : -gradient;
        worst = away > worst ? away : worst;
        if (gradient > excess) excess = gradient;
        __syncwarp();
      } else if (alpha == 0 && gradient > slack && !lane) {
        multipliers[first + visit.entry] = asleep;
      }
      ++visits;
      visit = coming, coming = after_next;
      is_there = is_next, is_next = is_after;
      held = next_held, next_held = held_2;
    }
    __syncwarp();
    if (worst <= precision) break;
    slack = slack_factor * excess;
  }
  double total = 0;
  for (unsigned k = lane; k < n; k += 32) {
    const double alpha = multipliers[first + k], cost = entry_costs[first + k];
    if (alpha > 0) total += alpha - (hinge ? 0.0 : alpha * alpha / (4 * (cost > 0 ? cost : -cost)));
    if (alpha < 0) multipliers[first + k] = 0;
  }
  for (int step = 16; step; step /= 2) total += __shfl_xor_sync(0xffffffffu, total, step);
  if (!lane) {
    w[n_columns - 1] = constant;
    dual[problem] = total;
  }
}
