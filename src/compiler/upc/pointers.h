// Instructions that take pointers to shared memory apart: upc_runtime/layout.h.
#pragma once

#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <map>
#include <optional>
#include <string>

namespace photofinish::compiler::upc {

// Where a byte of shared memory is.
struct Position {
  llvm::Value* thread;
  llvm::Value* offset;  // in the thread's segment
  llvm::Value* phase;
};

class Pointers {
 public:
  explicit Pointers(llvm::Module& module);

  static bool is_shared(const llvm::Type* type);
  bool is_generic(const llvm::Type* type) const;

  // Block bytes of the type. Reports an error at `user` if a struct in the layout is never
  // complete.
  std::uint64_t block(llvm::Type* type, llvm::Instruction& user) const;

  Position position(llvm::IRBuilder<>& builder, llvm::Value* pointer, std::uint64_t block) const;
  llvm::Value* is_mine(llvm::IRBuilder<>& builder, const Position& position) const;
  llvm::Value* local_address(llvm::IRBuilder<>& builder, const Position& position) const;

  // Conversions. The null pointer stays the null pointer.
  llvm::Value* to_generic(llvm::IRBuilder<>& builder, llvm::Value* pointer,
                          std::uint64_t block) const;
  llvm::Value* from_generic(llvm::IRBuilder<>& builder, llvm::Value* generic, llvm::Type* to,
                            std::uint64_t block) const;
  llvm::Value* to_block(llvm::IRBuilder<>& builder, llvm::Value* pointer, std::uint64_t from,
                        llvm::Type* to, std::uint64_t block) const;
  // Null for memory of another thread.
  llvm::Value* to_private(llvm::IRBuilder<>& builder, llvm::Value* pointer,
                          std::uint64_t block) const;

  static void refuse(llvm::Instruction& at, const llvm::Twine& message);
  // As the compiler was given it.
  static std::string file_of(const llvm::DILocation& line);

 private:
  llvm::Value* constant_of_run(llvm::IRBuilder<>& builder, const char* name,
                               llvm::Type* type) const;
  llvm::Value* threads(llvm::IRBuilder<>& builder) const;

  llvm::Module& module_;
  llvm::IntegerType* generic_;
  std::optional<std::uint64_t> static_threads_;
  std::map<unsigned, std::uint64_t> completed_;  // sizes of layouts with incomplete types
};

}  // namespace photofinish::compiler::upc
