// A library with NCCL's functions, for communicators of one rank whose memory is the host's. What its functions were given shows in what they return.
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct { char internal[128]; } id;
typedef struct {
	size_t size;
	unsigned magic, version;
	int blocking, cga, least, most;
	const char *net;
	int share;
} config;
typedef struct { int ranks, rank, state, looks; } comm;

static int open, group;
int opened(void) { return open; }

int ncclGetVersion(int *v) { *v = FAIL == 1 ? 21703 : 22304; return 0; }

int ncclGetUniqueId(id *u) {
	for (int i = 0; i < 128; i++) u->internal[i] = i + 1;
	return FAIL == 2 ? 2 : 0;
}

static int begin(comm **c, int ranks, int rank, const config *k) {
	*c = NULL;
	if (k->size != sizeof *k || k->magic != 0xcafebeef || k->version != 21800 || k->blocking || k->net) return 4;
	if (k->cga != INT_MIN || k->least != INT_MIN || k->most != INT_MIN || k->share != INT_MIN) return 4;
	*c = calloc(1, sizeof **c), open++;
	(*c)->ranks = ranks, (*c)->rank = rank, (*c)->looks = FAIL == 3 ? 1 << 30 : 3;
	return 7;
}

int ncclCommInitRankConfig(comm **c, int ranks, id u, int rank, const config *k) {
	for (int i = 0; i < 128; i++)
		if (u.internal[i] != (char)(i + 1)) return 4;
	return begin(c, ranks, rank, k);
}
int ncclCommSplit(comm *c, int color, int key, comm **part, const config *k) { return begin(part, c->ranks + color, c->rank - key, k); }
int ncclCommCount(comm *c, int *n) { *n = c->ranks; return 0; }
int ncclCommUserRank(comm *c, int *n) { *n = c->rank; return 0; }
int ncclCommGetAsyncError(comm *c, int *state) {
	*state = c->looks > 0 ? c->looks--, 7 : FAIL == 4 ? 6 : 0;
	return 0;
}
int ncclCommFinalize(comm *c) { c->looks = 2; return 7; }
int ncclCommDestroy(comm *c) { open--, free(c); return 0; }
int ncclCommAbort(comm *c) { open--, free(c); return 0; }

// A stream is the address of a number that operations count up.
static int move(const void *from, void *to, size_t n, int type, void *stream) {
	static const size_t sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
	if (from != to) memcpy(to, from, n * sizes[type]);
	++*(int *)stream;
	return 0;
}
int ncclAllReduce(const void *from, void *to, size_t n, int type, int op, comm *c, void *s) { *(int *)s += 100 * op; return move(from, to, n, type, s); }
int ncclReduceScatter(const void *from, void *to, size_t n, int type, int op, comm *c, void *s) { *(int *)s += 100 * op; return move(from, to, n, type, s); }
int ncclReduce(const void *from, void *to, size_t n, int type, int op, int root, comm *c, void *s) { *(int *)s += 100 * op; return root ? 4 : move(from, to, n, type, s); }
int ncclBroadcast(const void *from, void *to, size_t n, int type, int root, comm *c, void *s) { return root ? 4 : move(from, to, n, type, s); }
int ncclAllGather(const void *from, void *to, size_t n, int type, comm *c, void *s) { return move(from, to, n, type, s); }

static const void *sent;
int ncclGroupStart(void) { group++; return 0; }
int ncclSend(const void *from, size_t n, int type, int peer, comm *c, void *s) {
	sent = from;
	return group == 1 && peer == c->rank ? 7 : 5;
}
int ncclRecv(void *to, size_t n, int type, int peer, comm *c, void *s) { return group == 1 && peer == c->rank ? move(sent, to, n, type, s) : 5; }
int ncclGroupEnd(void) { group--; return 0; }
