import type { StatefulSet } from '../../../api/apps/v1.types.ts'
import type { Pod } from '../../../api/core/v1.types.ts'

/** Ordinals are int32 upstream. */
const LARGEST_ORDINAL = 2 ** 31 - 1

/** Set and ordinal that the name of a pod tells. */
export interface PodIdentity {
  /** Empty if the name has no ordinal. */
  readonly parent: string
  /** -1 if the name has none. */
  readonly ordinal: number
}

/** Reads `SET-ORDINAL`. */
export function identityOfName(name: string): PodIdentity {
  const dash = name.lastIndexOf('-')
  const digits = name.slice(dash + 1)
  if (dash < 0 || !/^[0-9]+$/.test(digits)) return { parent: '', ordinal: -1 }
  const ordinal = Number(digits)
  return { parent: name.slice(0, dash), ordinal: ordinal <= LARGEST_ORDINAL ? ordinal : -1 }
}

/** Ordinal of a pod. -1 if its name has none. */
export const ordinalOf = ({ metadata: { name = '' } }: Pod): number => identityOfName(name).ordinal

/** Whether the name of a pod says that it belongs to the set. */
export const isMemberOf = ({ metadata: { name: setName } }: StatefulSet, { metadata: { name = '' } }: Pod): boolean =>
  identityOfName(name).parent === setName

export const replicasOf = ({ spec: { replicas = 1 } }: StatefulSet): number => replicas

/** Ordinal of the first pod (`spec.ordinals.start`). */
export const startOrdinal = ({ spec: { ordinals } }: StatefulSet): number => ordinals?.start ?? 0

/** Whether an ordinal is one of those that the set should have. */
export const isInRange = (set: StatefulSet, ordinal: number): boolean =>
  ordinal >= startOrdinal(set) && ordinal < startOrdinal(set) + replicasOf(set)

/** Name of the pod with an ordinal. */
export const podName = ({ metadata: { name = '' } }: StatefulSet, ordinal: number): string => `${name}-${ordinal}`
