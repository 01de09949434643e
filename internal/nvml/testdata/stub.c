// A library for the tests of the binding: each function checks its arguments and
// answers 2, an invalid argument, where they are wrong.
#include <string.h>

typedef unsigned int u32;
typedef unsigned long long u64;
typedef void *dev;

#define DEV ((dev)0xD0)
#define CHECK(x) do { if (!(x)) return 2; } while (0)
#define TEXT(s) do { strncpy(text, s, n); return 0; } while (0)

struct memory { u64 total, free, used; };
struct memory_v2 { u32 version; u64 total, reserved, free, used; };
struct pci { char legacy[16]; u32 domain, bus, device, id, subsystem; char bus_id[32]; };
struct pci_v2 { char legacy[16]; u32 domain, bus, device, id, subsystem, reserved[4]; };
struct process { u32 pid; u64 memory; u32 gi, ci; };
struct process_v1 { u32 pid; u64 memory; };
struct pair { u32 a, b; };
struct attributes { u32 multiprocessors, copy, decoders, encoders, jpeg, flow, gpu_slices, compute_slices; u64 mebibytes; };
struct temperature { u32 version, sensor; int value; };

static int started;
int nvmlInit_v2(void) { if (INIT == 0) started = 1; return INIT; }
int nvmlShutdown(void) { CHECK(started); started = 0; return 0; }
const char *nvmlErrorString(int r) { return r == 15 ? "GPU is lost" : 0; }

int nvmlSystemGetDriverVersion(char *text, u32 n) { CHECK(n >= 80); TEXT("470.256.02"); }
int nvmlSystemGetNVMLVersion(char *text, u32 n) { CHECK(n >= 80); TEXT("11.470.256.02"); }
int nvmlSystemGetCudaDriverVersion(int *v) { *v = 11040; return 0; }
int nvmlSystemGetProcessName(u32 pid, char *text, u32 n) { CHECK(n >= 256); if (pid != 1572) return 6; TEXT("/usr/lib/xorg/Xorg"); }

int nvmlDeviceGetCount_v2(u32 *n) { *n = 2; return 0; }
#ifndef MISSING_REQUIRED
int nvmlDeviceGetHandleByIndex_v2(u32 i, dev *d) { CHECK(i == 1); *d = DEV; return 0; }
#endif
int nvmlDeviceGetHandleByPciBusId_v2(const char *id, dev *d) { if (strcmp(id, "0000:02:00.0")) return 6; *d = DEV; return 0; }

int nvmlDeviceGetName(dev d, char *text, u32 n) { CHECK(d == DEV && n == 96); memset(text, 'x', n); return 0; }
int nvmlDeviceGetUUID(dev d, char *text, u32 n) { CHECK(d == DEV && n == 96); TEXT("GPU-1"); }
int nvmlDeviceGetSerial(dev d, char *text, u32 n) { return 3; }
int nvmlDeviceGetIndex(dev d, u32 *v) { CHECK(d == DEV); *v = 1; return 0; }
int nvmlDeviceGetMinorNumber(dev d, u32 *v) { CHECK(d == DEV); *v = 3; return 0; }
int nvmlDeviceGetCudaComputeCapability(dev d, int *a, int *b) { CHECK(d == DEV); *a = 6; *b = 1; return 0; }

#ifdef OLD
int nvmlDeviceGetPciInfo(dev d, struct pci_v2 *p) {
	CHECK(d == DEV); memset(p, 0, sizeof *p); strcpy(p->legacy, "0000:02:00.0"); p->bus = 2; p->id = 0x1c8d10de;
	memset(p->reserved, 'r', sizeof p->reserved); return 0; }
int nvmlDeviceGetMemoryInfo(dev d, struct memory *m) { CHECK(d == DEV); *m = (struct memory){100, 60, 40}; return 0; }
int nvmlDeviceGetComputeRunningProcesses(dev d, u32 *n, struct process_v1 *p) {
	CHECK(d == DEV); if (*n < 2) { *n = 2; return 7; }
	*n = 2; p[0] = (struct process_v1){7, 70}; p[1] = (struct process_v1){8, -1}; return 0; }
int nvmlDeviceGetTemperature(dev d, u32 sensor, u32 *t) { CHECK(d == DEV && sensor == 0); *t = 42; return 0; }
int nvmlDeviceGetFanSpeed(dev d, u32 *v) { CHECK(d == DEV); *v = 30; return 0; }
int nvmlDeviceGetCurrentClocksThrottleReasons(dev d, u64 *v) { CHECK(d == DEV); *v = 1ull << 40; return 0; }
#else
int nvmlDeviceGetPciInfo_v3(dev d, struct pci *p) {
	CHECK(d == DEV); *p = (struct pci){"0000:02:00.0", 0, 2, 0, 0x1c8d10de, 5, "00000000:02:00.0"}; return 0; }
int nvmlDeviceGetMemoryInfo_v2(dev d, struct memory_v2 *m) {
	CHECK(d == DEV); if (m->version != (sizeof *m | 2 << 24)) return 25;
#ifdef HALF
	return 13;
#endif
	m->total = 100; m->reserved = 5; m->free = 55; m->used = 40; return 0; }
int nvmlDeviceGetMemoryInfo(dev d, struct memory *m) { CHECK(d == DEV); *m = (struct memory){100, 60, 40}; return 0; }
static u32 asked;
int nvmlDeviceGetComputeRunningProcesses_v3(dev d, u32 *n, struct process *p) {
	CHECK(d == DEV); asked++;
	u32 there = asked == 1 ? 1 : 40; // more start meanwhile
	if (*n < there) { *n = there; return 7; }
	for (*n = 0; *n < there; ++*n) p[*n] = (struct process){*n + 1, 1024 * *n, -1, *n};
	return 0; }
int nvmlDeviceGetTemperatureV(dev d, struct temperature *t) {
	CHECK(d == DEV && t->sensor == 0); if (t->version != (sizeof *t | 1 << 24)) return 25; t->value = -3; return 0; }
int nvmlDeviceGetTemperature(dev d, u32 sensor, u32 *t) { return 2; }
int nvmlDeviceGetFanSpeed_v2(dev d, u32 fan, u32 *v) { CHECK(d == DEV && fan < 2); *v = 30 + fan; return 0; }
int nvmlDeviceGetCurrentClocksEventReasons(dev d, u64 *v) { CHECK(d == DEV); *v = 1ull << 40; return 0; }
#endif
int nvmlDeviceGetGraphicsRunningProcesses(dev d, u32 *n, struct process_v1 *p) { *n = 0; return 0; }

int nvmlDeviceGetBAR1MemoryInfo(dev d, struct memory *m) { CHECK(d == DEV); *m = (struct memory){256, 250, 6}; return 0; }
int nvmlDeviceGetUtilizationRates(dev d, struct pair *u) { CHECK(d == DEV); *u = (struct pair){97, 12}; return 0; }
int nvmlDeviceGetTemperatureThreshold(dev d, u32 t, u32 *v) { CHECK(d == DEV && t == 1); *v = 93; return 0; }
int nvmlDeviceGetPowerUsage(dev d, u32 *v) { return 15; }
int nvmlDeviceGetPerformanceState(dev d, u32 *v) { CHECK(d == DEV); *v = 8; return 0; }
int nvmlDeviceGetClockInfo(dev d, u32 c, u32 *v) { CHECK(d == DEV && c == 2); *v = 405; return 0; }
int nvmlDeviceGetMaxClockInfo(dev d, u32 c, u32 *v) { CHECK(d == DEV && c == 1); *v = 1455; return 0; }
int nvmlDeviceGetPersistenceMode(dev d, u32 *v) { CHECK(d == DEV); *v = 1; return 0; }
int nvmlDeviceGetComputeMode(dev d, u32 *v) { CHECK(d == DEV); *v = 3; return 0; }
int nvmlDeviceGetEccMode(dev d, u32 *a, u32 *b) { CHECK(d == DEV); *a = 0; *b = 1; return 0; }
int nvmlDeviceGetTotalEccErrors(dev d, u32 kind, u32 span, u64 *v) { CHECK(d == DEV && kind == 1 && span == 0); *v = 9; return 0; }
int nvmlDeviceGetPcieThroughput(dev d, u32 way, u32 *v) { CHECK(d == DEV && way == 1); *v = 77; return 0; }
int nvmlDeviceGetMigMode(dev d, u32 *a, u32 *b) { CHECK(d == DEV); *a = 1; *b = 1; return 0; }
int nvmlDeviceGetMigDeviceHandleByIndex(dev d, u32 i, dev *m) { CHECK(d == DEV && i == 2); *m = (dev)0xE2; return 0; }
int nvmlDeviceGetGpuInstanceId(dev m, u32 *v) { CHECK(m == (dev)0xE2); *v = 11; return 0; }
int nvmlDeviceGetAttributes_v2(dev m, struct attributes *a) { CHECK(m == (dev)0xE2); *a = (struct attributes){14, 1, 2, 3, 4, 5, 6, 7, 4864}; return 0; }
int nvmlDeviceGetVbiosVersion(dev d, char *text, u32 n) { CHECK(d == DEV && n >= 32); TEXT("86.07.39.00.1C"); }
int nvmlDeviceGetEncoderUtilization(dev d, u32 *percent, u32 *period) { CHECK(d == DEV); *percent = 21; *period = 167000; return 0; }
int nvmlDeviceGetPowerManagementLimitConstraints(dev d, u32 *least, u32 *most) { CHECK(d == DEV); *least = 52500; *most = 75000; return 0; }
int nvmlDeviceGetPowerManagementDefaultLimit(dev d, u32 *v) { CHECK(d == DEV); *v = 75000; return 0; }
int nvmlDeviceGetApplicationsClock(dev d, u32 c, u32 *v) { CHECK(d == DEV && c == 0); *v = 1354; return 0; }
int nvmlDeviceGetMaxPcieLinkGeneration(dev d, u32 *v) { CHECK(d == DEV); *v = 3; return 0; }
int nvmlDeviceGetMemoryErrorCounter(dev d, u32 kind, u32 span, u32 place, u64 *v) { CHECK(d == DEV && kind == 1 && span == 1 && place == 2); *v = 4; return 0; }
int nvmlDeviceGetRetiredPages(dev d, u32 why, u32 *n, u64 *pages) { CHECK(d == DEV && !pages && *n == 0); *n = why ? 0 : 3; return why ? 0 : 7; }
int nvmlDeviceGetRemappedRows(dev d, u32 *a, u32 *b, u32 *pending, u32 *failed) { CHECK(d == DEV); *a = 1; *b = 2; *pending = 1; *failed = 0; return 0; }
