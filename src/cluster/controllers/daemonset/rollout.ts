import type { DaemonSet } from '../../../api/apps/v1.types.ts'
import type { Pod } from '../../../api/core/v1.types.ts'
import { isPodAvailable, isPodTerminating } from '../../shared/pods.ts'
import { scaledValue } from '../../shared/scaled-value.ts'
import type { Placement } from './node-fit.ts'
import type { Changes, PodRules } from './placement.ts'
import { isUpdated, type TemplateIdentity } from './pod.ts'

/** Limits of a rolling update, in pods. */
export interface RolloutLimits {
  readonly maxSurge: number
  readonly maxUnavailable: number
}

/**
 * Resolves the limits for a number of pods. If both are 0, one pod may be unavailable: the update could not proceed
 * otherwise.
 */
export function rolloutLimits({ spec: { updateStrategy } }: Pick<DaemonSet, 'spec'>, desired: number): RolloutLimits {
  const { type, rollingUpdate } = updateStrategy
  const resolve = (value: string | number | undefined): number => (type === 'RollingUpdate' ? scaledValue(value ?? 0, desired, 'up') : 0)
  const maxSurge = resolve(rollingUpdate?.maxSurge)
  const maxUnavailable = resolve(rollingUpdate?.maxUnavailable)
  return { maxSurge, maxUnavailable: desired > 0 && maxSurge === 0 && maxUnavailable === 0 ? 1 : maxUnavailable }
}

/** Whether an update creates the new pod of a node before the old one is deleted. */
export const isSurging = (set: Pick<DaemonSet, 'spec'>): boolean => rolloutLimits(set, 1).maxSurge > 0

/** The pods of a node by template. Undefined if there is more than one of either: the surplus is deleted first. */
interface NodePods {
  readonly newPod: Pod | undefined
  readonly oldPod: Pod | undefined
}

const NO_PODS: NodePods = { newPod: undefined, oldPod: undefined }

function podsOnNode(pods: readonly Pod[], template: TemplateIdentity): NodePods | undefined {
  let [newPod, oldPod]: (Pod | undefined)[] = []
  for (const pod of pods) {
    if (isPodTerminating(pod)) continue
    if (isUpdated(pod, template)) {
      if (newPod) return undefined
      newPod = pod
    } else {
      if (oldPod) return undefined
      oldPod = pod
    }
  }
  return { newPod, oldPod }
}

/** Nodes that have pods, and those that should have one. */
function* nodesToUpdate(
  { nodes, pods }: Placement,
  template: TemplateIdentity,
): Generator<{ readonly node: string; readonly found: NodePods | undefined }> {
  for (const [node, group] of pods) yield { node, found: podsOnNode(group, template) }
  for (const [node, { shouldRun }] of nodes) if (shouldRun && !pods.has(node)) yield { node, found: podsOnNode([], template) }
}

/** Decides one step of a rolling update. */
export function rolloutStep(set: Pick<DaemonSet, 'spec'>, placement: Placement, rules: PodRules): Changes {
  let desired = 0
  for (const { shouldRun } of placement.nodes.values()) if (shouldRun) desired++
  const { maxSurge, maxUnavailable } = rolloutLimits(set, desired)
  return maxSurge === 0 ? replaceStep(placement, maxUnavailable, rules) : surgeStep(placement, maxSurge, desired, rules)
}

/**
 * Deletes old pods: all that are unavailable, and as many others as may become unavailable. Their nodes get new pods
 * once they are gone.
 */
function replaceStep(placement: Placement, maxUnavailable: number, rules: PodRules): Changes {
  let unavailable = 0
  const down: Pod[] = []
  const candidates: Pod[] = []
  const isAvailable = (pod: Pod): boolean => isPodAvailable(pod, rules.minReadySeconds, rules.now)
  for (const { found } of nodesToUpdate(placement, rules)) {
    const { newPod, oldPod } = found ?? NO_PODS
    if (oldPod && !newPod) {
      if (isAvailable(oldPod)) candidates.push(oldPod)
      else {
        down.push(oldPod)
        unavailable++
      }
    } else if (oldPod || !newPod || !isAvailable(newPod)) unavailable++
  }
  return { nodes: [], victims: [...down, ...candidates.slice(0, Math.max(0, maxUnavailable - unavailable))] }
}

/**
 * Creates new pods beside old ones: on all nodes whose old pod is unavailable, and on as many others as the surge
 * allows. Deletes old pods whose successor is available. An available old pod on a node that should no longer run one
 * is deleted only while enough others are available.
 */
function surgeStep(placement: Placement, maxSurge: number, desired: number, rules: PodRules): Changes {
  const isAvailable = (pod: Pod): boolean => isPodAvailable(pod, rules.minReadySeconds, rules.now)
  let [surge, available] = [0, 0]
  const victims: Pod[] = []
  const misplaced: Pod[] = []
  const needed: string[] = []
  const candidates: string[] = []
  for (const { node, found } of nodesToUpdate(placement, rules)) {
    if (!found) {
      surge++
      continue
    }
    const { newPod, oldPod } = found
    const counted = oldPod ?? newPod
    if (counted && isAvailable(counted)) available++
    if (!oldPod) continue
    if (newPod) {
      if (isAvailable(newPod)) victims.push(oldPod)
      else surge++
    } else if (placement.nodes.get(node)?.shouldRun !== true) (isAvailable(oldPod) ? misplaced : victims).push(oldPod)
    else (isAvailable(oldPod) ? candidates : needed).push(node)
  }
  return {
    nodes: [...needed, ...candidates.slice(0, Math.max(0, maxSurge - surge))],
    victims: [...victims, ...misplaced.slice(0, Math.max(0, available - desired))],
  }
}
