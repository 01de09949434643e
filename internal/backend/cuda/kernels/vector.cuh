// Neighbouring elements that are moved to or from memory at once, as words: the compiler keeps these in registers, where it would
// put an array of elements in local memory.
#pragma once

#include "device.cuh"

// Numbers<N> is the sequence 0 … N-1, to count template arguments by.
template <int... K> struct Sequence {};
template <class I, I... K> struct SequenceOf { using Type = Sequence<K...>; };
template <int N> using Numbers = typename __make_integer_seq<SequenceOf, int, N>::Type;

// lanes is how many elements a vector of 16 bytes of the widest of some types has.
template <class... E> constexpr int lanes() {
	int most = 1;
	((most = (int)sizeof(E) > most ? (int)sizeof(E) : most), ...);
	return 16 / most;
}

// Word<BYTES> is what bytes are moved as: words of 32 bits where there are so many.
template <int BYTES> struct Words {
	using Word = u32;
	typedef u32 Type __attribute__((ext_vector_type(BYTES / 4)));
};
template <> struct Words<2> {
	using Word = u16;
	typedef u16 Type __attribute__((ext_vector_type(1)));
};
template <> struct Words<1> {
	using Word = u8;
	typedef u8 Type __attribute__((ext_vector_type(1)));
};

// Lanes are N neighbouring elements.
template <class E, int N> struct Lanes {
	using Word = typename Words<sizeof(E) * N>::Word;
	using Type = typename Words<sizeof(E) * N>::Type;
	Type words;

	static const int each = sizeof(Word) / sizeof(E); // elements of a word; 0 where an element has two words

	INLINE Lanes load(u64 base, i64 at) { return {*(const __attribute__((address_space(1))) Type *)(base + at * sizeof(E))}; }
	__device__ __attribute__((always_inline)) void store(u64 base, i64 at) const {
		*(__attribute__((address_space(1))) Type *)(base + at * sizeof(E)) = words;
	}
	INLINE Lanes all(E v) {
		Lanes l;
#pragma unroll
		for (int k = 0; k < N; k++) {
			l.put(k, v);
		}
		return l;
	}
	__device__ __attribute__((always_inline)) E at(int k) const {
		if constexpr (sizeof(E) == 8) {
			return bits<E>((u64)words[2 * k + 1] << 32 | words[2 * k]);
		} else if constexpr (sizeof(E) == sizeof(Word)) {
			return bits<E>(words[k]);
		} else if constexpr (sizeof(E) == 2) {
			return bits<E>((u16)(words[k / each] >> k % each * 16));
		} else {
			return bits<E>((u8)(words[k / each] >> k % each * 8));
		}
	}
	// put sets element k; those of a word are set in order, the first of them before the others.
	__device__ __attribute__((always_inline)) void put(int k, E v) {
		if constexpr (sizeof(E) == 8) {
			words[2 * k] = (u32)bits<u64>(v);
			words[2 * k + 1] = (u32)(bits<u64>(v) >> 32);
		} else if constexpr (sizeof(E) == sizeof(Word)) {
			words[k] = bits<Word>(v);
		} else {
			Word word;
			if constexpr (sizeof(E) == 2) {
				word = (Word)bits<u16>(v);
			} else {
				word = (Word)bits<u8>(v);
			}
			words[k / each] = k % each == 0 ? word : (Word)(words[k / each] | word << k % each * 8 * (int)sizeof(E));
		}
	}
};
