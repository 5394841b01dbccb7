/**
 * A value of the JSON data model. Integers beyond 2^53 are bigint, never rounded. Types of API objects are written as type aliases, not as interfaces: an alias is assignable to JsonObject without an
 * assertion, an interface never is.
 */
export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

export const isJsonObject = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A value that is an object, or one without members: for reading members of what may be absent. */
export const objectIn = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {})

export type OwnerReference = {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
  blockOwnerDeletion?: boolean
}

/** https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management */
export type ManagedFieldsEntry = {
  manager?: string
  operation?: 'Apply' | 'Update'
  apiVersion?: string
  time?: string
  fieldsType?: string
  fieldsV1?: JsonObject
  subresource?: string
}

/** metav1.ObjectMeta. Times are RFC 3339 with whole seconds, in UTC. */
export type ObjectMeta = {
  name?: string
  generateName?: string
  namespace?: string
  uid?: string
  /** Set when an object is read from storage; never stored. */
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string | null
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
  labels?: Record<string, string>
  annotations?: Record<string, string>
  ownerReferences?: OwnerReference[]
  finalizers?: string[]
  managedFields?: ManagedFieldsEntry[]
}

/** What every API object has. */
export type TypedObject = {
  kind: string
  apiVersion: string
  metadata: ObjectMeta
}

/** An API object of a kind that nobody knows here. Hooks of a kind are written against its own type, which is generated from its declaration (`*.types`). */
export interface KubeObject extends TypedObject {
  [field: string]: Json
}

/**
 * What a schema has decoded as an object of the API: its metadata is an ObjectMeta then. TypeScript can't see that in a schema, so this is the one place that takes its word for objects of
 * any kind (`asKind` of the catalog does for those of one). The same object, not a copy. The other way round nothing is needed: an object of the API is a JsonObject.
 */
export const decodedObject = (members: JsonObject): KubeObject => members as KubeObject

/** An object inside of another, which need not say what it is. */
export type Embedded<T extends TypedObject> = Omit<T, 'kind' | 'apiVersion'> & Partial<Pick<T, 'kind' | 'apiVersion'>>

/** Go's int64: a bigint beyond 2^53. Compare it as it is; where it is counted with, say what becomes of a bigint. */
export type Int64 = number | bigint

/** intstr.IntOrString: `3`, `25%`, `http`. */
export type IntOrString = number | string

/** metav1.Time or MicroTime in RFC 3339; null is Go's zero time. */
export type Time = string | null

/**
 * Stands for any value that an enum does not list: decoding lets every text pass, and validation judges it. It is a literal, so that comparing with a misspelt value, or setting one, does
 * not compile.
 */
export type Unlisted = '<unlisted>'

/** metav1.ListMeta */
export type ListMeta = {
  resourceVersion?: string
  continue?: string
  remainingItemCount?: number
}
