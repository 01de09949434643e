package cli

import (
	"fmt"

	"cresset/smi"
)

// logFields returns the fields of --query-gpu whose values are those of nvidia-smi -q.
func logFields() []csvField {
	fields := []csvField{
		gpuField("pci.domain", "", busPart(0)), gpuField("pci.bus", "", busPart(1)), gpuField("pci.device", "", busPart(2)),
		slowField("pci.device_id", "", detail(func(d *smi.Details) string { return hexOf(d.DeviceID) })),
		slowField("pci.sub_device_id", "", detail(func(d *smi.Details) string { return hexOf(d.Subsystem) })),
		slowField("retired_pages.single_bit_ecc.count", "", retired(func(r *smi.Retired) string { return fmt.Sprint(r.SingleBit) })),
		slowField("retired_pages.double_bit.count", "", retired(func(r *smi.Retired) string { return fmt.Sprint(r.DoubleBit) })),
		slowField("retired_pages.pending", "", retired(func(r *smi.Retired) string { return yesNo(r.Pending) })),
		slowField("remapped_rows.correctable", "", remapped(func(r *smi.Remapped) string { return fmt.Sprint(r.Corrected) })),
		slowField("remapped_rows.uncorrectable", "", remapped(func(r *smi.Remapped) string { return fmt.Sprint(r.Uncorrected) })),
		slowField("remapped_rows.pending", "", remapped(func(r *smi.Remapped) string { return yesNo(&r.Pending) })),
		slowField("remapped_rows.failure", "", remapped(func(r *smi.Remapped) string { return yesNo(&r.Failed) })),
	}
	for _, group := range []string{"clocks_event_reasons.", "clocks_throttle_reasons."} { // the latter before driver 535
		fields = append(fields, slowField(group+"active", "", detail(clockReasons)))
		for name, bit := range map[string]uint64{
			"gpu_idle": clocksIdle, "applications_clocks_setting": clocksApplication, "sw_power_cap": clocksPowerCap,
			"hw_slowdown": clocksHardware, "hw_thermal_slowdown": clocksHot, "hw_power_brake_slowdown": clocksPowerBrake,
			"sw_thermal_slowdown": clocksWarm, "sync_boost": clocksSyncBoost,
		} {
			fields = append(fields, slowField(group+name, "", active(bit)))
		}
	}
	for kind, uncorrected := range map[string]bool{"corrected": false, "uncorrected": true} {
		for span, aggregate := range map[string]bool{"volatile": false, "aggregate": true} {
			for name, place := range map[string]string{
				"device_memory": "dram", "dram": "dram", "register_file": "registers", "l1_cache": "l1", "l2_cache": "l2",
				"texture_memory": "texture", "cbu": "cbu", "sram": "sram", "total": "total",
			} {
				fields = append(fields, slowField("ecc.errors."+kind+"."+span+"."+name, "", errorsAt(place, uncorrected, aggregate)))
			}
		}
	}
	return fields
}

func clockReasons(d *smi.Details) string { return written(d.ClockReasons, "0x%016X") }

func remapped(value func(*smi.Remapped) string) func(smi.GPU) string {
	return partOf(func(d *smi.Details) *smi.Remapped { return d.Remapped }, value)
}
