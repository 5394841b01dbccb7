import type { GateName } from '../../lifecycle/feature-gates.ts'
import { isSince, type Release } from '../../lifecycle/release.ts'
import { deviceKinds } from '../shared/device-kinds.ts'
import type { Plugin } from './framework.ts'
import { type DynamicResourcesArgs, dynamicResources } from './plugins/dynamic-resources.ts'
import { gangScheduling } from './plugins/gang-scheduling.ts'
import { imageLocality } from './plugins/image-locality.ts'
import { type InterPodAffinityArgs, interPodAffinity } from './plugins/inter-pod-affinity.ts'
import { type NodeAffinityArgs, nodeAffinity } from './plugins/node-affinity.ts'
import { nodeDeclaredFeatures } from './plugins/node-declared-features.ts'
import { nodeName } from './plugins/node-name.ts'
import { nodePorts } from './plugins/node-ports.ts'
import { type BalancedAllocationArgs, balancedAllocation } from './plugins/node-resources-balanced-allocation.ts'
import { type FitArgs, nodeResourcesFit } from './plugins/node-resources-fit.ts'
import { nodeUnschedulable } from './plugins/node-unschedulable.ts'
import { nodeVolumeLimits } from './plugins/node-volume-limits.ts'
import { type PodTopologySpreadArgs, podTopologySpread } from './plugins/pod-topology-spread.ts'
import { schedulingGates } from './plugins/scheduling-gates.ts'
import { taintToleration } from './plugins/taint-toleration.ts'
import { type VolumeBindingArgs, volumeBinding } from './plugins/volume-binding.ts'
import { volumeRestrictions } from './plugins/volume-restrictions.ts'
import { volumeZone } from './plugins/volume-zone.ts'
import type { EnabledPlugin, PreemptionArgs } from './profile.ts'

/** Arguments of plugins, by name. */
export interface PluginArgs {
  /** Arguments of preemption, which is not among `defaultPlugins`. */
  readonly DefaultPreemption?: PreemptionArgs
  readonly DynamicResources?: DynamicResourcesArgs
  readonly InterPodAffinity?: InterPodAffinityArgs
  readonly NodeAffinity?: NodeAffinityArgs
  readonly NodeResourcesBalancedAllocation?: BalancedAllocationArgs
  readonly NodeResourcesFit?: FitArgs
  readonly PodTopologySpread?: PodTopologySpreadArgs
  readonly VolumeBinding?: VolumeBindingArgs
}

/** Reports whether a feature gate is on. */
type GateReader = (gate: GateName) => boolean

/** Default plugins in their order. Source: getDefaultPlugins of pkg/scheduler/apis/config/v1. */
export const defaultPlugins = (args: PluginArgs, release: Release, enabled: GateReader): EnabledPlugin[] => {
  const plugin = (one: Plugin, weight = 1): EnabledPlugin => ({ plugin: one, weight })
  const devices = enabled('DynamicResourceAllocation') ? deviceKinds(release) : undefined
  return [
    plugin(schedulingGates),
    plugin(nodeUnschedulable),
    plugin(nodeName),
    plugin(taintToleration(release), 3),
    plugin(nodeAffinity(args.NodeAffinity), 2),
    plugin(nodePorts),
    plugin(nodeResourcesFit(args.NodeResourcesFit ?? {}, release, devices !== undefined && enabled('DRAExtendedResource'))),
    plugin(volumeRestrictions(release)),
    plugin(nodeVolumeLimits(enabled('VolumeLimitScaling'))),
    plugin(volumeBinding(args.VolumeBinding ?? {}, release, enabled)),
    plugin(volumeZone),
    plugin(podTopologySpread(args.PodTopologySpread), 2),
    plugin(interPodAffinity(args.InterPodAffinity), 2),
    ...(devices ? [plugin(dynamicResources(release, enabled, devices, args.DynamicResources), isSince(release, '1.36') ? 2 : 1)] : []),
    plugin(balancedAllocation(args.NodeResourcesBalancedAllocation)),
    plugin(imageLocality(release)),
    ...(enabled('NodeDeclaredFeatures') ? [plugin(nodeDeclaredFeatures)] : []),
    ...(schedulesGangs(release, enabled) ? [plugin(gangScheduling)] : []),
  ]
}

/** Reports whether gangs of pods are scheduled. From 1.37 on, groups do not have a gate for gangs of their own. */
const schedulesGangs = (release: Release, enabled: GateReader): boolean =>
  enabled('GenericWorkload') && (isSince(release, '1.37') || enabled('GangScheduling'))

/** Name of the profile that pods without a `schedulerName` have. */
export const DEFAULT_SCHEDULER = 'default-scheduler'
