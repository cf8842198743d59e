// The rows that matter to each problem, from tables of all rows and problems. REAL is float or double. A block of 32 x
// 8 threads takes 32 problems and eight parts of the rows: a thread goes over one part for one problem.

struct Tables {
  const REAL* costs;
  const REAL* multipliers;
  const REAL* scores;   // null before the first look at all rows
  const double* rates;  // per problem: share of its rows that it begins with, all positives apart
  int width;
  REAL least;  // what a row without a multiplier must lack of its margin

  // Rows that lack some of their margin, and rows with a multiplier; to begin with, positives and a sample.
  __device__ bool matters(long long row, int problem) const {
    const size_t at = static_cast<size_t>(row) * width + problem;
    const REAL cost = costs[at];
    if (scores) return (cost != 0 && 1 - (cost > 0 ? scores[at] : -scores[at]) > least) || multipliers[at] > 0;
    return cost > 0 || (cost != 0 && static_cast<unsigned>(row) * 2654435761u / 4294967296.0 < rates[problem]);
  }
};

extern "C" __global__ void count_rows(const REAL* costs, const REAL* multipliers, const REAL* scores,
                                      const double* rates, long long n_rows, int width, REAL least, long long part_size,
                                      int* counts) {
  const int problem = blockIdx.x * 32 + threadIdx.x, part = blockIdx.y * 8 + threadIdx.y;
  if (problem >= width) return;
  const Tables tables{costs, multipliers, scores, rates, width, least};
  const long long last = min(n_rows, (part + 1) * part_size);
  int count = 0;
  for (long long row = part * part_size; row < last; ++row) count += tables.matters(row, problem);
  counts[static_cast<size_t>(part) * width + problem] = count;
}

// `places` says where the entries of a part begin.
extern "C" __global__ void list_rows(const REAL* costs, const REAL* multipliers, const REAL* scores,
                                     const double* rates, long long n_rows, int width, REAL least, long long part_size,
                                     const long long* places, int* problems, int* rows, REAL* entry_costs,
                                     REAL* entry_multipliers) {
  const int problem = blockIdx.x * 32 + threadIdx.x, part = blockIdx.y * 8 + threadIdx.y;
  if (problem >= width) return;
  const Tables tables{costs, multipliers, scores, rates, width, least};
  const long long last = min(n_rows, (part + 1) * part_size);
  long long place = places[static_cast<size_t>(part) * width + problem];
  for (long long row = part * part_size; row < last; ++row) {
    if (!tables.matters(row, problem)) continue;
    const size_t at = static_cast<size_t>(row) * width + problem;
    problems[place] = problem;
    rows[place] = static_cast<int>(row);
    entry_costs[place] = costs[at];
    entry_multipliers[place] = multipliers[at];
    ++place;
  }
}
