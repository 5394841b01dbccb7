import { humanDuration } from '../lib/human-duration.ts'

/** Metadata that the pages use. */
export interface ObjectMeta {
  readonly name: string
  /** Omitted for cluster-scoped objects. */
  readonly namespace?: string
  readonly uid?: string
  readonly resourceVersion?: string
  /** RFC 3339. */
  readonly creationTimestamp?: string
  /** RFC 3339. Set if the object waits for its finalizers. */
  readonly deletionTimestamp?: string
  readonly labels?: Readonly<Record<string, string>>
  /** Owners, of which at most one is the controller. */
  readonly ownerReferences?: readonly OwnerReference[]
  /** Field managers and the fields that they own. */
  readonly managedFields?: readonly ManagedFields[]
}

/** Reference to an owner in the same namespace or without one. */
export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  /** UID of the owner. If an object of this name has another UID, the owner is gone. */
  readonly uid: string
  /** Whether the owner manages the object. */
  readonly controller?: boolean
}

/** Fields that a manager has written. */
export interface ManagedFields {
  /** Name of the manager, from the user agent unless the client sets it. */
  readonly manager?: string
  /** `Apply` or `Update`. */
  readonly operation?: string
  /** Omitted for writes of the object itself. */
  readonly subresource?: string
  /** Time of the last change, in RFC 3339. */
  readonly time?: string
  /** Tree with members such as `f:spec` and `k:{"name":"web"}`. */
  readonly fieldsV1?: Json
}

/** A value as JSON.parse returns it: large integers are rounded. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
/** A JSON object. Its members are looked up with `ownMember`. */
export interface JsonObject {
  readonly [member: string]: Json
}

/** An object of any kind. */
export interface AnyObject {
  /** Omitted for items of some lists, as is the kind. */
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: ObjectMeta
}

/** Whether a value is a JSON object, and not an array or null. */
export const isRecord = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)
/** Returns a member that the object itself has, and nothing of its prototype. */
export const ownMember = (value: JsonObject, name: string): Json | undefined => (Object.hasOwn(value, name) ? value[name] : undefined)

/**
 * Prints the time since a timestamp as kubectl prints ages. The clock of the browser may be behind that of the server.
 */
export function age(from: string | undefined, now: number): string {
  const then = Date.parse(from ?? '')
  return Number.isNaN(then) ? '<unknown>' : humanDuration(Math.max(0, now - then))
}
