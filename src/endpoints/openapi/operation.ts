import type { ServedResource } from '../../catalog/catalog.ts'
import type { GroupVersionKind } from '../../meta/gvk.ts'
import type { StructSchema } from '../../schema/schema.ts'
import type { Parameter } from './parameters.ts'

/** The methods of a path item, in the order in which its operations are written. */
export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const
type Method = (typeof METHODS)[number]

/** A type by its declaration, or one that is known by name. */
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
  /** No object: text, or whatever comes. */
  | 'Text'

/** An operation of the API, from which both versions of OpenAPI are written. */
export interface Operation {
  readonly path: string
  readonly method: Method
  /** `listCoreV1NamespacedPod`: client generators name their methods by it. */
  readonly id: string
  readonly tag: string
  readonly description: string
  /** All of them, those of the path included; bodies apart. */
  readonly parameters: readonly Parameter[]
  readonly consumes: readonly string[]
  readonly produces: readonly string[]
  readonly body?: { readonly type: TypeRef; readonly required: boolean }
  /** Successful answers: status → type. */
  readonly responses: Readonly<Record<number, TypeRef>>
  /** As upstream names what is done: `x-kubernetes-action`. */
  readonly action?: string
  readonly gvk?: GroupVersionKind
}
