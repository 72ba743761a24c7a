"""What disks say of themselves: saved `nvme smart-log` and `smartctl` outputs."""

import re
from collections.abc import Iterator, Mapping

from assay.kit.json import mapping, value
from assay.kit.probe import probe
from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.disks import DiskHealth
from assay.probes.kernel_values import plain_lines, whole

SMART_LOG = saved(
    "nvme-smart-log",
    looks_like=r"^Smart Log for NVME device:\S+ namespace-id:\w+$"
    r"|\{\s*\"critical_warning\"\s*:\s*(?:\d+|\{[^}]*\})\s*,\s*\"temperature\"\s*:\s*\d+",
)
SMARTCTL = saved(
    "smartctl-json", looks_like=r"\"smartctl\"\s*:\s*\{\s*\"version\"\s*:\s*\[[^\]]*\]"
)
KELVIN = 273.15
_TEXT = re.compile(r"([a-z][\w ]*?)\s*:\s*(.*)", re.IGNORECASE)


@probe("storage.disk-health", reads=[SMART_LOG, SMARTCTL])
def disk_health(seen: Seen) -> Iterator[DiskHealth]:
    """The health that a disk reports, where somebody saved it."""
    if seen.capture(SMART_LOG) is not None:
        text = seen.text(SMART_LOG)
        yield _from_log(_json(text) if text.lstrip().startswith("{") else _fields(text))
    elif seen.capture(SMARTCTL) is not None:
        yield _from_smartctl(mapping(value(seen.text(SMARTCTL), "smartctl"), "smartctl"))


def _json(text: str) -> Mapping[str, object]:
    return mapping(value(text, "`nvme smart-log`"), "`nvme smart-log`")


def _fields(text: str) -> Mapping[str, object]:
    """The text form: "available_spare : 100%", "temperature : 38 C (311 K)"."""
    found: dict[str, object] = {}
    for line in plain_lines(text):
        if line.lower().startswith("smart log for nvme device:"):
            found["device"] = line.split(":")[1].split()[0]
        elif row := _TEXT.fullmatch(line.strip()):
            found.setdefault(row.group(1).strip().lower().replace(" ", "_"), row.group(2))
    return found


def _integer(found: object) -> int | None:
    if isinstance(found, bool):
        return None
    if isinstance(found, int):
        return found
    if not isinstance(found, str):
        return None
    word = found.strip().split(" ")[0].replace(",", "").removesuffix("%")
    if re.fullmatch(r"0x[0-9a-fA-F]{1,8}", word):
        return int(word, 16)
    return whole(word)


def _celsius(found: object) -> float | None:
    """JSON gives kelvin, text gives "38 C" or "38°C"."""
    if isinstance(found, str):
        match = re.match(r"\s*(-?\d{1,3})\s*°?\s*C", found)
        return float(match.group(1)) if match else None
    kelvin = _integer(found)
    return round(kelvin - KELVIN, 2) if kelvin is not None and 200 < kelvin < 500 else None


def _from_log(said: Mapping[str, object]) -> DiskHealth:
    warning = said.get("critical_warning")
    if isinstance(warning, dict):  # newer nvme-cli spells the bits out
        warning = warning.get("value")
    spare = said.get("avail_spare", said.get("available_spare"))
    if _integer(warning) is None and _integer(spare) is None:
        raise Unread("the NVMe SMART log has neither a critical warning nor a spare")
    return DiskHealth(
        device=str(said.get("device") or ""),
        critical_warning=_integer(warning),
        temperature_c=_celsius(said.get("temperature")),
        spare_percent=_integer(spare),
        spare_threshold_percent=_integer(
            said.get("spare_thresh", said.get("available_spare_threshold"))
        ),
        used_percent=_integer(said.get("percent_used", said.get("percentage_used"))),
        media_errors=_integer(said.get("media_errors")),
        unsafe_shutdowns=_integer(said.get("unsafe_shutdowns")),
        power_on_hours=_integer(said.get("power_on_hours")),
    )


def _object(found: object) -> Mapping[str, object]:
    return found if isinstance(found, dict) else {}


def _from_smartctl(said: Mapping[str, object]) -> DiskHealth:
    log = _object(said.get("nvme_smart_health_information_log"))
    passed = _object(said.get("smart_status")).get("passed")
    if not isinstance(passed, bool) and not log:
        raise Unread("smartctl gives no SMART status")
    celsius = _object(said.get("temperature")).get("current")
    return DiskHealth(
        device=str(_object(said.get("device")).get("name") or ""),
        model=str(said.get("model_name") or ""),
        passed=passed if isinstance(passed, bool) else None,
        critical_warning=_integer(log.get("critical_warning")),
        temperature_c=float(c) if (c := _integer(celsius)) is not None and abs(c) < 1000 else None,
        spare_percent=_integer(log.get("available_spare")),
        spare_threshold_percent=_integer(log.get("available_spare_threshold")),
        used_percent=_integer(log.get("percentage_used")),
        media_errors=_integer(log.get("media_errors")),
        unsafe_shutdowns=_integer(log.get("unsafe_shutdowns")),
        power_on_hours=_integer(_object(said.get("power_on_time")).get("hours")),
    )
