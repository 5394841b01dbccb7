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

/**
 * metav1.OwnerReference: an object that this one depends on. It is cluster-scoped or in the same namespace. The garbage
 * collector deletes an object when its last owner is gone.
 * https://kubernetes.io/docs/concepts/architecture/garbage-collection/
 */
export type OwnerReference = {
  /** Group and version of the owner. The version need not be the stored one. */
  apiVersion: string
  kind: string
  name: string
  /** UID of the owner. An object that was created again under the same name is not the owner. */
  uid: string
  /** Whether the owner is the controller of the object. An object has at most one controller. */
  controller?: boolean
  /** Whether a deletion of the owner in the foreground waits for this object. */
  blockOwnerDeletion?: boolean
}

/** https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management */
export type ManagedFieldsEntry = {
  /** Field manager of the write. A manager has one entry for each operation, apiVersion and subresource. */
  manager?: string
  /** Operations have separate entries, even of the same manager. */
  operation?: 'Apply' | 'Update'
  /** Version in which `fieldsV1` names fields. */
  apiVersion?: string
  /** Time at which the set of fields last changed, in RFC 3339. */
  time?: string
  /** `FieldsV1`, which is the only format. */
  fieldsType?: string
  /** Set of fields as a tree: `{"f:spec":{"f:replicas":{}}}`. */
  fieldsV1?: JsonObject
  /** Subresource of the write. Absent for writes of the object itself. */
  subresource?: string
}

/** metav1.ObjectMeta. Times are RFC 3339 in whole seconds, UTC. */
export type ObjectMeta = {
  /** Unique among the objects of the resource in a namespace. */
  name?: string
  /** Prefix of a name that the server chooses. It is used if `name` is empty. */
  generateName?: string
  /** Absent for cluster-scoped objects. */
  namespace?: string
  /** Set by the server on create. It distinguishes objects that have had the same name one after the other. */
  uid?: string
  /** Set when an object is read from storage, and never stored. */
  resourceVersion?: string
  /** Incremented by the server when the desired state changes. Absent for kinds that do not count it. */
  generation?: number
  /** Set by the server on create. Null in objects that are not yet stored. */
  creationTimestamp?: string | null
  /** Time at which the grace period of the deletion ends. Later deletions may only make it earlier. */
  deletionTimestamp?: string
  /** Grace period in seconds. Later deletions may only shorten it. */
  deletionGracePeriodSeconds?: number
  /** Keys and values have at most 63 characters each, besides a prefix of the key. */
  labels?: Record<string, string>
  /** Keys and values together have at most 256 KiB. */
  annotations?: Record<string, string>
  /** Owners. The object is deleted once all of them are gone. */
  ownerReferences?: OwnerReference[]
  /** The object is kept after its deletion until this list is empty. */
  finalizers?: string[]
  /** Sorted by the server. An empty list in an update resets it. */
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
  /** Version of the collection, from which a watch can continue without a gap. */
  resourceVersion?: string
  /** Token of the next page. Absent on the last page. */
  continue?: string
  /** Number of objects after this page. Absent if selectors are used, because it is not known then. */
  remainingItemCount?: number
}
