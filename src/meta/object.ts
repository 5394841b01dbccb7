/** A value of the JSON data model. Integers beyond 2^53 are bigint, never rounded. */
export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

export interface OwnerReference {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
  blockOwnerDeletion?: boolean
}

/** https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management */
export interface ManagedFieldsEntry {
  manager?: string
  operation?: 'Apply' | 'Update'
  apiVersion?: string
  time?: string
  fieldsType?: string
  fieldsV1?: JsonObject
  subresource?: string
}

/** metav1.ObjectMeta. Times are RFC 3339 with whole seconds, in UTC. */
export interface ObjectMeta {
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

/** An API object in some version. Hooks of a kind narrow `spec` and `status` themselves. */
export interface KubeObject {
  kind: string
  apiVersion: string
  metadata: ObjectMeta
  // biome-ignore lint/suspicious/noExplicitAny: the members of a kind are data of its schema, which has checked them at decode
  [field: string]: any
}

/** metav1.ListMeta */
export interface ListMeta {
  resourceVersion?: string
  continue?: string
  remainingItemCount?: number
}
