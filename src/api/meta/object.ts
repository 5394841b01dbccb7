/**
 * A value of the JSON data model. Integers beyond 2^53 are bigint and never rounded. Types of API objects are type
 * aliases, not interfaces: only an alias is assignable to JsonObject without an assertion.
 */
export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json }
/** An object of the JSON data model. */
export type JsonObject = { [key: string]: Json }

/** Reports whether a value is an object, not a list or null. */
export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the value if it is an object, or else an empty object, to read members of what may be absent. */
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

/** metav1.ObjectMeta. Times are RFC 3339 in whole seconds, UTC. */
export type ObjectMeta = {
  name?: string
  generateName?: string
  namespace?: string
  uid?: string
  /** Set when an object is read from storage, and never stored. */
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

/** Members that every API object has. */
export type TypedObject = {
  kind: string
  apiVersion: string
  metadata: ObjectMeta
}

/**
 * An API object whose kind is not known at compile time. Hooks of a kind use its own type, which is generated from its
 * declaration (`*.types`).
 */
export interface KubeObject extends TypedObject {
  [field: string]: Json
}

/**
 * Narrows members that a schema has decoded to an API object, whose metadata is an ObjectMeta then. TypeScript cannot
 * derive this from a schema, so the assertion is here, for objects of any kind (`asKind` of the catalog has that for a
 * known kind). Returns the same object, not a copy. The reverse needs no function: an API object is a JsonObject.
 */
export const decodedObject = (members: JsonObject): KubeObject => members as KubeObject

/** An object nested in another, whose kind and apiVersion may be omitted. */
export type Embedded<T extends TypedObject> = Omit<T, 'kind' | 'apiVersion'> & Partial<Pick<T, 'kind' | 'apiVersion'>>

/** Go's int64: a bigint beyond 2^53. Comparisons work for both; arithmetic has to handle a bigint. */
export type Int64 = number | bigint

/** intstr.IntOrString: `3`, `25%`, `http`. */
export type IntOrString = number | string

/** metav1.Time or MicroTime in RFC 3339. Null is Go's zero time. */
export type Time = string | null

/**
 * Represents any value that an enum does not list. Decoding accepts every string, and validation rejects it later. It
 * is a literal type, so that comparing with or setting a misspelt value does not compile.
 */
export type Unlisted = '<unlisted>'

/** metav1.ListMeta */
export type ListMeta = {
  resourceVersion?: string
  continue?: string
  remainingItemCount?: number
}
