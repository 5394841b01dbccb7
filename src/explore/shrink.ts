import type { FaultSpec } from '../faults/fault-spec.ts'

/** Returns schedules that disturb less than the given one, the smallest first. */
export function smallerSchedules(faults: readonly FaultSpec[]): (readonly FaultSpec[])[] {
  const single = faults.length > 1 ? faults.map(fault => [fault]) : []
  const without = faults.length > 2 ? faults.map((_, index) => faults.filter((_, other) => other !== index)) : []
  const weaker = faults.flatMap((fault, index) => weakerFaults(fault).map(weak => faults.with(index, weak)))
  return [...single, ...without, ...weaker]
}

/** Returns milder forms of a fault. */
function weakerFaults(fault: FaultSpec): FaultSpec[] {
  const { watch, behindChanges } = fault
  if (watch?.endBefore !== undefined) {
    const { reopen, withGone, ...rest } = watch
    return [
      ...(reopen !== undefined && withGone !== undefined ? [{ ...fault, watch: rest }] : []),
      ...(reopen !== undefined ? [{ ...fault, watch: { ...rest, ...(withGone !== undefined && { withGone }) } }] : []),
      ...(withGone !== undefined ? [{ ...fault, watch: { ...rest, ...(reopen !== undefined && { reopen }) } }] : []),
    ]
  }
  return behindChanges !== undefined && behindChanges > 1 ? [{ ...fault, behindChanges: behindChanges - 1 }] : []
}
