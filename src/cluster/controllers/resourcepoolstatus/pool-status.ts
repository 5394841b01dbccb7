import type {
  DeviceTaintRule,
  PoolStatus,
  ResourcePoolStatusRequest,
  ResourcePoolStatusRequestStatus,
} from '../../../api/resource/v1alpha3.types.ts'
import type { ResourceClaim, ResourceSlice } from '../../../api/resource/v1beta2.types.ts'
import { compareText } from '../../../lib/compare-text.ts'
import { isStepDone, type Steps, sortInSteps } from '../../../lib/steps.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { formatTime, timeMillis } from '../../../meta/time.ts'
import { matchesRule } from '../../shared/device-taints.ts'
import { latestSlices, poolKey } from '../../shared/published-devices.ts'
import { UNUSED, usedPools } from './pool-use.ts'
import { type CompletePool, partitionSummary, shareableSummary } from './pool-views.ts'

/** Objects from which the status of pools is computed. */
export interface PoolObjects {
  readonly slices: readonly ResourceSlice[]
  readonly claims: readonly ResourceClaim[]
  readonly rules: readonly DeviceTaintRule[]
}

/** Time after which requests are deleted, in milliseconds: after their completion, and if they are never completed. */
const [COMPLETED_MS, PENDING_MS] = [3_600_000, 86_400_000]
const MOST_POOLS = 100
const LONGEST_ERROR_BYTES = 256

/** Returns the time at which a request is deleted, in milliseconds since the epoch. */
export function requestEnd({ metadata, status }: ResourcePoolStatusRequest): number {
  const completion = status?.conditions?.find(({ type }) => type === 'Complete' || type === 'Failed')
  const since = timeMillis(completion?.lastTransitionTime ?? metadata.creationTimestamp) ?? 0
  return since + (status ? COMPLETED_MS : PENDING_MS)
}

/**
 * Returns the status of a request. Undefined if slices of a pool are missing: its driver is publishing them. Source:
 * calculatePoolStatus of pkg/controller/resourcepoolstatusrequest.
 */
export function* requestStatus(
  { spec }: Pick<ResourcePoolStatusRequest, 'spec'>,
  { slices, claims, rules }: PoolObjects,
  release: Release,
  now: number,
): Steps<ResourcePoolStatusRequestStatus | undefined> {
  const { driver, poolName, limit = MOST_POOLS, defaultPartitionTypeAttribute } = spec
  const byPool = yield* slicesByPool(slices, driver, poolName)
  const names = yield* sortInSteps([...byPool.keys()], compareText)
  const used = yield* usedPools(claims, driver)
  const blocking = rules.filter(({ spec: { taint } }) => isBlocking(taint))
  const pools: PoolStatus[] = []
  for (const name of names.slice(0, limit)) {
    if (isStepDone()) yield
    const latest = latestSlices(byPool.get(name) ?? [])
    const pool: CompletePool = { id: poolKey(driver, name), driver, slices: latest, use: used.get(name) ?? UNUSED }
    if (latest.length < Number(latest[0]?.spec.pool.resourceSliceCount)) return undefined
    pools.push(isSince(release, '1.37') ? yield* viewedPool(pool, name, blocking, defaultPartitionTypeAttribute) : countedPool(pool, name))
  }
  const faulty = pools.filter(({ validationError }) => validationError !== undefined).length
  const condition = {
    type: 'Complete',
    status: 'True' as const,
    lastTransitionTime: formatTime(now),
    reason: 'CalculationComplete',
    message: `Calculated status for ${pools.length} pools${faulty > 0 ? ` (${faulty} incomplete)` : ''}`,
  }
  return { poolCount: names.length, pools, conditions: [condition] }
}

function* slicesByPool(slices: readonly ResourceSlice[], driver: string, wanted: string | undefined): Steps<Map<string, ResourceSlice[]>> {
  const pools = new Map<string, ResourceSlice[]>()
  for (const slice of slices) {
    if (isStepDone()) yield
    const { name } = slice.spec.pool
    if (slice.spec.driver !== driver || (wanted !== undefined && name !== wanted)) continue
    const known = pools.get(name)
    if (known) known.push(slice)
    else pools.set(name, [slice])
  }
  return pools
}

const isBlocking = ({ effect }: { readonly effect?: string }): boolean => effect === 'NoSchedule' || effect === 'NoExecute'

/** Returns the status of a pool in 1.36, where each allocation counts, also of the same device. */
const countedPool = (pool: CompletePool, name: string): PoolStatus => withCounts(pool, name, pool.use.allocations, 0)

/** Returns the status of a pool with its views, from 1.37 on. */
function* viewedPool(
  pool: CompletePool,
  name: string,
  rules: readonly DeviceTaintRule[],
  partitionAttribute: string | undefined,
): Steps<PoolStatus> {
  const counts = withCounts(pool, name, pool.use.devices.size, yield* countUnavailable(pool, name, rules))
  const partitions = yield* partitionSummary(pool, partitionAttribute)
  const shareable = yield* shareableSummary(pool)
  const error = partitions.error ?? shareable.error
  return {
    ...counts,
    ...(error === undefined ? partitions.view && { partitionSummary: partitions.view } : { validationError: errorText(error) }),
    ...(shareable.view && { shareableSummary: shareable.view }),
  }
}

function withCounts({ driver, slices }: CompletePool, poolName: string, allocatedDevices: number, unavailableDevices: number): PoolStatus {
  const [first] = slices
  const totalDevices = slices.reduce((sum, { spec }) => sum + (spec.devices?.length ?? 0), 0)
  const nodeName = first?.spec.nodeName
  return {
    driver,
    poolName,
    generation: first?.spec.pool.generation ?? 0,
    resourceSliceCount: slices.length,
    totalDevices,
    allocatedDevices,
    availableDevices: Math.max(0, totalDevices - allocatedDevices - unavailableDevices),
    unavailableDevices,
    ...(nodeName && slices.every(({ spec }) => spec.nodeName === nodeName) && { nodeName }),
  }
}

/** Counts the devices that their driver or a rule keeps from being allocated. */
function* countUnavailable({ driver, slices }: CompletePool, pool: string, rules: readonly DeviceTaintRule[]): Steps<number> {
  let count = 0
  for (const { spec } of slices)
    for (const { name: device, taints } of spec.devices ?? []) {
      if (isStepDone()) yield
      if (taints?.some(isBlocking) || rules.some(rule => matchesRule(rule, { driver, pool, device }))) count++
    }
  return count
}

/** Shortens a text to the bytes that a status may have. A character that is cut is left out. */
const errorText = (text: string): string =>
  Buffer.byteLength(text) <= LONGEST_ERROR_BYTES
    ? text
    : Buffer.from(text)
        .subarray(0, LONGEST_ERROR_BYTES)
        .toString()
        .replace(/\uFFFD$/, '')
