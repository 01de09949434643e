#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int32_t answer(void) { return -42; }

uint64_t weigh(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,
               uint64_t g, uint64_t h, uint64_t i, uint64_t j, uint64_t k) {
	return a + 2*b + 3*c + 4*d + 5*e + 6*f + 7*g + 8*h + 9*i + 10*j + 11*k;
}

int32_t seen(const char *name, const char *want) {
	const char *value = getenv(name);
	return value && strcmp(value, want) == 0;
}

// weigh24 has as many arguments as a call takes.
uint64_t weigh24(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g, uint64_t h,
                 uint64_t i, uint64_t j, uint64_t k, uint64_t l, uint64_t m, uint64_t n, uint64_t o, uint64_t p,
                 uint64_t q, uint64_t r, uint64_t s, uint64_t t, uint64_t u, uint64_t v, uint64_t w, uint64_t x) {
	return weigh(a, b, c, d, e, f, g, h, i, j, k) + 12*l + 13*m + 14*n + 15*o + 16*p + 17*q + 18*r + 19*s + 20*t + 21*u + 22*v + 23*w + 24*x;
}

// aligned tells whether the stack is where C expects it.
int32_t aligned(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g) {
	return (uintptr_t)__builtin_frame_address(0) % 16 == 0;
}

// ends counts how often it is called in *request, and sets the flag at the time that *status tells; a negative time is an error.
int32_t ends(int64_t *request, int32_t *flag, int64_t *status) {
	++*request;
	*flag = *request == *status;
	return *request == -*status ? 7 : 0;
}
