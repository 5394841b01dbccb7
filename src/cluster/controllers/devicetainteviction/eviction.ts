import type { Pod } from '../../../api/core/v1.types.ts'
import type { DeviceTaintRule } from '../../../api/resource/v1alpha3.types.ts'
import type { DeviceRequestAllocationResult, DeviceTaint, ResourceClaim } from '../../../api/resource/v1beta2.types.ts'
import { timeMillis } from '../../../meta/time.ts'
import { type ClaimRules, claimReference, foreignResourceClaim, isReservedFor } from '../../shared/device-claims.ts'
import { matchesRule, toleratesDeviceTaint } from '../../shared/device-taints.ts'

/** Eviction of a pod for taints of its devices. */
export interface DeviceEviction {
  /** Milliseconds since the epoch. */
  readonly when: number
  /** Uids of the DeviceTaintRules that cause it. Empty if only drivers do. */
  readonly rules: ReadonlySet<string>
}

/** Taints and rules on which evictions depend. */
export interface TaintState {
  /** Returns the taints that a driver has given to a device. */
  taintsOf(device: DeviceRequestAllocationResult): readonly DeviceTaint[]
  /** Rules that evict pods. */
  readonly rules: readonly DeviceTaintRule[]
}

const EVICTING = 'NoExecute'

/** Reports whether a rule evicts pods. */
export const isEvicting = ({ spec }: DeviceTaintRule): boolean => spec.taint.effect === EVICTING

/** Returns a rule as if it evicted pods. */
export const asEvicting = (rule: DeviceTaintRule): DeviceTaintRule => ({
  ...rule,
  spec: { ...rule.spec, taint: { ...rule.spec.taint, effect: EVICTING } },
})

/** Returns when a taint evicts a pod that has a device. Undefined if the device's tolerations cover it forever. */
function evictionTime({ tolerations = [] }: DeviceRequestAllocationResult, taint: DeviceTaint): number | undefined {
  let seconds = Number.POSITIVE_INFINITY
  for (const toleration of tolerations) {
    if (toleration.effect !== EVICTING || !toleratesDeviceTaint(toleration, taint)) continue
    if (toleration.tolerationSeconds === undefined) return undefined
    seconds = Math.min(seconds, Math.max(0, Number(toleration.tolerationSeconds)))
  }
  return (timeMillis(taint.timeAdded) ?? 0) + (seconds === Number.POSITIVE_INFINITY ? 0 : seconds * 1000)
}

/**
 * Returns the eviction of the pods of a claim: at the earliest time of the taints of its devices. Undefined if there is
 * none.
 */
export function claimEviction({ status }: ResourceClaim, { taintsOf, rules }: TaintState): DeviceEviction | undefined {
  let when: number | undefined
  const causes = new Set<string>()
  const note = (device: DeviceRequestAllocationResult, taint: DeviceTaint, rule?: DeviceTaintRule): void => {
    const time = evictionTime(device, taint)
    if (time === undefined) return
    when = Math.min(when ?? time, time)
    if (rule) causes.add(rule.metadata.uid ?? '')
  }
  for (const device of status.allocation?.devices?.results ?? []) {
    for (const taint of taintsOf(device)) if (taint.effect === EVICTING) note(device, taint)
    for (const rule of rules) if (matchesRule(rule, device)) note(device, rule.spec.taint, rule)
  }
  return when === undefined ? undefined : { when, rules: causes }
}

/**
 * Returns the eviction of a pod: the earliest one of the claims that are reserved for it. Undefined if it has no node,
 * or no taint concerns it.
 */
export function podEviction(
  pod: Pod,
  claimOf: (key: string) => ResourceClaim | undefined,
  state: TaintState,
  rules: ClaimRules,
): DeviceEviction | undefined {
  if ((pod.spec.nodeName ?? '') === '') return undefined
  const evictions = (pod.spec.resourceClaims ?? []).flatMap(each => {
    const { name, isGenerated } = claimReference(pod, each)
    const claim = name === undefined ? undefined : claimOf(`${pod.metadata.namespace ?? ''}/${name}`)
    if (claim === undefined || !isReservedFor(claim, pod, rules)) return []
    if (isGenerated && foreignResourceClaim(pod, claim, rules) !== undefined) return []
    return claimEviction(claim, state) ?? []
  })
  if (evictions.length === 0) return undefined
  return { when: Math.min(...evictions.map(({ when }) => when)), rules: new Set(evictions.flatMap(({ rules }) => [...rules])) }
}
