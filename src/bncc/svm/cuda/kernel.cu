// What the device code shares: the task of a launch and kernel values. The host joins this file with smo.cu,
// parts.cu and solve.cu, or with walk.cu, and compiles them as one.
//
// THREADS   threads that work on one problem
// LINEAR    defined for the linear kernel
// SOURCE    where squared distances come from: 0 a held matrix, 1 dense points, 2 sparse points

// One launch. Every field takes 8 bytes; `task.py` fills them in the same order.
struct Task {
  const float* d2;          // (any, n_rows) squared distances, when they are held
  const float* points;      // (n_features, n_rows) dense points
  const long long* indptr;  // sparse points by row
  const int* indices;
  const float* values;
  const unsigned* words;       // (n_words, n_rows) labels of the rows, 32 to a word
  const signed char* targets;  // (n_targets, n_rows) +1 / -1
  const long long* row_ptr;    // sets of rows
  const int* row_index;
  const double* weights;  // (n_weights, n_rows)
  const int* target;      // per problem
  const int* row_set;
  const int* weight;  // -1: ones
  const double* gamma;
  const double* C;
  const unsigned* context;  // (n_problems, n_words)
  const int* problems;      // problems of this launch
  const long long* offset;  // per problem: where its part of the arrays below begins
  double* alpha;
  float* f;
  int* support;
  double* coef;
  int* chosen;  // work space of problems that exceed the registers
  double* before;
  double* bias;  // per problem
  double* objective;
  long long* iterations;
  int* n_support;
  signed char* status;
  const int* stop;       // not zero: the host wants an end
  const int* item_walk;  // per row that a walk decides
  const int* item_row;
  const int* item_known;  // its column in `known`
  const int* chain;       // (n_walks, length) problems
  const int* writes;      // (n_walks, length) label that a link predicts, -1: none
  const unsigned* known;  // (n_words, n_known) labels known beforehand, or null
  double* out;            // (n_items, length)
  long long n_rows;
  long long n_words;
  long long n_features;
  long long n_problems;  // of this launch
  long long max_iter;
  long long length;
  long long n_items;
  long long n_known;
  double tol;
};

#define LANES 0xffffffffu
#define WARPS (THREADS / 32)

// Counts are kept as the last bits of the float 2^23: one subtraction makes a float of them.
#define COUNT_ZERO 0x4B000000
static __device__ __forceinline__ float count_value(int count) { return __int_as_float(count) - 8388608.0f; }

static __device__ __forceinline__ float distance(const Task& task, const float* d2_row, int from, int to) {
#if SOURCE == 0
  return __ldcg(d2_row + to);  // not through L1, which is for labels
#elif SOURCE == 1
  float sum = 0.0f;
  for (long long k = 0; k < task.n_features; ++k) {
    const float difference = task.points[k * task.n_rows + from] - task.points[k * task.n_rows + to];
    sum += difference * difference;
  }
  return sum;
#else
  float sum = 0.0f;
  long long a = task.indptr[from], b = task.indptr[to];
  const long long a_end = task.indptr[from + 1], b_end = task.indptr[to + 1];
  while (a < a_end || b < b_end) {
    const int left = a < a_end ? task.indices[a] : 0x7fffffff, right = b < b_end ? task.indices[b] : 0x7fffffff;
    const float difference = (left <= right ? task.values[a] : 0.0f) - (right <= left ? task.values[b] : 0.0f);
    a += left <= right;
    b += right <= left;
    sum += difference * difference;
  }
  return sum;
#endif
}

// k - 1 (or, if linear, -d/2) of a squared distance: constants cancel, and what is left stays exact for tiny gamma.
static __device__ __forceinline__ float kernel_value(float distance, float gamma) {
#ifdef LINEAR
  return -0.5f * distance;
#else
  return expm1f(-gamma * distance);
#endif
}
