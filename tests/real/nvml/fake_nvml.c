/* A stand-in for libnvidia-ml.so.1: a node of H100 GPUs in any state that a test wants.
 *
 * ASSAY_FAKE_NVML names the state file. Its lines are "GPU NAME VALUE", where GPU is a number or
 * "*" for all of them; a later line counts more than an earlier one. "!N" for a value makes the
 * functions that give it fail with NVML's code N. Of the whole node:
 *     * gpus 8             how many GPUs there are
 *     * init !18           no session can be opened (18 mismatch, 9 no driver, ...)
 * and of one GPU:
 *     3 lost values        it tells its address, and code 15 for everything else
 *     3 lost everything    not even its address
 *     3 lost handle        not even a handle can be had
 * Everything that is not here is answered with "not supported" by the stubs that library.py makes. */
#include "nvml_abi.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_GPUS 16
#define MOST_LINES 512
#define PUBLIC __attribute__((visibility("default")))

struct gpu { int number; };
static struct gpu gpus[MOST_GPUS];
static struct { int gpu; char name[40], value[72]; } lines[MOST_LINES];
static int line_count, open_session;

__attribute__((constructor)) static void read_state(void) {
    const char *path = getenv("ASSAY_FAKE_NVML");
    FILE *file = path ? fopen(path, "r") : NULL;
    char text[256], who[8];
    for (int n = 0; n < MOST_GPUS; n++) gpus[n].number = n;
    while (file && line_count < MOST_LINES && fgets(text, sizeof text, file)) {
        if (sscanf(text, "%7s %39s %71[^\n]", who, lines[line_count].name, lines[line_count].value) == 3)
            lines[line_count++].gpu = *who == '*' ? -1 : atoi(who);
    }
    if (file) fclose(file);
}

static const char *told(int gpu, const char *name, const char *otherwise) {
    for (int n = line_count - 1; n >= 0; n--)
        if ((lines[n].gpu == gpu || lines[n].gpu < 0) && !strcmp(lines[n].name, name))
            return lines[n].value;
    return otherwise;
}

static int lost(int gpu, const char *how) { return !strcmp(told(gpu, "lost", ""), how); }

static unsigned how_many(void) { return atoi(told(-1, "gpus", "8")); }

/* The number called *name*, or the code that the state wants in its place. */
static int number(gpu_t gpu, const char *name, u64 otherwise, u64 *out) {
    if (!open_session) return UNINITIALISED;
    if (!gpu || gpu < gpus || gpu >= gpus + MOST_GPUS) return BAD_ARGUMENT;
    if (lost(gpu->number, "values") || lost(gpu->number, "everything")) return GPU_IS_LOST;
    const char *text = told(gpu->number, name, NULL);
    if (text && *text == '!') return atoi(text + 1);
    *out = text ? strtoull(text, NULL, 0) : otherwise;
    return OK;
}

static int words(gpu_t gpu, const char *name, const char *otherwise, char *out, unsigned size) {
    u64 unused;
    int code = number(gpu, name, 0, &unused);
    if (code) return code;
    const char *text = told(gpu->number, name, otherwise);
    if (strlen(text) >= size) return TOO_SMALL;
    strcpy(out, text);
    return OK;
}

static u64 plain(gpu_t gpu, const char *name, u64 otherwise) {
    u64 value = otherwise;
    number(gpu, name, otherwise, &value);
    return value;
}

#define NUMBER(function, type, name, otherwise) \
    PUBLIC int function(gpu_t gpu, type *out) { \
        u64 value; int code = number(gpu, name, otherwise, &value); \
        if (!code) *out = (type)value; \
        return code; \
    }
#define PAIR(function, type, first, second, otherwise) \
    PUBLIC int function(gpu_t gpu, type *one, type *two) { \
        u64 a, b; int code = number(gpu, first, otherwise, &a); \
        if (!code) code = number(gpu, second, otherwise, &b); \
        if (!code) *one = (type)a, *two = (type)b; \
        return code; \
    }
#define WORDS(function, name, otherwise) \
    PUBLIC int function(gpu_t gpu, char *out, unsigned size) { \
        return words(gpu, name, otherwise, out, size); \
    }
#define REFUSE_LOST(gpu) do { u64 any; int c = number(gpu, "", 0, &any); if (c) return c; } while (0)

/* The session and the node. */

PUBLIC int nvmlInit_v2(void) {
    const char *refusal = told(-1, "init", "");
    if (*refusal == '!') return atoi(refusal + 1);
    open_session = 1;
    return OK;
}
PUBLIC int nvmlInit(void) { return nvmlInit_v2(); }
PUBLIC int nvmlInitWithFlags(unsigned flags) { (void)flags; return nvmlInit_v2(); }
PUBLIC int nvmlShutdown(void) { open_session = 0; return OK; }
static int copy(const char *text, char *out, unsigned size) {
    if (strlen(text) >= size) return TOO_SMALL;
    strcpy(out, text);
    return OK;
}
PUBLIC int nvmlSystemGetDriverVersion(char *out, unsigned size) {
    return copy(told(-1, "driver", "550.163.01"), out, size);
}
PUBLIC int nvmlSystemGetNVMLVersion(char *out, unsigned size) {
    char text[40];
    snprintf(text, sizeof text, "12.%s", told(-1, "library", told(-1, "driver", "550.163.01")));
    return copy(text, out, size);
}
PUBLIC int nvmlSystemGetCudaDriverVersion_v2(int *out) { return *out = 12040, OK; }
PUBLIC int nvmlSystemGetCudaDriverVersion(int *out) { return *out = 12040, OK; }
PUBLIC const char *nvmlErrorString(int code) {
    static const char *const known[] = {
        "Success", "Uninitialized", "Invalid Argument", "Not Supported", "Insufficient Permissions",
        "Already Initialized", "Not Found", "Insufficient Size", "Insufficient External Power",
        "Driver Not Loaded", "Timeout", "Interrupt Request Issue",
        "NVML Shared Library Not Found", "Function Not Found", "Corrupted infoROM", "GPU is lost",
        "GPU requires reset", "GPU access blocked by the operating system",
        "Driver/library version mismatch",
    };
    return code >= 0 && code < (int)(sizeof known / sizeof *known) ? known[code] : "Unknown Error";
}
/* nvidia-smi asks for a table of private functions: entry 0 is its size, and the others do nothing. */
static int nothing(void) { return OK; }
PUBLIC int nvmlInternalGetExportTable(const void **out, const void *id) {
    static void *table[101];
    (void)id;
    for (int n = 1; n < 101; n++) table[n] = (void *)nothing;
    table[0] = (void *)sizeof table;
    *out = table;
    return OK;
}

/* It opens a set of events before it looks at any GPU. */
PUBLIC int nvmlEventSetCreate(void **out) { return *out = gpus, OK; }
PUBLIC int nvmlEventSetFree(void *set) { return (void)set, OK; }

/* Handles and addresses: bus 10, 20, 30 ... in hexadecimal, one for each GPU. */

PUBLIC int nvmlDeviceGetCount_v2(unsigned *out) { return *out = how_many(), OK; }
PUBLIC int nvmlDeviceGetCount(unsigned *out) { return nvmlDeviceGetCount_v2(out); }
PUBLIC int nvmlDeviceGetHandleByIndex_v2(unsigned index, gpu_t *out) {
    if (!open_session) return UNINITIALISED;
    if (index >= how_many()) return BAD_ARGUMENT;
    if (lost(index, "handle")) return GPU_IS_LOST;
    *out = &gpus[index];
    return OK;
}
PUBLIC int nvmlDeviceGetHandleByIndex(unsigned index, gpu_t *out) {
    return nvmlDeviceGetHandleByIndex_v2(index, out);
}
PUBLIC int nvmlDeviceGetPciInfo_v3(gpu_t gpu, pci_t *out) {
    if (!gpu) return BAD_ARGUMENT;
    if (lost(gpu->number, "everything")) return GPU_IS_LOST;
    memset(out, 0, sizeof *out);
    out->bus = 16 * (gpu->number + 1);
    out->device_id = 0x233010de; /* an H100 SXM */
    out->subsystem = 0x16c110de;
    snprintf(out->text, sizeof out->text, "00000000:%02X:00.0", out->bus);
    snprintf(out->legacy, sizeof out->legacy, "0000:%02X:00.0", out->bus);
    return OK;
}
PUBLIC int nvmlDeviceGetPciInfo_v2(gpu_t gpu, pci_t *out) { return nvmlDeviceGetPciInfo_v3(gpu, out); }
PUBLIC int nvmlDeviceGetPciInfo(gpu_t gpu, pci_t *out) { return nvmlDeviceGetPciInfo_v3(gpu, out); }
PUBLIC int nvmlDeviceGetPciInfoExt(gpu_t gpu, pci_ext_t *out) {
    pci_t pci;
    int code = nvmlDeviceGetPciInfo_v3(gpu, &pci);
    if (code) return code;
    out->domain = 0, out->bus = pci.bus, out->device = 0;
    out->device_id = pci.device_id, out->subsystem = pci.subsystem;
    out->base_class = 3, out->sub_class = 2;
    memcpy(out->text, pci.text, sizeof out->text);
    return OK;
}
PUBLIC int nvmlDeviceGetHandleByPciBusId_v2(const char *text, gpu_t *out) {
    unsigned domain, bus;
    if (sscanf(text, "%x:%x:", &domain, &bus) != 2 || bus % 16 || !bus) return BAD_ARGUMENT;
    return nvmlDeviceGetHandleByIndex_v2(bus / 16 - 1, out);
}
PUBLIC int nvmlDeviceGetHandleByUUID(const char *text, gpu_t *out) {
    unsigned number;
    if (sscanf(text, "GPU-a55a0000-0000-4000-8000-%x", &number) != 1) return NOT_FOUND;
    return nvmlDeviceGetHandleByIndex_v2(number - 1, out);
}
PUBLIC int nvmlDeviceGetIndex(gpu_t gpu, unsigned *out) { return *out = gpu->number, OK; }
PUBLIC int nvmlDeviceGetMinorNumber(gpu_t gpu, unsigned *out) { return *out = gpu->number, OK; }
PUBLIC int nvmlDeviceGetUUID(gpu_t gpu, char *out, unsigned size) {
    char text[64];
    REFUSE_LOST(gpu);
    snprintf(text, sizeof text, "GPU-a55a0000-0000-4000-8000-%012x", gpu->number + 1);
    return copy(text, out, size);
}
PUBLIC int nvmlDeviceGetSerial(gpu_t gpu, char *out, unsigned size) {
    char text[32];
    REFUSE_LOST(gpu);
    snprintf(text, sizeof text, "16540240%05d", gpu->number);
    return copy(text, out, size);
}
PUBLIC int nvmlDeviceIsMigDeviceHandle(gpu_t gpu, unsigned *out) { return (void)gpu, *out = 0, OK; }
NUMBER(nvmlDeviceGetMaxMigDeviceCount, unsigned, "mig_most", 7)

#include "fake_values.h"
