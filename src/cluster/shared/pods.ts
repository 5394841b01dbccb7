import type { Container, ContainerStatus, Pod, PodCondition, PodSpec } from '../../api/core/v1.types.ts'
import type { Features } from '../../lifecycle/gates.ts'
import { formatTime, timeMillis } from '../../meta/time.ts'
import type { Informer } from './informer.ts'

/** Returns a condition of a pod. */
export const podCondition = (pod: Pod, type: string): PodCondition | undefined =>
  pod.status.conditions?.find(condition => condition.type === type)

export const isPodReady = (pod: Pod): boolean => podCondition(pod, 'Ready')?.status === 'True'

/** Whether all containers of a pod have ended, so that it never runs again. */
export const isPodTerminal = ({ status: { phase } }: Pod): boolean => isTerminalPhase(phase)

/** Whether a phase of pods is final. */
export const isTerminalPhase = (phase: string | undefined): boolean => phase === 'Succeeded' || phase === 'Failed'

export const isPodTerminating = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined

/**
 * Whether a pod no longer uses its volumes: it has ended, or it is being deleted and no container runs. Source:
 * IsPodTerminated of pkg/volume/util.
 */
export const isPodStopped = (pod: Pod): boolean =>
  isPodTerminal(pod) ||
  (isPodTerminating(pod) && (pod.status.containerStatuses ?? []).every(({ state }) => state?.terminated ?? state?.waiting))

/** Whether a pod runs or may run: it has neither ended nor been deleted. */
export const isPodActive = (pod: Pod): boolean => !isPodTerminal(pod) && !isPodTerminating(pod)

/** Milliseconds since the epoch at which a pod became ready. Undefined if it is not ready. */
export function readySince(pod: Pod): number | undefined {
  const ready = podCondition(pod, 'Ready')
  return ready?.status === 'True' ? (timeMillis(ready.lastTransitionTime) ?? 0) : undefined
}

/** Whether a pod has been ready for at least `minReadySeconds`. */
export function isPodAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  if (minReadySeconds === 0) return isPodReady(pod)
  const since = readySince(pod)
  return since !== undefined && since > 0 && since + minReadySeconds * 1000 <= now
}

/** Milliseconds until a ready pod becomes available. Undefined if it is available, or not ready. */
export function untilAvailable(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  const since = readySince(pod)
  if (since === undefined || isPodAvailable(pod, minReadySeconds, now)) return undefined
  return since + minReadySeconds * 1000 - now
}

/** Priority of a pod. A pod without one has 0. */
export const podPriority = ({ spec }: Pod): number => spec.priority ?? 0

/** Condition of a pod that is about to be deleted on behalf of the cluster. */
export const disruptionTarget = (reason: string, message: string, now: number): PodCondition => ({
  type: 'DisruptionTarget',
  status: 'True',
  lastProbeTime: null,
  lastTransitionTime: formatTime(now),
  reason,
  message,
})

/**
 * Returns a condition with the generation of its pod, if the gate PodObservedGenerationTracking is on or the pod's
 * condition has one already. Source: CalculatePodConditionObservedGeneration of pkg/api/v1/pod.
 */
export function withGeneration<C extends Pick<PodCondition, 'type'>>(condition: C, pod: Pod, features: Pick<Features, 'enabled'>): C {
  const { generation } = pod.metadata
  const isTracked = features.enabled('PodObservedGenerationTracking') || Boolean(podCondition(pod, condition.type)?.observedGeneration)
  return isTracked && generation !== undefined ? { ...condition, observedGeneration: generation } : condition
}

/** Whether an init container is a sidecar, which runs as long as the pod. */
export const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === 'Always'

/** Returns the containers that run as long as the pod: its own, then its sidecars. */
export const lastingContainers = ({ containers, initContainers = [] }: PodSpec): Container[] => [
  ...(containers ?? []),
  ...initContainers.filter(isSidecar),
]

const BY_NODE = 'node'

/** Indexes pods by their node. Returns a function that lists the pods of a node by its name. */
export function podsByNode(pods: Informer<Pod>): (node: string) => readonly Pod[] {
  pods.addIndex(BY_NODE, ({ spec: { nodeName } }) => (nodeName ? [nodeName] : []))
  return node => pods.store.by(BY_NODE, node)
}

/** Largest numbers of restarts of a container of a pod. */
export interface PodRestarts {
  /** Init containers do not count. */
  readonly containers: number
  readonly sidecars: number
}

export function restartsOf({ spec, status }: Pod): PodRestarts {
  const sidecars = new Set((spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name))
  const most = (statuses: readonly ContainerStatus[]): number => Math.max(0, ...statuses.map(({ restartCount }) => restartCount))
  return {
    containers: most(status.containerStatuses ?? []),
    sidecars: sidecars.size === 0 ? 0 : most((status.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name))),
  }
}

/** Orders more restarts first. Those of sidecars decide between equal ones of other containers. */
export const compareRestarts = (a: PodRestarts, b: PodRestarts): number => b.containers - a.containers || b.sidecars - a.sidecars
