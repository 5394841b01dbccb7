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

/** Prints the time since a timestamp as kubectl prints ages. */
export function age(from: string | undefined, now: number): string {
  const then = Date.parse(from ?? '')
  if (Number.isNaN(then)) return '<unknown>'
  const seconds = Math.max(0, Math.floor((now - then) / 1000))
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 10) return two(minutes, 'm', seconds % 60, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.floor(hours / 24)
  if (days < 8) return two(days, 'd', hours % 24, 'h')
  if (days < 730) return `${days}d`
  const years = Math.floor(days / 365)
  return years < 8 ? two(years, 'y', days % 365, 'd') : `${years}y`
}

const two = (big: number, bigUnit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${big}${bigUnit}` : `${big}${bigUnit}${small}${smallUnit}`
