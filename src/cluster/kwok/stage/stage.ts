import type { Json } from '../../../api/meta/object.ts'
import type { Template } from '../template/template.ts'

/** Object that a stage looks at, with what its expressions need. */
export interface StageSubject {
  /** The object. Queries and templates see it as JSON. */
  readonly object: Json
  /** Empty if the object has none. */
  readonly labels: Readonly<Record<string, string>>
  /** Empty if the object has none. */
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
  /** Template of the body, in YAML or JSON. */
  readonly template: Template
  /** Omitted for the default of the kind. */
  readonly type?: PatchMediaType
  /** Empty for the object itself. */
  readonly subresource: string
  /** User that makes the request. Omitted for the simulator's own. */
  readonly impersonation?: string
}

/** A patch of the object itself. */
export interface StagePatch extends StageWrite {
  /** Member of the object that the template renders. Empty for the whole object. */
  readonly root: string
}

/** An event about the object. */
export interface StageEvent {
  /** `Normal` or `Warning`. */
  readonly type: string
  /** Reason in CamelCase, which is not rendered. */
  readonly reason: string
  /** Text, which is not rendered. */
  readonly message: string
}

/** Changes of metadata.finalizers. They are one JSON patch. */
export interface StageFinalizers {
  /** Finalizers to add, unless the object has them. */
  readonly add: readonly string[]
  readonly remove: readonly string[]
  /** Whether all other finalizers are removed. */
  readonly empty: boolean
}

/** One step of a stage. Its parts are carried out in the order of these members. */
export interface StageStep {
  /** Omitted if the step sends no event. */
  readonly event?: StageEvent
  /** Omitted if the step does not change finalizers. */
  readonly finalizers?: StageFinalizers
  /** Whether the object is deleted. Further steps can only send events then. */
  readonly delete: boolean
  /** Omitted if the step does not change the object. */
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
  /** Share of the stage among those that match at the same time. One of them is chosen at random. */
  readonly weight: StageNumber
  /** Milliseconds before the stage is applied. Omitted if it is applied at once. */
  readonly delay?: StageNumber
  /** Milliseconds up to which the delay is extended at random. */
  readonly jitter?: StageNumber
  /** Steps in order. Each sees the object as it was before the first. */
  readonly steps: readonly StageStep[]
  /** Whether the next stage is chosen from the response of the last patch, without waiting for the watch. */
  readonly immediateNextStage: boolean
}
