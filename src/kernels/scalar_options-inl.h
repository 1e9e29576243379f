// Include after foreach_target.h. The scalar kernels run only where a processor has none of the vectors we
// know, and at -O3 GCC takes as long for them as for two sets of vectors: less is enough.
#if HWY_TARGET == HWY_SCALAR && defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O2")
#endif
