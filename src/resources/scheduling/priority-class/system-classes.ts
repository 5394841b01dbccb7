/** Prefix that is reserved for system classes. */
export const SYSTEM_PREFIX = 'system-'

/** A class that the server creates and that cannot be deleted. */
export interface SystemPriorityClass {
  readonly name: string
  readonly value: number
  readonly description: string
}

/** Classes of every cluster, as kube-apiserver creates them. */
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

/** Returns a system class, or undefined for any other name. */
export const systemPriorityClass = (name: string): SystemPriorityClass | undefined => SYSTEM_PRIORITY_CLASSES.find(one => one.name === name)
