import type { Json } from '../../../api/meta/object.ts'
import type { Template } from '../template/template.ts'

/** Object that a stage looks at, with what its expressions need. */
export interface StageSubject {
  readonly object: Json
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  /** Current time in milliseconds. */
  readonly now: number
}

/** Reports whether an object meets a requirement. Throws if an expression of CEL fails, or takes too long. */
export type StageRequirement = (subject: StageSubject) => boolean

/** Returns a number for an object. Undefined if an expression has an invalid value. Throws if an expression fails. */
export type StageNumber = (subject: StageSubject) => number | undefined

/** Media type of a patch. */
export type PatchMediaType =
  | 'application/json-patch+json'
  | 'application/merge-patch+json'
  | 'application/strategic-merge-patch+json'
  | 'application/apply-patch+yaml'

/** A template with the way in which its result is written. */
export interface StageWrite {
  readonly template: Template
  /** Omitted for the default of the kind. */
  readonly type?: PatchMediaType
  /** Empty for the object itself. */
  readonly subresource: string
  /** User that makes the request. Omitted for the simulator's own. */
  readonly impersonation?: string
}

export interface StagePatch extends StageWrite {
  /** Member of the object that the template renders. Empty for the whole object. */
  readonly root: string
}

export interface StageEvent {
  readonly type: string
  readonly reason: string
  readonly message: string
}

export interface StageFinalizers {
  readonly add: readonly string[]
  readonly remove: readonly string[]
  readonly empty: boolean
}

/** One step of a stage. Its parts are carried out in the order of these members. */
export interface StageStep {
  readonly event?: StageEvent
  readonly finalizers?: StageFinalizers
  readonly delete: boolean
  readonly patch?: StagePatch
  /** Another object, which is created or patched. */
  readonly apply?: StageWrite
}

/** A Stage, compiled: a change that the simulator makes to objects of a kind. Source: kwok.x-k8s.io/v1alpha1. */
export interface Stage {
  readonly name: string
  /** Group and version of the objects: `v1`, `apps/v1`. */
  readonly apiVersion: string
  readonly kind: string
  /** All must be met. Undefined if the stage has no selector, and matches nothing. */
  readonly requirements: readonly StageRequirement[] | undefined
  readonly weight: StageNumber
  /** Milliseconds before the stage is applied. Omitted if it is applied at once. */
  readonly delay?: StageNumber
  /** Milliseconds up to which the delay is extended at random. */
  readonly jitter?: StageNumber
  readonly steps: readonly StageStep[]
  /** Whether the next stage is chosen from the response of the last patch, without waiting for the watch. */
  readonly immediateNextStage: boolean
}
