package cli

import (
	"fmt"

	"cresset/smi"
)

// logFields returns the fields of --query-gpu whose values are those of nvidia-smi -q.
func logFields() []csvField {
	field := func(name string, slow bool, value func(smi.GPU) string) csvField {
		return csvField{name: name, slow: slow, value: func(r csvRow) string {
			if text := value(r.gpu); text != notAvailable { // CSV has brackets around it
				return text
			}
			return ""
		}}
	}
	fields := []csvField{
		field("pci.domain", false, busPart(0)), field("pci.bus", false, busPart(1)), field("pci.device", false, busPart(2)),
		field("pci.device_id", true, detail(func(d *smi.Details) string { return hexOf(d.DeviceID) })),
		field("pci.sub_device_id", true, detail(func(d *smi.Details) string { return hexOf(d.Subsystem) })),
		field("retired_pages.single_bit_ecc.count", true, retired(func(r *smi.Retired) string { return fmt.Sprint(r.SingleBit) })),
		field("retired_pages.double_bit.count", true, retired(func(r *smi.Retired) string { return fmt.Sprint(r.DoubleBit) })),
		field("retired_pages.pending", true, retired(func(r *smi.Retired) string { return yesNo(r.Pending) })),
		field("remapped_rows.correctable", true, remapped(func(r *smi.Remapped) string { return fmt.Sprint(r.Corrected) })),
		field("remapped_rows.uncorrectable", true, remapped(func(r *smi.Remapped) string { return fmt.Sprint(r.Uncorrected) })),
		field("remapped_rows.pending", true, remapped(func(r *smi.Remapped) string { return yesNo(&r.Pending) })),
		field("remapped_rows.failure", true, remapped(func(r *smi.Remapped) string { return yesNo(&r.Failed) })),
	}
	for _, group := range []string{"clocks_event_reasons.", "clocks_throttle_reasons."} { // the latter before driver 535
		fields = append(fields, field(group+"active", true, detail(clockReasons)))
		for name, bit := range map[string]uint64{
			"gpu_idle": clocksIdle, "applications_clocks_setting": clocksApplication, "sw_power_cap": clocksPowerCap,
			"hw_slowdown": clocksHardware, "hw_thermal_slowdown": clocksHot, "hw_power_brake_slowdown": clocksPowerBrake,
			"sw_thermal_slowdown": clocksWarm, "sync_boost": clocksSyncBoost,
		} {
			fields = append(fields, field(group+name, true, active(bit)))
		}
	}
	for kind, uncorrected := range map[string]bool{"corrected": false, "uncorrected": true} {
		for span, aggregate := range map[string]bool{"volatile": false, "aggregate": true} {
			for name, place := range map[string]string{
				"device_memory": "dram", "dram": "dram", "register_file": "registers", "l1_cache": "l1", "l2_cache": "l2",
				"texture_memory": "texture", "cbu": "cbu", "sram": "sram", "total": "total",
			} {
				fields = append(fields, field("ecc.errors."+kind+"."+span+"."+name, true, errorsAt(place, uncorrected, aggregate)))
			}
		}
	}
	return fields
}

func clockReasons(d *smi.Details) string {
	if d.ClockReasons == nil {
		return notAvailable
	}
	return fmt.Sprintf("0x%016X", *d.ClockReasons)
}

func remapped(value func(*smi.Remapped) string) func(smi.GPU) string {
	return detail(func(d *smi.Details) string {
		if d.Remapped == nil {
			return notAvailable
		}
		return value(d.Remapped)
	})
}
