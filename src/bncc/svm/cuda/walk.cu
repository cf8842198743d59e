// Decisions along chains of solved problems: one warp per row of a walk visits its problems in order. Where it writes a
// label, the sign of the decision becomes that label of the row, which later problems read as context. A warp that
// begins after the host has asked for an end does nothing.

extern "C" __global__ void __launch_bounds__(THREADS) walk_chains(const Task* given) {
  extern __shared__ unsigned all_labels[];
  const Task& task = *given;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const long long item = static_cast<long long>(blockIdx.x) * WARPS + warp;
  if (item >= task.n_items) return;
  if (__shfl_sync(LANES, *static_cast<const volatile int*>(task.stop), 0)) return;  // all lanes or none
  const int n_words = static_cast<int>(task.n_words);
  unsigned* labels = all_labels + warp * n_words;
  const int new_row = task.item_row[item];
  const float* d2 = task.d2 + new_row * task.n_rows;
  const int known = task.known ? task.item_known[item] : 0;
  for (int w = lane; w < n_words; w += 32) labels[w] = task.known ? task.known[w * task.n_known + known] : 0u;
  __syncwarp();
  const int* chain = task.chain + task.item_walk[item] * task.length;
  const int* writes = task.writes + task.item_walk[item] * task.length;
  for (long long link = 0; link < task.length; ++link) {
    const int p = chain[link];
    const int* support = task.support + task.offset[p];
    const double* coef = task.coef + task.offset[p];
    const unsigned* mask = task.context + p * task.n_words;
    const float gamma = static_cast<float>(task.gamma[p]);
    const int m = task.n_support[p];
    double sum = 0.0;
    for (int s = lane; s < m; s += 32) {
      const int row = support[s];
      float d = distance(task, d2, new_row, row);
      int hamming = COUNT_ZERO;
      for (int w = 0; w < n_words; ++w)
        if (mask[w]) hamming += __popc((task.words[w * task.n_rows + row] ^ labels[w]) & mask[w]);
      sum += coef[s] * kernel_value(d + count_value(hamming), gamma);
    }
    for (int step = 16; step; step >>= 1) sum += __shfl_xor_sync(LANES, sum, step);
    const double decision = sum + task.bias[p];
    const int label = writes[link];
    __syncwarp();
    if (lane == 0) {
      task.out[item * task.length + link] = decision;
      if (label >= 0) {
        const unsigned bit = 1u << (label & 31);
        labels[label >> 5] = decision > 0.0 ? labels[label >> 5] | bit : labels[label >> 5] & ~bit;
      }
    }
    __syncwarp();
  }
}
