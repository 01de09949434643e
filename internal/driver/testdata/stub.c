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
int cuModuleGetFunction(word *f, word m, const char *name) { WITHIN; CHECK(m == 0xA); *f = 0xF; return strcmp(name, "add") ? 500 : 0; }
#ifndef MISSING_REQUIRED
int cuLaunchKernel(word f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, word s, void **params, void **extra) {
	WITHIN;
	CHECK(f == 0xF && gx == 1 && gy == 2 && gz == 3 && bx == 4 && by == 5 && bz == 6 && shared == 0 && s == 5);
	CHECK(!params && (word)extra[0] == 1 && (word)extra[2] == 2 && !extra[4]);
	return *(size_t *)extra[3] == 5 && !memcmp(extra[1], "param", 5) ? 0 : BAD;
}
#endif
