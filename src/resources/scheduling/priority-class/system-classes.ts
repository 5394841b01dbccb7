/** Names with this prefix are the system's. */
export const SYSTEM_PREFIX = 'system-'

/** A class that the server creates and nobody may delete. */
export interface SystemPriorityClass {
  readonly name: string
  readonly value: number
  readonly description: string
}

/** The classes that every cluster has, as kube-apiserver makes them. */
export const SYSTEM_PRIORITY_CLASSES: readonly SystemPriorityClass[] = [
  {
    name: 'system-node-critical',
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
  {
    name: 'system-cluster-critical',
    value: 2_000_000_000,
    description: 'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
]

/** Undefined for a class of the cluster's own. */
export const systemPriorityClass = (name: string): SystemPriorityClass | undefined => SYSTEM_PRIORITY_CLASSES.find(one => one.name === name)
