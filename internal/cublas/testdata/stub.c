// A library with cublasLt's functions, which multiplies matrices in the host's memory one element after the other.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct { int32_t compute, scale, a, b; } desc;
typedef struct { int32_t kind; uint64_t rows, columns; int64_t line; int32_t count; int64_t apart; } layout;
typedef struct { uint64_t memory; uint32_t align[4]; } preference;

static int open;
int opened(void) { return open; }

int cublasLtCreate(uintptr_t *h) { *h = 7; return FAIL == 1 ? 1 : 0; }

int cublasLtMatmulDescCreate(desc **d, int32_t compute, int32_t scale) {
	*d = calloc(1, sizeof **d);
	(*d)->compute = compute, (*d)->scale = scale, open++;
	return 0;
}
int cublasLtMatmulDescSetAttribute(desc *d, int attribute, const int32_t *value, size_t size) {
	if (size != 4 || attribute != 3 && attribute != 4) return 7;
	*(attribute == 3 ? &d->a : &d->b) = *value;
	return 0;
}
int cublasLtMatmulDescDestroy(desc *d) { free(d), open--; return 0; }

int cublasLtMatrixLayoutCreate(layout **l, int32_t kind, uint64_t rows, uint64_t columns, int64_t line) {
	if (line < (int64_t)rows) return 7;
	*l = calloc(1, sizeof **l), open++;
	(*l)->kind = kind, (*l)->rows = rows, (*l)->columns = columns, (*l)->line = line, (*l)->count = 1;
	return 0;
}
int cublasLtMatrixLayoutSetAttribute(layout *l, int attribute, const void *value, size_t size) {
	if (attribute == 5 && size == 4) memcpy(&l->count, value, 4);
	else if (attribute == 6 && size == 8) memcpy(&l->apart, value, 8);
	else return 7;
	return 0;
}
int cublasLtMatrixLayoutDestroy(layout *l) { free(l), open--; return 0; }

int cublasLtMatmulPreferenceCreate(preference **p) { *p = calloc(1, sizeof **p), open++; return 0; }
int cublasLtMatmulPreferenceSetAttribute(preference *p, int attribute, const void *value, size_t size) {
	if (attribute == 1 && size == 8) memcpy(&p->memory, value, 8);
	else if (attribute >= 5 && attribute <= 8 && size == 4) memcpy(&p->align[attribute - 5], value, 4);
	else return 7;
	return 0;
}
int cublasLtMatmulPreferenceDestroy(preference *p) { free(p), open--; return 0; }

int cublasLtMatmulAlgoGetHeuristic(uintptr_t h, desc *d, layout *a, layout *b, layout *c, layout *o, preference *p, int wanted, char *results, int *found) {
	if (h != 7 || wanted != 1) return 7;
	*found = FAIL == 2 ? 0 : 1;
	uint64_t bytes = p->memory / 2 + p->align[0];
	memset(results, 42, 64), memcpy(results + 64, &bytes, 8);
	return 0;
}

static double at(void *x, layout *l, int i, uint64_t row, uint64_t column) {
	uint64_t n = i * l->apart + row + column * l->line;
	return l->kind == 1 ? ((double *)x)[n] : ((float *)x)[n];
}

int cublasLtMatmul(uintptr_t h, desc *d, void *alpha, void *a, layout *la, void *b, layout *lb, void *beta, void *c, layout *lc, void *o, layout *lo,
	char *algorithm, void *memory, size_t bytes, uintptr_t stream) {
	if (algorithm[63] != 42 || c != o || lc != lo || stream != 99 || !memory) return 7;
	uint64_t k = d->a ? la->rows : la->columns;
	for (int i = 0; i < lo->count; i++)
		for (uint64_t y = 0; y < lo->rows; y++)
			for (uint64_t x = 0; x < lo->columns; x++) {
				double sum = 0;
				for (uint64_t l = 0; l < k; l++)
					sum += (d->a ? at(a, la, i, l, y) : at(a, la, i, y, l)) * (d->b ? at(b, lb, i, x, l) : at(b, lb, i, l, x));
				uint64_t n = i * lo->apart + y + x * lo->line;
				if (d->compute == 70) ((double *)o)[n] = *(double *)alpha * sum + *(double *)beta * ((double *)o)[n];
				else ((float *)o)[n] = *(float *)alpha * sum + *(float *)beta * ((float *)o)[n];
			}
	return 0;
}
