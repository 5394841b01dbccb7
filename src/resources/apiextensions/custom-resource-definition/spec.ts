import { deepEqual } from '../../../meta/equal.ts'
import type { TypedObject } from '../../../meta/object.ts'
import type { JsonSchemaProps } from '../../../schema/json-schema/props.ts'
import type { CustomResourceDefinitionCondition, CustomResourceDefinitionSpec, CustomResourceDefinitionVersion } from '../v1.types.ts'

/** What a version may have of its own, or all versions in common. */
export type VersionParts = Pick<CustomResourceDefinitionVersion, (typeof PARTS)[number]>

/**
 * A spec as upstream checks it: the parts that all versions have alike stand in `shared` and in no version. Their errors have paths of the spec, such as
 * `spec.validation`.
 */
export interface SharedSpec extends CustomResourceDefinitionSpec {
  readonly versions: CustomResourceDefinitionVersion[]
  /** There is no list of versions, not even an empty one. */
  readonly hasNoList: boolean
  readonly shared: VersionParts
}

/** The parts that v1beta1 lets stand at the spec for all versions. */
const PARTS = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const

/**
 * Moves what all versions have alike from them to the spec. Each part is compared by itself: versions may share a schema and differ in columns.
 * The given spec stays as it is.
 */
export function shareParts(spec: CustomResourceDefinitionSpec): SharedSpec {
  const versions = spec.versions ?? []
  const alike = PARTS.filter(part => versions.every(version => deepEqual(version[part], versions[0]?.[part])))
  const shared: VersionParts = {}
  for (const part of alike) copyMember(shared, versions[0] ?? {}, part)
  const without = (version: CustomResourceDefinitionVersion): CustomResourceDefinitionVersion => {
    const rest = { ...version }
    for (const part of alike) delete rest[part]
    return rest
  }
  return { ...spec, versions: versions.map(without), hasNoList: spec.versions === null, shared }
}

function copyMember<T extends object, K extends keyof T>(to: T, from: T, member: K): void {
  if (from[member] !== undefined) to[member] = from[member]
}

/** The schemas of a spec, the shared one first. */
export const schemasOf = ({ shared, versions }: SharedSpec): JsonSchemaProps[] =>
  [shared, ...versions].flatMap(({ schema }) => (schema?.openAPIV3Schema ? [schema.openAPIV3Schema] : []))

/** Whether a condition of a definition is true. */
export const isConditionTrue = ({ status }: WithConditions, type: string): boolean =>
  (status?.conditions ?? []).some(condition => condition.type === type && condition.status === 'True')

interface WithConditions extends TypedObject {
  readonly status?: { readonly conditions?: readonly Pick<CustomResourceDefinitionCondition, 'type' | 'status'>[] | null }
}
