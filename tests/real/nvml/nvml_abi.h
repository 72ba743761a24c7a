/* The part of NVML's binary interface that the fake library answers: numbers and layouts as in
 * the header of NVIDIA's management library, names our own. Only what nvidia-smi 535 and 550 use. */
#ifndef NVML_ABI_H
#define NVML_ABI_H

enum code {
    OK = 0, UNINITIALISED = 1, BAD_ARGUMENT = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, TOO_SMALL = 7,
    GPU_IS_LOST = 15
};
enum temperature_limit { SHUTDOWN_LIMIT = 0, SLOWDOWN_LIMIT = 1 };
enum memory { DRAM = 2, SRAM = 7 };
enum clock { MEMORY_CLOCK = 2, VIDEO_CLOCK = 3 };
enum fabric { FABRIC_NOT_STARTED = 1, FABRIC_IN_PROGRESS = 2, FABRIC_COMPLETED = 3 };
enum { UNSIGNED_INT = 1 }; /* the type of a field's value */
enum field {
    MEMORY_TEMPERATURE = 82, LINK_COUNT = 91, LINK_REPLAYS = 161, LINK_RECOVERIES = 162,
    LINK_CRC = 163, LINK_SPEED = 164, LINK_STATE = 165, POWER_AVERAGE = 185, POWER_INSTANT = 186,
    POWER_MIN = 187, POWER_MAX = 188, POWER_DEFAULT = 189, POWER_CURRENT = 190,
    POWER_REQUESTED = 192
};

typedef struct gpu *gpu_t;
typedef unsigned long long u64;

typedef struct {
    char legacy[16];
    unsigned domain, bus, device, device_id, subsystem;
    char text[32];
} pci_t;
typedef struct {
    unsigned version, domain, bus, device, device_id, subsystem, base_class, sub_class;
    char text[32];
} pci_ext_t;
typedef struct { u64 total, free, used; } memory_t;
typedef struct { unsigned version; u64 total, reserved, free, used; } memory_v2_t;
typedef struct { unsigned gpu, memory; } utilisation_t;
typedef struct { unsigned max, high, partial, low, none; } banks_t;
typedef struct {
    unsigned version;
    u64 aggregate_parity, aggregate_secded, aggregate_corrected;
    u64 volatile_parity, volatile_secded, volatile_corrected;
    u64 sources[5];
    unsigned threshold_exceeded;
} sram_t;
typedef struct {
    unsigned id, scope;
    long long timestamp, latency;
    int type, result;
    union { double d; unsigned u; u64 whole; } value;
} field_t;
typedef struct { unsigned char cluster[16]; int status; unsigned clique; unsigned char state; } fabric_t;
typedef struct {
    unsigned version;
    unsigned char cluster[16];
    int status;
    unsigned clique;
    unsigned char state;
    unsigned health;
} fabric_v2_t;

#endif
