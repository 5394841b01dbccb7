import type { ResourceAmounts } from './pod-requests.ts'

/** Resources of a node, and the part of them that its pods use. */
export interface NodeRoom {
  /** Number of pods. */
  readonly pods: number
  /** Sum of the pods' requests. */
  readonly used: ResourceAmounts
  /** Amounts of the node's status, `pods` included. */
  readonly allocatable: ResourceAmounts
}

/** A resource that a node lacks. Amounts are in the units of `ResourceAmounts`. */
export interface Insufficient {
  /** Name as in the pod's requests. */
  readonly resourceName: string
  /** Amount that the pod requests. */
  readonly requested: number
  /** Amount that the pods of the node request. */
  readonly used: number
  /** Allocatable amount, whose name in messages is capacity. */
  readonly capacity: number
}

/** Resources that a node's allocatable amounts name first. */
const FIRST: readonly string[] = ['cpu', 'memory', 'ephemeral-storage']

/**
 * Returns the resources that a node lacks for a pod: pods, cpu, memory, ephemeral storage, then others by name. Source:
 * fitsRequest of pkg/scheduler/framework/plugins/noderesources/fit.go.
 * @param requests requests of the pod
 * @param counts whether a resource decides
 */
export function lackingResources(
  requests: ResourceAmounts,
  { pods, used: usedBy, allocatable }: NodeRoom,
  counts: (name: string) => boolean,
): Insufficient[] {
  const lacking: Insufficient[] = []
  const most = allocatable.get('pods') ?? 0
  if (pods + 1 > most) lacking.push({ resourceName: 'pods', requested: 1, used: pods, capacity: most })
  const others = [...requests.keys()].filter(name => name !== 'pods' && !FIRST.includes(name)).sort()
  for (const name of [...FIRST, ...others]) {
    const requested = requests.get(name) ?? 0
    if (requested === 0 || !counts(name)) continue
    const used = usedBy.get(name) ?? 0
    const capacity = allocatable.get(name) ?? 0
    if (requested > capacity - used) lacking.push({ resourceName: name, requested, used, capacity })
  }
  return lacking
}
