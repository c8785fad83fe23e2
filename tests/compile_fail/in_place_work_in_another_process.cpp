// build error: fltr: this work writes its results in place, so it needs an Execution in the caller's memory
#include <fltr/concepts/execution.hpp>
#include <fltr/core/reduction_tree.hpp>

// An Execution that does not state that it shares the memory of the caller.
struct Anywhere {
  template <class Leaf>
  auto reduce(std::size_t blocks, Leaf const& leaf) const {
    return fltr::reduce_tree(0, blocks, leaf);
  }
};
void run(int* out) {
  fltr::for_each_block(Anywhere{}, 4, [out](std::size_t block) { out[block] = 1; });
}
