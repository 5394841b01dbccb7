import type { TypedObject } from '../../api/meta/object.ts'
import type { DeviceTaintRule } from '../../api/resource/v1alpha3.types.ts'
import type { ResourceKind } from '../../clients/api-client.ts'
import { isSince } from '../../lifecycle/release.ts'
import { apiVersionOf } from '../../meta/gvk.ts'
import type { ClusterEnvironment } from '../shared/environment.ts'
import { firstServed } from '../shared/first-served.ts'
import { type GroupObject, groupKindOf } from '../shared/group-kinds.ts'
import { DEVICE_TAINT_RULES } from '../shared/kinds.ts'
import { deviceKindsIfServed } from '../shared/served-device-kinds.ts'
import { deviceEventKinds, EVENT_KINDS, groupEventKind } from './object-kinds.ts'
import type { ClusterEvent } from './queue.ts'

/**
 * Returns the kinds whose changes may make pods schedulable, with the event of a change, as far as the server serves
 * them. @param usesDevices whether a profile allocates devices
 */
export async function servedEventKinds(
  env: ClusterEnvironment,
  usesDevices: boolean,
  signal: AbortSignal,
): Promise<readonly (readonly [ResourceKind<TypedObject>, ClusterEvent])[]> {
  const devices = usesDevices ? await deviceKindsIfServed(env) : undefined
  const taintRules = devices && (await servedTaintRules(env, signal))
  const groups = await servedGroups(env, signal)
  return [...EVENT_KINDS, ...(devices ? deviceEventKinds(devices, taintRules) : []), ...(groups ? [groupEventKind(groups)] : [])]
}

/** Returns the kind of rules that taint devices. Undefined if they have no effect, or are not served. */
async function servedTaintRules(env: ClusterEnvironment, signal: AbortSignal): Promise<ResourceKind<DeviceTaintRule> | undefined> {
  const { features } = env
  const isOn = features.enabled('DRADeviceTaints') && (!isSince(features.release, '1.35') || features.enabled('DRADeviceTaintRules'))
  return isOn ? firstServed(env, DEVICE_TAINT_RULES, signal) : undefined
}

/** Returns the kind that describes groups. Undefined if groups are not scheduled, or not served. */
async function servedGroups(env: ClusterEnvironment, signal: AbortSignal): Promise<ResourceKind<GroupObject> | undefined> {
  const kind = groupKindOf(env.features)
  if (kind === undefined) return undefined
  const served = await firstServed(env, [kind], signal)
  if (served === undefined && !signal.aborted)
    env.logger.warn('pods of groups are not scheduled: the API of groups is not served', {
      version: apiVersionOf(kind),
      resource: kind.resource,
    })
  return served
}
