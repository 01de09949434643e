#include "device.h"

// Every thread works on the same few words.
extern "C" __global__ void atomics(u32 *u, s32 *s, u64 *w, float *f, double *d) {
	__shared__ u32 local[2];
	u32 t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
	if (t < 2)
		local[t] = 0;
	__syncthreads();
	__nvvm_atom_add_gen_i((int *)&local[0], i);
	__nvvm_atom_max_gen_ui(&local[1], i * 7 % 101);
	__syncthreads();
	__nvvm_atom_add_gen_i((int *)&u[0], t == 0 ? local[0] : 0);
	__nvvm_atom_max_gen_ui(&u[1], local[1]);
	__nvvm_atom_min_gen_ui(&u[2], i ^ 21);
	__nvvm_atom_inc_gen_ui(&u[3], 6);
	__nvvm_atom_dec_gen_ui(&u[4], 9);
	__nvvm_atom_and_gen_i((int *)&u[5], ~(1 << i % 31));
	__nvvm_atom_or_gen_i((int *)&u[6], 1 << i % 31);
	__nvvm_atom_xor_gen_i((int *)&u[7], i * 2654435761u);
	__nvvm_atom_max_gen_i(&s[0], (int)i - 50);
	__nvvm_atom_min_gen_i(&s[1], 50 - (int)i);
	__nvvm_atom_add_gen_ll((s64 *)&w[0], (s64)i << 20);
	__nvvm_atom_max_gen_ull(&w[1], (u64)i << 33);
	u64 old = w[2], seen;
	do {
		seen = old;
		old = (u64)__nvvm_atom_cas_gen_ll((s64 *)&w[2], seen, seen + i);
	} while (old != seen);
	if (__nvvm_atom_cas_gen_i((int *)&u[8], 0, 77) == 77)
		__nvvm_atom_xchg_gen_i((int *)&u[9], 5);
	__nvvm_atom_add_gen_f(f, 1);
	__nvvm_atom_add_gen_d(d, 0.5);
}
