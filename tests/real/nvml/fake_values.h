/* The values of one GPU: each is what a sound idle H100 says unless the state says otherwise. */

WORDS(nvmlDeviceGetName, "name", "NVIDIA H100 80GB HBM3")
WORDS(nvmlDeviceGetVbiosVersion, "vbios", "96.00.A5.00.01")
WORDS(nvmlDeviceGetInforomImageVersion, "inforom", "G520.0200.00.05")
NUMBER(nvmlDeviceGetBrand, int, "brand", 14) /* NVIDIA, no product line */
NUMBER(nvmlDeviceGetArchitecture, unsigned, "architecture", 9) /* Hopper */
NUMBER(nvmlDeviceGetPerformanceState, int, "performance_state", 0)
NUMBER(nvmlDeviceGetPersistenceMode, int, "persistence", 1)
NUMBER(nvmlDeviceGetComputeMode, int, "compute_mode", 0)
NUMBER(nvmlDeviceGetDisplayActive, int, "display", 0)
NUMBER(nvmlDeviceGetDisplayMode, int, "display", 0)
NUMBER(nvmlDeviceGetPowerUsage, unsigned, "power_mw", 70100)
NUMBER(nvmlDeviceGetEnforcedPowerLimit, unsigned, "power_limit_mw", 700000)
NUMBER(nvmlDeviceGetPowerManagementLimit, unsigned, "power_limit_mw", 700000)
NUMBER(nvmlDeviceGetPowerManagementDefaultLimit, unsigned, "power_default_mw", 700000)
NUMBER(nvmlDeviceGetCurrPcieLinkGeneration, unsigned, "pcie_generation", 5)
NUMBER(nvmlDeviceGetMaxPcieLinkGeneration, unsigned, "pcie_generation_max", 5)
NUMBER(nvmlDeviceGetGpuMaxPcieLinkGeneration, unsigned, "pcie_generation_device", 5)
NUMBER(nvmlDeviceGetCurrPcieLinkWidth, unsigned, "pcie_width", 16)
NUMBER(nvmlDeviceGetMaxPcieLinkWidth, unsigned, "pcie_width_max", 16)
NUMBER(nvmlDeviceGetPcieReplayCounter, unsigned, "pcie_replays", 0)
NUMBER(nvmlDeviceGetCurrentClocksEventReasons, u64, "clock_reasons", 1) /* idle */
NUMBER(nvmlDeviceGetCurrentClocksThrottleReasons, u64, "clock_reasons", 1)
NUMBER(nvmlDeviceGetSupportedClocksEventReasons, u64, "clock_reasons_known", 0x1ff)
NUMBER(nvmlDeviceGetSupportedClocksThrottleReasons, u64, "clock_reasons_known", 0x1ff)
PAIR(nvmlDeviceGetMigMode, unsigned, "mig", "mig_pending", 0)
PAIR(nvmlDeviceGetEccMode, int, "ecc", "ecc_pending", 1)
PAIR(nvmlDeviceGetUtilizationRatesPair, unsigned, "utilisation", "memory_utilisation", 0)

PUBLIC int nvmlDeviceGetUtilizationRates(gpu_t gpu, utilisation_t *out) {
    return nvmlDeviceGetUtilizationRatesPair(gpu, &out->gpu, &out->memory);
}
PUBLIC int nvmlDeviceGetCudaComputeCapability(gpu_t gpu, int *major, int *minor) {
    return (void)gpu, *major = 9, *minor = 0, OK;
}
PUBLIC int nvmlDeviceGetTemperature(gpu_t gpu, int sensor, unsigned *out) {
    u64 value;
    int code = number(gpu, "temperature", 33, &value);
    (void)sensor;
    return code ? code : (*out = value, OK);
}
PUBLIC int nvmlDeviceGetTemperatureThreshold(gpu_t gpu, int limit, unsigned *out) {
    REFUSE_LOST(gpu);
    if (limit != SHUTDOWN_LIMIT && limit != SLOWDOWN_LIMIT) return NOT_SUPPORTED;
    return *out = limit == SHUTDOWN_LIMIT ? 92 : 87, OK;
}
PUBLIC int nvmlDeviceGetPowerManagementLimitConstraints(gpu_t gpu, unsigned *least, unsigned *most) {
    REFUSE_LOST(gpu);
    return *least = 200000, *most = 700000, OK;
}

/* 81559 MiB in all. */
static const u64 MIB = 1 << 20;
PUBLIC int nvmlDeviceGetMemoryInfo_v2(gpu_t gpu, memory_v2_t *out) {
    u64 total;
    int code = number(gpu, "memory_mib", 81559, &total);
    if (code) return code;
    out->total = total * MIB;
    out->reserved = 537 * MIB;
    out->used = plain(gpu, "memory_used_mib", 1) * MIB;
    out->free = out->total - out->reserved - out->used;
    return OK;
}
PUBLIC int nvmlDeviceGetMemoryInfo(gpu_t gpu, memory_t *out) {
    memory_v2_t all;
    int code = nvmlDeviceGetMemoryInfo_v2(gpu, &all);
    if (!code) out->total = all.total, out->free = all.free, out->used = all.used;
    return code;
}
PUBLIC int nvmlDeviceGetBAR1MemoryInfo(gpu_t gpu, memory_t *out) {
    REFUSE_LOST(gpu);
    return out->total = 131072 * MIB, out->used = MIB, out->free = 131071 * MIB, OK;
}

static int clock_of(gpu_t gpu, int clock, u64 graphics, unsigned *out) {
    u64 value;
    u64 usual = clock == MEMORY_CLOCK ? 2619 : clock == VIDEO_CLOCK ? 765 : graphics;
    int code = number(gpu, clock == MEMORY_CLOCK ? "memory_mhz" : "graphics_mhz", usual, &value);
    return code ? code : (*out = value, OK);
}
PUBLIC int nvmlDeviceGetClockInfo(gpu_t gpu, int clock, unsigned *out) {
    return clock_of(gpu, clock, 345, out);
}
PUBLIC int nvmlDeviceGetMaxClockInfo(gpu_t gpu, int clock, unsigned *out) {
    return clock_of(gpu, clock, 1980, out);
}

/* Memory errors: "ecc_volatile_uncorrected" and so on are those of HBM, "sram_..." of the caches. */
static const char *counter(int uncorrected, int aggregate, int sram) {
    static char name[48];
    snprintf(name, sizeof name, "%s_%s_%s", sram ? "sram" : "ecc",
             aggregate ? "aggregate" : "volatile", uncorrected ? "uncorrected" : "corrected");
    return name;
}
PUBLIC int nvmlDeviceGetMemoryErrorCounter(gpu_t gpu, int uncorrected, int aggregate, int where, u64 *out) {
    if (where != DRAM && where != SRAM) return NOT_SUPPORTED;
    return number(gpu, counter(uncorrected, aggregate, where == SRAM), 0, out);
}
PUBLIC int nvmlDeviceGetTotalEccErrors(gpu_t gpu, int uncorrected, int aggregate, u64 *out) {
    u64 hbm, sram;
    int code = number(gpu, counter(uncorrected, aggregate, 0), 0, &hbm);
    if (!code) code = number(gpu, counter(uncorrected, aggregate, 1), 0, &sram);
    return code ? code : (*out = hbm + sram, OK);
}
PUBLIC int nvmlDeviceGetSramEccErrorStatus(gpu_t gpu, sram_t *out) {
    REFUSE_LOST(gpu);
    unsigned version = out->version;
    memset(out, 0, sizeof *out);
    out->version = version;
    out->volatile_secded = plain(gpu, "sram_volatile_uncorrected", 0);
    out->aggregate_secded = plain(gpu, "sram_aggregate_uncorrected", 0);
    out->volatile_corrected = plain(gpu, "sram_volatile_corrected", 0);
    out->aggregate_corrected = plain(gpu, "sram_aggregate_corrected", 0);
    out->threshold_exceeded = plain(gpu, "sram_threshold_exceeded", 0);
    return OK;
}
PUBLIC int nvmlDeviceGetRemappedRows(gpu_t gpu, unsigned *corrected, unsigned *uncorrected,
                                     unsigned *pending, unsigned *failed) {
    u64 any;
    int code = number(gpu, "rows_failed", 0, &any);
    if (code) return code;
    *corrected = plain(gpu, "rows_corrected", 0), *uncorrected = plain(gpu, "rows_uncorrected", 0);
    return *pending = plain(gpu, "rows_pending", 0), *failed = any, OK;
}
PUBLIC int nvmlDeviceGetRowRemapperHistogram(gpu_t gpu, banks_t *out) {
    REFUSE_LOST(gpu);
    memset(out, 0, sizeof *out);
    out->none = plain(gpu, "banks_without_spares", 0);
    out->max = 640 - out->none;
    return OK;
}

/* NVLink: eighteen links of 26562 MB/s; "links_down" is a mask of the dead ones. */
static int field_of(gpu_t gpu, field_t *field) {
    int down = plain(gpu, "links_down", 0) >> field->scope & 1, first = field->scope == 0;
    int power = field->scope == 0; /* of the GPU, not of its memory or the module */
    u64 value;
    switch (field->id) {
    case MEMORY_TEMPERATURE: value = plain(gpu, "memory_temperature", 39); break;
    case LINK_COUNT: value = plain(gpu, "links", 18); break;
    case LINK_STATE: value = !down; break;
    case LINK_SPEED: value = down ? 0 : plain(gpu, "link_mbytes", 26562); break;
    case LINK_REPLAYS: value = first ? plain(gpu, "link_replays", 0) : 0; break;
    case LINK_RECOVERIES: value = first ? plain(gpu, "link_recoveries", 0) : 0; break;
    case LINK_CRC: value = first ? plain(gpu, "link_crc", 0) : 0; break;
    case POWER_AVERAGE: case POWER_INSTANT: value = plain(gpu, "power_mw", 70100); break;
    case POWER_MIN: value = 200000; break;
    case POWER_MAX: value = 700000; break;
    case POWER_DEFAULT: value = plain(gpu, "power_default_mw", 700000); break;
    case POWER_CURRENT: case POWER_REQUESTED: value = plain(gpu, "power_limit_mw", 700000); break;
    default: return NOT_SUPPORTED;
    }
    if (field->id >= POWER_AVERAGE && !power) return NOT_SUPPORTED;
    field->type = UNSIGNED_INT;
    field->value.u = value;
    return OK;
}
PUBLIC int nvmlDeviceGetFieldValues(gpu_t gpu, int count, field_t *fields) {
    REFUSE_LOST(gpu);
    for (int n = 0; n < count; n++) fields[n].result = field_of(gpu, &fields[n]);
    return OK;
}
PUBLIC int nvmlDeviceGetNvLinkState(gpu_t gpu, unsigned link, int *out) {
    REFUSE_LOST(gpu);
    if (link >= plain(gpu, "links", 18)) return BAD_ARGUMENT;
    return *out = !(plain(gpu, "links_down", 0) >> link & 1), OK;
}
PUBLIC int nvmlDeviceGetNvLinkVersion(gpu_t gpu, unsigned link, unsigned *out) {
    return (void)gpu, (void)link, *out = 4, OK;
}

/* The NVSwitch fabric. */
PUBLIC int nvmlDeviceGetGpuFabricInfo(gpu_t gpu, fabric_t *out) {
    REFUSE_LOST(gpu);
    memset(out, 0, sizeof *out);
    out->state = plain(gpu, "fabric_state", FABRIC_COMPLETED);
    out->status = plain(gpu, "fabric_status", OK);
    return OK;
}
PUBLIC int nvmlDeviceGetGpuFabricInfoV(gpu_t gpu, fabric_v2_t *out) {
    REFUSE_LOST(gpu);
    unsigned version = out->version;
    memset(out, 0, sizeof *out);
    out->version = version;
    out->state = plain(gpu, "fabric_state", FABRIC_COMPLETED);
    out->status = plain(gpu, "fabric_status", OK);
    return OK;
}

/* Nothing runs. */
#define NO_PROCESSES(function) \
    PUBLIC int function(gpu_t gpu, unsigned *count, void *list) { \
        REFUSE_LOST(gpu); \
        return (void)list, *count = 0, OK; \
    }
NO_PROCESSES(nvmlDeviceGetComputeRunningProcesses_v3)
NO_PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v3)
NO_PROCESSES(nvmlDeviceGetMPSComputeRunningProcesses_v3)
PUBLIC int nvmlDeviceGetTopologyCommonAncestor(gpu_t one, gpu_t other, int *out) {
    int near = one->number / 4 == other->number / 4; /* four GPUs to a socket */
    return *out = near ? 40 : 50, OK; /* NODE, SYS */
}
