import type { ResourceId } from '../catalog/definition.ts'

/** Objects of one resource that are there after their deletion. */
export interface Remaining {
  readonly id: ResourceId
  readonly count: number
  /** Of each object. */
  readonly finalizers: readonly string[]
}

/** What a pass over the objects of one resource leaves. */
export interface ResourceLeft extends Remaining {
  /** Why they could not be deleted. */
  readonly error?: string
}
