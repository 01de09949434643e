package cli

import "strings"

// unaskedFields returns the fields of --query-gpu that nvidia-smi fills and this program does not ask for. A script that
// names one gets N/A, as for a GPU that does not report it. They are those of drivers 590 and 595:
// https://github.com/utkuozdemir/nvidia_gpu_exporter/tree/main/internal/captures
func unaskedFields() (fields []csvField) {
	for unit, names := range map[string]string{
		"": `
			vgpu_driver_capability.heterogenous_multivGPU pci.baseClass pci.subClass vgpu_device_capability.fractional_multiVgpu
			vgpu_device_capability.heterogeneous_timeSlice_profile vgpu_device_capability.heterogeneous_timeSlice_sizes
			vgpu_device_capability.homogeneous_placements vgpu_device_capability.mig_timeSlicing
			vgpu_device_capability.mig_timeSlicing_mode pcie.link.gen.gpucurrent pcie.link.gen.gpumax pcie.link.gen.hostmax
			display_mode display_attached addressing_mode accounting.mode accounting.buffer_size driver_model.current
			driver_model.pending inforom.img inforom.oem inforom.ecc inforom.pwr inforom.checksum_validation gpu_recovery_action
			gom.current gom.pending clocks_event_reasons.supported encoder.stats.sessionCount encoder.stats.averageFps
			encoder.stats.averageLatency dramEncryption.mode.current dramEncryption.mode.pending
			ecc.errors.uncorrected.volatile.sram.parity ecc.errors.uncorrected.volatile.sram.secded
			ecc.errors.uncorrected.aggregate.sram.parity ecc.errors.uncorrected.aggregate.sram.secded
			ecc.errors.uncorrected.aggregate.sram.thresholdExceeded ecc.errors.uncorrected.aggregate.sram.l2
			ecc.errors.uncorrected.aggregate.sram.sm ecc.errors.uncorrected.aggregate.sram.mcu
			ecc.errors.uncorrected.aggregate.sram.pcie ecc.errors.uncorrected.aggregate.sram.other remapped_rows.histogram.max
			remapped_rows.histogram.high remapped_rows.histogram.partial remapped_rows.histogram.low remapped_rows.histogram.none
			temperature.gpu.tlimit temperature.memory power.management power_smoothing.delayed_power_smoothing_supported
			power_smoothing.curr_profile.primary_floor_act_window_multiplier
			power_smoothing.curr_profile.primary_floor_tar_window_multiplier
			power_smoothing.admin_override.primary_floor_act_window_multiplier
			power_smoothing.admin_override.primary_floor_tar_window_multiplier gsp.mode.current gsp.mode.default c2c.mode
			fabric.state fabric.status fabric.cliqueId fabric.clusterUuid fabric.health.summary fabric.health.bandwidth
			fabric.health.route_recovery_in_progress fabric.health.route_unhealthy fabric.health.access_timeout_recovery
			fabric.health.incorrect_configuration platform.chassis_serial_number platform.slot_number platform.tray_index
			platform.host_id platform.peer_type platform.module_id platform.gpu_fabric_guid hostname
			remapped_rows.correctable_inactive remapped_rows.uncorrectable_inactive fabric.health.partition_assigned`,
		"%": `
			utilization.jpeg utilization.ofa edpp_multiplier`,
		"MHz": `
			clocks.default_applications.graphics clocks.default_applications.memory`,
		"MiB": `
			protected_memory.total protected_memory.used protected_memory.free`,
		"W": `
			module.power.draw.average module.power.draw.instant module.power.limit module.enforced.power.limit
			module.power.default_limit module.power.min_limit module.power.max_limit power_smoothing.primary_power_floor
			power_smoothing.secondary_power_floor power_smoothing.min_primary_floor_activation_offset
			power_smoothing.min_primary_floor_activation_point power_smoothing.curr_profile.secondary_power_floor
			power_smoothing.curr_profile.primary_floor_act_offset power_smoothing.admin_override.secondary_power_floor
			power_smoothing.admin_override.primary_floor_act_offset`,
		"ms": `
			power_smoothing.window_multiplier`,
		"us": `
			clocks_event_reasons_counters.sw_power_cap clocks_event_reasons_counters.sync_boost
			clocks_event_reasons_counters.sw_thermal_slowdown clocks_event_reasons_counters.hw_thermal_slowdown
			clocks_event_reasons_counters.hw_power_brake_slowdown`,
	} {
		for name := range strings.FieldsSeq(names) {
			fields = append(fields, csvField{name: name, unit: unit, value: func(csvRow) string { return "" }, unasked: true})
		}
	}
	return fields
}
