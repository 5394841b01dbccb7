import type { GroupVersionKind } from '../../api/meta/v1.types.ts'
import type { ServedResource } from '../../catalog/catalog.ts'
import type { StructSchema } from '../../schema/schema.ts'
import type { Parameter } from './parameters.ts'

/** Methods of a path item, in the order in which its operations are written. */
export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const
/** Method in lower case, as a member of a path item. */
type Method = (typeof METHODS)[number]

/** A type by its declaration, or a well-known type by name. */
export type TypeRef =
  | StructSchema
  | { readonly list: ServedResource }
  | 'Patch'
  | 'DeleteOptions'
  | 'Status'
  | 'WatchEvent'
  | 'APIVersions'
  | 'APIResourceList'
  | 'APIGroup'
  | 'APIGroupList'
  | 'VersionInfo'
  /** Text, or a body of any type. */
  | 'Text'

/** An operation of the API. Both versions of OpenAPI are made from it. */
export interface Operation {
  /** Path with parameters in braces. */
  readonly path: string
  readonly method: Method
  /** Such as `listCoreV1NamespacedPod`. Client generators derive method names from it. */
  readonly id: string
  /** Group version, by which generators group operations. */
  readonly tag: string
  readonly description: string
  /** All parameters, including those of the path, but not the body. */
  readonly parameters: readonly Parameter[]
  /** Media types of the body, or any if there is none. */
  readonly consumes: readonly string[]
  readonly produces: readonly string[]
  /** Omitted if the operation has no body. */
  readonly body?: { readonly type: TypeRef; readonly required: boolean }
  /** Successful responses: status to type. */
  readonly responses: Readonly<Record<number, TypeRef>>
  /** Upstream's name of the action, for `x-kubernetes-action`. */
  readonly action?: string
  /** Kind that the operation is about, for `x-kubernetes-group-version-kind`. Omitted for discovery. */
  readonly gvk?: GroupVersionKind
}
