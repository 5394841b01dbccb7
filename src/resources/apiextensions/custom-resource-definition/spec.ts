import type { JsonSchemaProps } from '../../../api/apiextensions/json-schema-props.ts'
import type {
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from '../../../api/apiextensions/v1.types.ts'
import type { TypedObject } from '../../../api/meta/object.ts'
import { deepEqual } from '../../../meta/equal.ts'

/** Fields that a version has of its own, or that all versions share. */
export type VersionParts = Pick<CustomResourceDefinitionVersion, (typeof PARTS)[number]>

/**
 * A spec in the form that upstream validates: parts that are equal in all versions are in `shared` and in no version.
 * Their errors have paths of the spec, such as `spec.validation`.
 */
export interface SharedSpec extends CustomResourceDefinitionSpec {
  readonly versions: CustomResourceDefinitionVersion[]
  /** Whether the list of versions is absent, not just empty. */
  readonly hasNoList: boolean
  readonly shared: VersionParts
}

/** Fields that v1beta1 allows in the spec for all versions. */
const PARTS = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const

/**
 * Moves parts that are equal in all versions to the spec. Each part is compared separately: versions may share a schema
 * and differ in columns. The given spec is not changed.
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

/** Returns the schemas of a spec, the shared one first. */
export const schemasOf = ({ shared, versions }: SharedSpec): JsonSchemaProps[] =>
  [shared, ...versions].flatMap(({ schema }) => (schema?.openAPIV3Schema ? [schema.openAPIV3Schema] : []))

/** Reports whether a condition of a definition is true. */
export const isConditionTrue = ({ status }: WithConditions, type: string): boolean =>
  (status?.conditions ?? []).some(condition => condition.type === type && condition.status === 'True')

interface WithConditions extends TypedObject {
  readonly status?: { readonly conditions?: readonly Pick<CustomResourceDefinitionCondition, 'type' | 'status'>[] | null }
}
