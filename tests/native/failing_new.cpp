// operator new of a program whose worker threads can be made to run out of memory (expect.hpp).
#include <atomic>
#include <new>
#include <thread>

#include "expect.hpp"

namespace {

std::atomic<bool> armed{false}, failed{false};
std::atomic<int64_t> left{0};
std::thread::id spared;

void* allocate(size_t size, size_t align) {
  if (armed && std::this_thread::get_id() != spared && left.fetch_sub(1) <= 0) {
    failed = true;
    throw std::bad_alloc();
  }
  void* memory = align ? std::aligned_alloc(align, (size + align - 1) / align * align) : std::malloc(size ? size : 1);
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

void fail_allocations_of_workers(int64_t count) {
  armed = false;
  spared = std::this_thread::get_id();
  left = count;
  failed = false;
  armed = count >= 0;
}

bool allocation_failed() { return failed; }

void* operator new(size_t size) { return allocate(size, 0); }
void* operator new(size_t size, std::align_val_t align) { return allocate(size, static_cast<size_t>(align)); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return std::malloc(size ? size : 1); }  // of sorts
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }
