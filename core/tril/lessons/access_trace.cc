#include <tril/foundation/check.h>
#include <tril/lessons/access_trace.h>
#include <tril/matmul/loop_orders.h>

#include <string>

namespace tril {
namespace {

// A Direct that reports every access.
class Recorder {
 public:
  using Visit = std::function<void(const MatrixAccess&)>;

  Recorder(const detail::Product& product, const AccessTraceOptions& bases, const Visit& visit)
      : p_(product), bases_(bases), direct_(product), visit_(visit) {}

  float a(Index i, Index k) const {
    visit_({MatrixName::a, false, i, k, address(bases_.a, p_.a.at(i, k) - p_.a.data)});
    return direct_.a(i, k);
  }
  float b(Index k, Index j) const {
    visit_({MatrixName::b, false, k, j, address(bases_.b, p_.b.at(k, j) - p_.b.data)});
    return direct_.b(k, j);
  }
  float out(Index i, Index j) const {
    visit_({MatrixName::out, false, i, j, address(bases_.out, i * p_.out_stride + j)});
    return direct_.out(i, j);
  }
  void set_out(Index i, Index j, float value) {
    visit_({MatrixName::out, true, i, j, address(bases_.out, i * p_.out_stride + j)});
    direct_.set_out(i, j, value);
  }

 private:
  static std::uint64_t address(std::uint64_t base, Index offset) noexcept {
    return base + static_cast<std::uint64_t>(offset) * sizeof(float);
  }

  const detail::Product p_;
  const AccessTraceOptions bases_;
  detail::Direct direct_;
  const Visit& visit_;
};

}  // namespace

void trace_matmul(MatrixView<const float> a, MatrixView<const float> b,
                  const MatmulOptions& options, const AccessTraceOptions& trace,
                  MatrixView<float> out, const std::function<void(const MatrixAccess&)>& visit) {
  const detail::Product product = detail::checked_product(a, b, options, out, "trace_matmul");
  if (trace.block < 0) {
    fail("trace_matmul", "block", {"must not be negative, is ", trace.block});
  }
  const Index edge = trace.block;
  const detail::BlockSizes sizes =
      edge == 0 ? detail::kBlockSizes : detail::BlockSizes{edge, edge, edge};
  Recorder recorder(product, trace, visit);
  if (!detail::multiply_in_order(options.method, product, sizes, recorder)) {
    fail("trace_matmul", "method", "must be one of the six loop orders or blocked");
  }
}

}  // namespace tril
