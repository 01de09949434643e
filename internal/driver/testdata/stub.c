// A driver that checks how it is called: each function answers 0 only if the
// arguments and the current context are the test's. MISSING leaves one out.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef VERSION
#define VERSION 12040
#endif

typedef uint64_t word;
static __thread word current;
static unsigned char memory[64];

#define BAD 1
#define CHECK(c) do { if (!(c)) return BAD; } while (0)
#define WITHIN CHECK(current == 0xC0)

int cuInit(unsigned flags) { return flags ? BAD : INIT; }
int cuDriverGetVersion(int *v) { *v = VERSION; return 0; }

int cuGetErrorName(int r, const char **s) { if (r != 4242) return BAD; *s = "CUDA_ERROR_STUB"; return 0; }
int cuGetErrorString(int r, const char **s) { if (r != 4242) return BAD; *s = "the stub says so"; return 0; }

int cuDeviceGetCount(int *n) { *n = 2; return 0; }
int cuDeviceGet(int *d, int i) { if (i < 0 || i > 1) return 101; *d = i; return 0; }
int cuDeviceGetName(char *s, int n, int d) { CHECK(n > 9 && d == 1); strcpy(s, "Stub GPU 1"); return 0; }
#ifdef OLD_UUID
int cuDeviceGetUuid(unsigned char *u, int d) { for (int i = 0; i < 16; i++) u[i] = 50 + i; return 0; }
#else
int cuDeviceGetUuid_v2(unsigned char *u, int d) { for (int i = 0; i < 16; i++) u[i] = i; return 0; }
#endif
int cuDeviceTotalMem_v2(size_t *n, int d) { *n = 5000000000ull; return 0; }
int cuDeviceGetAttribute(int *v, int a, int d) { CHECK(a == 75 && d == 1); *v = -7; return 0; }
int cuDeviceGetPCIBusId(char *s, int n, int d) { CHECK(d == 1); strcpy(s, "0000:01:00.0"); return 0; }
int cuDeviceCanAccessPeer(int *c, int a, int b) { CHECK(a == 0 && b == 1); *c = 1; return 0; }
int cuDevicePrimaryCtxRetain(word *c, int d) { *c = 0xC0 + d; return 0; }
int cuDevicePrimaryCtxRelease_v2(int d) { return d ? BAD : 0; }

int cuCtxSetCurrent(word c) { if (c == 0xBAD) return 201; current = c; return 0; }
int cuCtxSynchronize(void) { WITHIN; return 0; }
int cuCtxEnablePeerAccess(word p, unsigned f) { WITHIN; CHECK(p == 0xC1 && f == 0); return 0; }

int cuStreamCreateWithPriority(word *s, unsigned f, int p) { WITHIN; CHECK(f == 1 && p == -5); *s = 0x5; return 0; }
int cuStreamSynchronize(word s) { WITHIN; CHECK(s == 5); return 0; }
int cuStreamQuery(word s) { WITHIN; CHECK(s == 5); return 600; }
int cuStreamWaitEvent(word s, word e, unsigned f) { WITHIN; CHECK(s == 5 && e == 0xE && f == 0); return 0; }

int cuEventCreate(word *e, unsigned f) { WITHIN; CHECK(f == 2); *e = 0xE; return 0; }
int cuEventRecord(word e, word s) { WITHIN; CHECK(e == 0xE && s == 5); return 0; }
int cuEventQuery(word e) { WITHIN; CHECK(e == 0xE); return 0; }
int cuEventSynchronize(word e) { WITHIN; CHECK(e == 0xE); return 0; }
int cuEventElapsedTime(float *ms, word a, word b) { WITHIN; CHECK(a == 0xE && b == 0xF); *ms = 1.5f; return 0; }

int cuMemGetInfo_v2(size_t *f, size_t *t) { WITHIN; *f = 3; *t = 5000000000ull; return 0; }
int cuMemAlloc_v2(word *p, size_t n) { WITHIN; if (n > 1ull << 40) return 2; *p = 0x700000000000ull + n; return 0; }
int cuMemFree_v2(word p) { WITHIN; CHECK(p == 0x700000000001ull); return 0; }
int cuMemHostAlloc(void **p, size_t n, unsigned f) { WITHIN; CHECK(n <= sizeof memory && f == 3); *p = memory; return 0; }
int cuMemHostGetDevicePointer_v2(word *d, void *p, unsigned f) { WITHIN; CHECK(p == memory && f == 0); *d = (word)p; return 0; }

int cuMemcpyHtoDAsync_v2(word d, const void *p, size_t n, word s) { WITHIN; CHECK(d == 8 && s == 5 && n <= sizeof memory); memcpy(memory, p, n); return 0; }
int cuMemcpyDtoHAsync_v2(void *p, word d, size_t n, word s) { WITHIN; CHECK(d == 8 && s == 5 && n <= sizeof memory); memcpy(p, memory, n); return 0; }
int cuMemcpyDtoDAsync_v2(word d, word p, size_t n, word s) { WITHIN; CHECK(d == 1 && p == 2 && n == 3 && s == 5); return 0; }
int cuMemcpyPeerAsync(word d, word dc, word p, word pc, size_t n, word s) { WITHIN; CHECK(d == 1 && dc == 0xC0 && p == 2 && pc == 0xC1 && n == 3 && s == 5); return 0; }
int cuMemsetD8Async(word d, unsigned char v, size_t n, word s) { WITHIN; CHECK(d == 1 && v == 200 && n == 3 && s == 5); return 0; }

int cuModuleLoadDataEx(word *m, const void *image, unsigned n, unsigned *names, void **values) {
	WITHIN;
	for (unsigned i = 0; i < n; i++) {
		if (names[i] == 3) strcpy(values[i], "info");
		if (names[i] == 5) strcpy(values[i], "error");
	}
	CHECK(n == 4);
	*m = 0xA;
	return strcmp(image, ".version 7.0") ? 218 : 0;
}
static int mapped; /* whether kernel 0xE has a tensor map: one module's does, and one's that has its handle later does not */
int cuModuleGetFunction(word *f, word m, const char *name) {
	WITHIN;
	CHECK(m == 0xA);
	*f = 0xF;
	if (!strcmp(name, "add")) return 0;
	*f = 0xE;
	mapped = !strcmp(name, "mapped");
	return mapped || !strcmp(name, "plain") ? 0 : 500;
}
#ifndef MISSING_REQUIRED
int cuLaunchKernel(word f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, word s, void **params, void **extra) {
	WITHIN;
	CHECK(f == 0xF && gx == 1 && gy == 2 && gz == 3 && bx == 4 && by == 5 && bz == 6 && shared == 1000 && s == 5);
	CHECK(!params && (word)extra[0] == 1 && (word)extra[2] == 2 && !extra[4]);
	return *(size_t *)extra[3] == 5 && !memcmp(extra[1], "param", 5) ? 0 : BAD;
}
#endif
int cuFuncSetAttribute(word f, int a, int v) { WITHIN; CHECK(f == 0xF && a == 8 && v == 2000); return 0; }
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, word f, int threads, size_t shared) {
	WITHIN;
	CHECK(f == 0xF && threads == 256 && shared == 1ull << 33);
	*n = 6;
	return 0;
}
#ifndef OLD
struct attribute { unsigned id, pad, value[16]; };
struct config {
	unsigned gx, gy, gz, bx, by, bz, shared;
	word stream;
	struct attribute *attributes;
	unsigned count;
};
/* A tensor map does not lie at the start, and another parameter follows it. */
int cuFuncGetParamInfo(word f, size_t i, size_t *at, size_t *n) {
	WITHIN;
	CHECK(f == 0xF || f == 0xE);
	int with = f == 0xE && mapped;
	if (i > with) return 1;
	*at = with ? 0x30 + 128 * i : 0;
	*n = with && !i ? 128 : 4;
	return 0;
}
/* The parameters name the attributes that are wanted, in order. */
int cuLaunchKernelEx(const struct config *c, word f, void **params, void **extra) {
	WITHIN;
	CHECK(sizeof *c == 56 && sizeof *c->attributes == 72);
	if (f == 0xE && !mapped) return params || !extra || *(size_t *)extra[3] != 132 ? BAD : 0;
	if (f == 0xE) {
		CHECK(!extra && (char *)params[1] == (char *)params[0] + 128 && !memcmp(params[0], "map", 3));
		return memcmp(params[1], "rest", 4) ? BAD : 0;
	}
	CHECK(f == 0xF && c->gx == 2 && c->gy == 4 && c->gz == 6 && c->bx == 4 && c->by == 5 && c->bz == 6 && c->shared == 2000 && c->stream == 5);
	CHECK(!params && (word)extra[0] == 1 && (word)extra[2] == 2 && !extra[4]);
	const char *want = extra[1];
	CHECK(*(size_t *)extra[3] == c->count);
	for (unsigned i = 0; i < c->count; i++) {
		unsigned *v = c->attributes[i].value;
		CHECK(c->attributes[i].id == want[i] - '0');
		CHECK(want[i] == '4' ? v[0] == 2 && v[1] == 4 && v[2] == 1 : v[0] == 1);
		for (int k = want[i] == '4' ? 3 : 1; k < 16; k++) CHECK(!v[k]);
	}
	return 0;
}
/* Graphs: a kernel, a copy behind it, and zeros behind that. */
struct kernel_node {
	word f;
	unsigned gx, gy, gz, bx, by, bz, shared;
	void **params, **extra;
	word kern, ctx;
};
static int described(const struct kernel_node *p) {
	CHECK(sizeof *p == 72 && !p->kern && !p->ctx && p->gx == 2 && p->gy == 4 && p->gz == 6 && p->bx == 4 && p->by == 5 && p->bz == 6 && p->shared == 2000);
	if (p->f == 0xE) return p->extra || memcmp(p->params[0], "map", 3) || memcmp(p->params[1], "rest", 4) ? BAD : 0;
	CHECK(p->f == 0xF && !p->params && (word)p->extra[0] == 1 && (word)p->extra[2] == 2 && !p->extra[4]);
	return *(size_t *)p->extra[3] == 5 && !memcmp(p->extra[1], "param", 5) ? 0 : BAD;
}
static int added(word *n, word g, const word *after, size_t count, word node) {
	CHECK(g == 0x6A && count <= 1 && (count ? *after == node - 1 : !after));
	*n = node;
	return 0;
}
int cuGraphCreate(word *g, unsigned f) { WITHIN; CHECK(!f); *g = 0x6A; return 0; }
int cuGraphDestroy(word g) { WITHIN; CHECK(g == 0x6A); return 0; }
int cuGraphAddKernelNode_v2(word *n, word g, const word *after, size_t count, const struct kernel_node *p) {
	WITHIN;
	return described(p) || added(n, g, after, count, count ? 0x51 : 0x50);
}
struct side { size_t x, y, z, lod; int kind; const void *host; word device, array, reserved; size_t pitch, height; };
struct copy3d { struct side src, dst; size_t width, height, depth; };
int cuGraphAddMemcpyNode(word *n, word g, const word *after, size_t count, const struct copy3d *c, word ctx) {
	WITHIN;
	CHECK(sizeof *c == 200 && ctx == 0xC0 && c->width == 3 && c->height == 1 && c->depth == 1 && c->src.pitch == 3 && c->dst.pitch == 3);
	CHECK(c->dst.kind == 2 && c->dst.device == 1 && !c->dst.host);
	if (c->src.kind == 1) CHECK(!memcmp(c->src.host, "abc", 3) && !c->src.device);
	else CHECK(c->src.kind == 2 && c->src.device == 2 && !c->src.host);
	return added(n, g, after, count, 0x51);
}
struct set { word dst; size_t pitch; unsigned value, size; size_t width, height; };
int cuGraphAddMemsetNode(word *n, word g, const word *after, size_t count, const struct set *s, word ctx) {
	WITHIN;
	CHECK(sizeof *s == 40 && ctx == 0xC0 && s->dst == 1 && s->value == 200 && s->size == 1 && s->width == 3 && s->height == 1);
	return added(n, g, after, count, 0x52);
}
int cuGraphKernelNodeSetAttribute(word n, int id, const unsigned *v) { WITHIN; CHECK(n == 0x50 && id == 4 && v[0] == 2 && v[1] == 4 && v[2] == 1); return 0; }
int cuGraphInstantiateWithFlags(word *e, word g, unsigned long long f) { WITHIN; CHECK(g == 0x6A && !f); *e = 0xEE; return 0; }
int cuGraphUpload(word e, word s) { WITHIN; CHECK(e == 0xEE && s == 5); return 0; }
int cuGraphLaunch(word e, word s) { WITHIN; CHECK(e == 0xEE && s == 5); return 0; }
int cuGraphExecKernelNodeSetParams_v2(word e, word n, const struct kernel_node *p) { WITHIN; CHECK(e == 0xEE && n == 0x50); return described(p); }
int cuGraphExecDestroy(word e) { WITHIN; CHECK(e == 0xEE); return 0; }
int cuOccupancyMaxActiveClusters(int *n, word f, const struct config *c) {
	WITHIN;
	CHECK(f == 0xF && c->bx == 384 && c->shared == 2000 && c->count == 1 && c->attributes->id == 4 && c->attributes->value[0] == 2);
	*n = 66;
	return 0;
}
int cuTensorMapEncodeTiled(unsigned char *map, int type, unsigned rank, word address, const word *extents, const word *strides,
                           const unsigned *box, const unsigned *steps, int interleave, int swizzle, int l2, int fill) {
	CHECK((word)map % 64 == 0 && type == 9 && rank == 3 && address == 0x7000);
	CHECK(extents[0] == 1ull << 32 && extents[1] == 5 && extents[2] == 6 && strides[0] == 1ull << 33 && strides[1] == 1ull << 36);
	CHECK(box[0] == 64 && box[1] == 128 && box[2] == 2 && steps[0] == 1 && steps[2] == 3);
	CHECK(interleave == 0 && swizzle == 3 && l2 == 2 && fill == 1);
	map[0] = 0xAB, map[127] = 0xCD;
	return 0;
}
#endif
