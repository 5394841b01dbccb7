import type { KubeObject, TypedObject } from '../api/meta/object.ts'
import type { Steps } from '../lib/steps.ts'
import type { Features } from '../lifecycle/gates.ts'
import type { Release } from '../lifecycle/release.ts'
import type { RequestContext } from '../meta/context.ts'
import type { FieldError } from '../meta/field-error.ts'
import type { DeclaredObserver } from '../schema/declared-rules.ts'
import type { ResourceAccess } from './resource-access.ts'

/** Context of hooks. Hooks are pure, except for `begin` and those that check authorization. */
export interface HookContext {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Context of the client's request. Unset for writes by controllers. */
  readonly request?: RequestContext
  /** Name of the subresource that is written. Empty for the object itself. */
  readonly subresource: string
  /** Release and feature gates of the server. */
  readonly features: Features
  /** Access to other objects with the permissions of the server itself. */
  readonly access: () => ResourceAccess
  /** Receives differences between declared rules and `validate`, and failures of declared rules. */
  readonly declared: DeclaredObserver
}

/**
 * Behaviour of a kind. Every hook is optional, and gets decoded and defaulted objects in the hub version. A hook that
 * changes an object owns it; `old` is shared with readers and must not be changed.
 */
export interface Strategy<T extends TypedObject = KubeObject> {
  /** PUT on a name that does not exist creates the object (Lease, Endpoints, Event …). Defaults to false. */
  readonly allowCreateOnUpdate?: boolean
  /** PUT without a resourceVersion overwrites the object. Defaults to true. */
  readonly allowUnconditionalUpdate?: boolean
  /**
   * Throws a StatusError if the user may not write this object, although the request is authorized. Runs after mutating
   * admission and before `prepare`.
   */
  readonly authorize?: (next: T, old: T | undefined, ctx: HookContext) => Promise<void>
  /**
   * Sets fields that the server controls: clears the status on create, keeps it on update, increments the generation
   * and so on. `old` is undefined on create.
   */
  readonly prepare?: (next: T, old: T | undefined, ctx: HookContext) => void | Steps<void>
  /**
   * Returns the errors of the kind and apiVersion that an object claims, in its claimed kind. Throws a StatusError if
   * it claims none. Runs before `prepare`. If there are errors, the rest of the metadata and the schema are not
   * validated. Omitted if objects always have the kind's type.
   */
  readonly typeErrors?: (next: T) => FieldError[]
  /**
   * Returns all errors of upstream's validation, in its order, and in steps if validating one object may take long. The
   * registry validates ObjectMeta with `validateName`.
   */
  readonly validate?: (next: T, old: T | undefined, ctx: HookContext) => FieldError[] | Steps<FieldError[]>
  /** Throws a StatusError if the object may not be deleted. Runs before preconditions and admission. */
  readonly validateDelete?: (old: T) => void
  /**
   * Returns the errors of schemas and CEL rules, which may take many turns. Runs after `validate`, whose errors it
   * gets.
   */
  readonly evaluate?: (next: T, old: T | undefined, ctx: HookContext, errors: readonly FieldError[]) => Promise<FieldError[]>
  /**
   * Whether declarative validation of the type runs before 1.37, which validates every type. Defaults to true, except
   * for subresources.
   */
  readonly declaredRules?: boolean
  /**
   * Further validations of metadata by the kind's own update validation, in its order, after that of the registry:
   * `whole` like a create, `change` like an update. Each repeats the errors. Defaults to `change` once.
   */
  readonly metaRounds?: readonly ('whole' | 'change')[]
  /**
   * Whether finalizers need no domain: the kind validates metadata by the generic rules, not by those of the core
   * group.
   */
  readonly plainFinalizers?: boolean
  /** Whether the metadata of a new object is validated only if the kind's own rules find no errors. */
  readonly judgesMetaLast?: boolean
  /** Returns the errors in a name. Defaults to the rules of a DNS subdomain. `prefix` is set for a generateName. */
  readonly validateName?: (name: string, prefix: boolean, features: Features) => string[]
  /** Normalizes the object after validation, before it is compared with the stored one and returned. */
  readonly canonicalize?: (next: T) => void
  /**
   * Sets the defaults that decoding would add to the stored object, in a dry run. Runs after validating admission,
   * which gets the object without them.
   */
  readonly defaultStored?: (next: T) => Steps<void> | undefined
  /** Returns texts that are sent as `Warning` headers. Runs only if validation has found no errors. */
  readonly warnings?: (next: T, old: T | undefined, ctx: HookContext) => string[] | Steps<string[]>
  /**
   * Reserves values that are stored under other keys. Called before the write; the reservation is committed after the
   * write has succeeded, and rolled back if it fails, is retried or is a dry run. May change `next`.
   */
  readonly begin?: (next: T | undefined, old: T | undefined, ctx: HookContext, api: ResourceAccess, dryRun: boolean) => Promise<Reservation>
  /** Lifetime of a new object in seconds, by an etcd lease (events). */
  readonly ttlSeconds?: (object: T) => number | undefined
  /**
   * Grace period of a deletion in seconds, for another program to finish (pods on a node); 0 to delete the object in a
   * second write; undefined if the kind has no graceful deletion. `requested` is DeleteOptions.gracePeriodSeconds.
   */
  readonly gracePeriod?: (object: T, requested: number | undefined, ctx: HookContext) => number | undefined
  /** Reports whether an object without finalizers must be kept (namespaces: spec.finalizers). */
  readonly holdsDeletion?: (object: T) => boolean
  /** Marks an object whose deletion has begun (namespaces: phase Terminating). */
  readonly markDeleting?: (object: T) => void
  /** Whether DELETE returns the deleted object instead of a Status (services, pods, claims …). */
  readonly returnsDeleted?: boolean
  /**
   * Propagation policy of a DELETE without one. Defaults to `background`. `none`: the policy of the request is ignored.
   */
  readonly defaultPropagation?: 'orphan' | 'background' | 'none'
  /** Whether the kind checks the preconditions of a DELETE itself, with the messages of storage. */
  readonly ownPreconditions?: boolean
  /** Warning for a DELETE without a propagation policy, for kinds that orphan dependents by default. */
  readonly orphanWarning?: string
  /** Paths that writes to this resource or subresource do not own: `[['status']]`. */
  readonly resetFields?: readonly (readonly string[])[]
  /**
   * Replaces `resetFields` if releases differ. `inAllVersions`: writes of a custom kind do not own the paths in other
   * versions either.
   */
  readonly resetFieldsIn?: (release: Release) => { readonly fields: readonly (readonly string[])[]; readonly inAllVersions?: boolean }
}

/** Values that a write has reserved elsewhere. Committed after the write, or rolled back. */
export interface Reservation {
  /** Makes the reserved values permanent. */
  commit(): Promise<void>
  /** Releases the reserved values. */
  rollback(): Promise<void>
}
