import type { Version } from '../../catalog/definition.ts'
import { apiVersionOf } from '../../meta/gvk.ts'
import type { StructSchema } from '../../schema/schema.ts'

/** What a body is to become: a version of a resource, or the kind of a subresource. */
export interface BodyTarget {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly schema: StructSchema
  readonly setDefaults?: NonNullable<Version['setDefaults']>
  /** Other apiVersions in which a body may call itself this kind. */
  readonly alsoTakes?: readonly string[]
}

export const bodyTarget = (version: Version): BodyTarget => ({
  group: version.group,
  version: version.name,
  kind: version.kind,
  schema: version.schema,
  ...(version.setDefaults && { setDefaults: version.setDefaults }),
})

export const apiVersionOfTarget = ({ group, version }: BodyTarget): string => apiVersionOf({ group, version })
