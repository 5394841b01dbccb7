import { humanDuration } from '../lib/human-duration.ts'

/** Metadata that the pages use. */
export interface ObjectMeta {
  readonly name: string
  readonly namespace?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly ownerReferences?: readonly OwnerReference[]
  readonly managedFields?: readonly ManagedFields[]
}

export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
}

export interface ManagedFields {
  readonly manager?: string
  readonly operation?: string
  readonly subresource?: string
  readonly time?: string
  readonly fieldsV1?: Json
}

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [member: string]: Json
}

/** An object of any kind. */
export interface AnyObject {
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
