import type { Container, Pod, ResourceRequirements } from '../../../api/core/v1.types.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { hasFewValues } from '../../../meta/few-values.ts'
import type { ResourceAmounts } from '../../shared/pod-requests.ts'
import { isSidecar } from '../../shared/pods.ts'

/** Why a resize is not carried out now. */
export interface PendingResize {
  readonly reason: 'Infeasible' | 'Deferred'
  readonly message: string
}

/** Resources that a kubelet has allocated to a pod's containers, by name, and to the pod as a whole. */
export interface Allocation {
  readonly containers: ReadonlyMap<string, ResourceRequirements | undefined>
  readonly pod: ResourceRequirements | undefined
}

/** Returns the allocation of a pod that gets what it asks for. */
export const fullAllocation = ({ spec }: Pod): Allocation => ({
  containers: new Map(resizable(spec).map(({ name, resources }) => [name, resources])),
  pod: spec.resources,
})

/**
 * Returns the allocation of a pod whose kubelet was started again: what it asks for, or what its containers have if a
 * resize is pending.
 */
export function recoveredAllocation(pod: Pod): Allocation {
  const { status, spec } = pod
  const isPending =
    (status.conditions?.some(({ type, status: is }) => type === 'PodResizePending' && is === 'True') ?? false) ||
    status.resize === 'Infeasible' ||
    status.resize === 'Deferred'
  if (!isPending) return fullAllocation(pod)
  const statuses = new Map([...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].map(one => [one.name, one]))
  const containers = new Map(
    resizable(spec).map(({ name, resources }) => {
      const present = statuses.get(name)
      return [name, present?.resources ? { ...present.resources, requests: present.allocatedResources ?? {} } : resources]
    }),
  )
  return { containers, pod: status.resources ?? spec.resources }
}

/**
 * Returns `like` if it allocates the same to few containers: equal allocations of thousands of pods then take memory
 * once.
 */
export function shareAllocation(like: Allocation | undefined, allocation: Allocation): Allocation {
  const containers = [...allocation.containers]
  if (like?.containers.size !== containers.length || !hasFewValues(containers)) return allocation
  return deepEqual([...like.containers], containers) && deepEqual(like.pod, allocation.pod) ? like : allocation
}

/** Returns a pod with the resources that are allocated to it in place of those that it asks for. */
export function allocatedPod(pod: Pod, allocation: Allocation): Pod {
  if (isAllocated(pod, allocation)) return pod
  const allocated = (container: Container): Container =>
    allocation.containers.has(container.name) ? withResources(container, allocation.containers.get(container.name)) : container
  const { containers, initContainers } = pod.spec
  return {
    ...pod,
    spec: {
      ...withResources(pod.spec, allocation.pod),
      containers: (containers ?? []).map(allocated),
      ...(initContainers && { initContainers: initContainers.map(allocated) }),
    },
  }
}

/** Reports whether a pod asks for what is allocated to it. */
export const isAllocated = ({ spec }: Pod, { containers, pod }: Allocation): boolean =>
  isSameSize(spec.resources, pod) && resizable(spec).every(({ name, resources }) => isSameSize(resources, containers.get(name)))

/**
 * Returns why a node can never carry out a resize: it is larger than the node. Source: canResizePod of
 * pkg/kubelet/kubelet.go.
 * @param requests what the pod asks for
 */
export function infeasibleMessage(requests: ResourceAmounts, allocatable: ResourceAmounts): string | undefined {
  for (const name of ['memory', 'cpu']) {
    const [requested, capacity] = [requests.get(name) ?? 0, allocatable.get(name) ?? 0]
    if (requested > capacity) return `Node didn't have enough capacity: ${name}, requested: ${requested}, capacity: ${capacity}`
  }
  return undefined
}

/**
 * Returns the message of an event about a resize, with the resources of all containers. Source:
 * pkg/kubelet/events/resize.go.
 * @param prefix such as `Pod resize completed`
 * @param error message of a resize that is pending
 */
export function resizeMessage({ metadata, spec }: Pod, prefix: string, error?: string): string {
  const summary = (containers: readonly Container[] | undefined | null): object[] | undefined =>
    containers && containers.length > 0
      ? containers.map(({ name, resources }) => ({ name, resources: sortedResources(resources) }))
      : undefined
  const details = {
    initContainers: summary(spec.initContainers),
    containers: summary(spec.containers),
    generation: Number(metadata.generation ?? 0),
    error,
  }
  return `${prefix}: ${JSON.stringify(details)}`
}

/**
 * Orders pods with a pending resize: smaller ones first, then by priority, quality of service and age of the resize.
 */
export function compareResizes(a: ResizeRank, b: ResizeRank): number {
  return (
    Number(a.isIncrease) - Number(b.isIncrease) ||
    b.priority - a.priority ||
    Number(b.isGuaranteed) - Number(a.isGuaranteed) ||
    a.since - b.since
  )
}

export interface ResizeRank {
  /** Whether the pod asks for more than it has. */
  readonly isIncrease: boolean
  readonly priority: number
  readonly isGuaranteed: boolean
  /** Number of the resize among those of the node. */
  readonly since: number
}

const resizable = ({ containers, initContainers = [] }: Pod['spec']): Container[] => [
  ...(containers ?? []),
  ...initContainers.filter(isSidecar),
]

/** Sets or removes the resources of a container or pod. */
function withResources<T extends { resources?: ResourceRequirements }>(of: T, resources: ResourceRequirements | undefined): T {
  const { resources: _, ...rest } = of
  return { ...rest, ...(resources && { resources }) } as T
}

const isSameSize = (a: ResourceRequirements | undefined, b: ResourceRequirements | undefined): boolean =>
  a === b || (deepEqual(a?.requests ?? {}, b?.requests ?? {}) && deepEqual(a?.limits ?? {}, b?.limits ?? {}))

/** Resources as Go prints them: keys in order, empty members left out. */
function sortedResources({ limits, requests }: ResourceRequirements = {}): object {
  const sorted = (list: Readonly<Record<string, string>> | undefined): object | undefined =>
    list && Object.keys(list).length > 0 ? Object.fromEntries(Object.entries(list).sort(([a], [b]) => (a < b ? -1 : 1))) : undefined
  return { limits: sorted(limits), requests: sorted(requests) }
}
