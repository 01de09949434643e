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
