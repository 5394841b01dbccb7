import type { TypedObject } from '../../api/meta/object.ts'
import type { DeviceTaintRule } from '../../api/resource/v1alpha3.types.ts'
import type { ResourceKind } from '../../clients/api-client.ts'
import { isSince } from '../../lifecycle/release.ts'
import { apiVersionOf } from '../../meta/gvk.ts'
import type { ClusterEnvironment } from '../shared/environment.ts'
import { firstServed } from '../shared/first-served.ts'
import { compositeKindOf, groupKindOf } from '../shared/group-kinds.ts'
import { DEVICE_TAINT_RULES } from '../shared/kinds.ts'
import { deviceKindsIfServed } from '../shared/served-device-kinds.ts'
import type { ClusterEvent } from './cluster-events.ts'
import { deviceEventKinds, EVENT_KINDS, groupEventKind } from './object-kinds.ts'

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
  return [...EVENT_KINDS, ...(devices ? deviceEventKinds(devices, taintRules) : []), ...groups.map(groupEventKind)]
}

/** Returns the kind of rules that taint devices. Undefined if they have no effect, or are not served. */
async function servedTaintRules(env: ClusterEnvironment, signal: AbortSignal): Promise<ResourceKind<DeviceTaintRule> | undefined> {
  const { features } = env
  const isOn = features.enabled('DRADeviceTaints') && (!isSince(features.release, '1.35') || features.enabled('DRADeviceTaintRules'))
  return isOn ? firstServed(env, DEVICE_TAINT_RULES, signal) : undefined
}

/** Returns the kinds that describe groups. Empty if groups are not scheduled, or not served. */
async function servedGroups(env: ClusterEnvironment, signal: AbortSignal): Promise<readonly ResourceKind<TypedObject>[]> {
  const served: ResourceKind<TypedObject>[] = []
  const kinds = [groupKindOf(env.features), compositeKindOf(env.features)].filter(kind => kind !== undefined)
  for (const kind of kinds as readonly ResourceKind<TypedObject>[]) {
    if (await firstServed(env, [kind], signal)) served.push(kind)
    else if (!signal.aborted)
      env.logger.warn('pods of groups are not scheduled: the API of groups is not served', {
        version: apiVersionOf(kind),
        resource: kind.resource,
      })
  }
  return served
}
