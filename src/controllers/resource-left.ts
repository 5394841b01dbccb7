import type { ResourceId } from '../catalog/resource-access.ts'

/** Objects of one resource that remain after a deletion. */
export interface Remaining {
  readonly id: ResourceId
  readonly count: number
  /** Finalizers of all remaining objects. */
  readonly finalizers: readonly string[]
}

/** Result of deleting the objects of one resource. */
export interface ResourceLeft extends Remaining {
  /** Optional. Error of the deletion. */
  readonly error?: string
}
