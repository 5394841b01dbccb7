import { isJsonObject, type JsonObject } from '../../api/meta/object.ts'
import type { Subresource, Version } from '../../catalog/definition.ts'
import { apiVersionOf } from '../../meta/gvk.ts'
import type { StructSchema } from '../../schema/schema.ts'

/** Type of a body: a version of a resource, or the kind of a subresource. */
export interface BodyTarget {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly kind: string
  /** Fields of the body. Unknown ones are dropped, warned of or rejected. */
  readonly schema: StructSchema
  /** Optional. Sets defaults that markers cannot express, on the decoded body. */
  readonly setDefaults?: NonNullable<Version['setDefaults']>
  /** Further apiVersions of the kind that a body may have. */
  readonly alsoTakes?: readonly string[]
}

/** Returns the body type of a version. */
export const bodyTarget = (version: Version): BodyTarget => ({
  group: version.group,
  version: version.name,
  kind: version.kind,
  schema: version.schema,
  ...(version.setDefaults && { setDefaults: version.setDefaults }),
})

/**
 * Returns the body type of a subresource of another kind, such as scale. Undefined if the subresource has the kind of
 * its parent.
 */
export const viewTarget = (subresource: Subresource | undefined): BodyTarget | undefined => subresource?.kind

/** apiVersion that a body of this type states: the version alone for the core group. */
export const apiVersionOfTarget = ({ group, version }: BodyTarget): string => apiVersionOf({ group, version })

/** Returns the message for a body in another version of the kind. */
export const versionFault = (target: BodyTarget, apiVersion: string): string =>
  `the API version in the data (${apiVersion}) does not match the expected API version (${apiVersionOfTarget(target)})`

/** Returns the namespaced name of an object, for upstream's errors of an apply. */
export function namespacedName({ metadata }: JsonObject): string {
  const { namespace = '', name = '' } = isJsonObject(metadata) ? metadata : {}
  return `${namespace}/${name}`
}
