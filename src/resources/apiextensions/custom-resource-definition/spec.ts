import { deepEqual } from '../../../meta/equal.ts'
import type { KubeObject } from '../../../meta/object.ts'
import type { JsonSchemaProps } from '../../../schema/json-schema/props.ts'

/** What a version may have of its own, or all versions in common. */
export interface VersionParts {
  readonly schema?: { readonly openAPIV3Schema?: JsonSchemaProps }
  readonly subresources?: Subresources
  readonly additionalPrinterColumns?: readonly PrinterColumn[]
  readonly selectableFields?: readonly { readonly jsonPath: string }[]
}

export interface DefinitionVersion extends VersionParts {
  readonly name: string
  readonly served: boolean
  readonly storage: boolean
  readonly deprecated?: boolean
  readonly deprecationWarning?: string
}

export interface Subresources {
  readonly status?: object
  readonly scale?: { readonly specReplicasPath: string; readonly statusReplicasPath: string; readonly labelSelectorPath?: string }
}

export interface PrinterColumn {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly description?: string
  readonly priority?: number
  readonly jsonPath: string
}

export interface DefinitionNames {
  readonly plural: string
  readonly singular?: string
  readonly shortNames?: readonly string[]
  readonly kind: string
  readonly listKind?: string
  readonly categories?: readonly string[]
}

export interface Conversion {
  readonly strategy: string
  readonly webhook?: {
    readonly clientConfig?: {
      readonly url?: string
      readonly service?: { readonly namespace: string; readonly name: string; readonly path?: string; readonly port?: number }
      readonly caBundle?: string
    }
    readonly conversionReviewVersions: readonly string[] | null
  }
}

/** A decoded CustomResourceDefinitionSpec. */
export interface DefinitionSpec {
  readonly group: string
  readonly names: DefinitionNames
  readonly scope: string
  readonly versions: readonly DefinitionVersion[] | null
  readonly conversion?: Conversion
  readonly preserveUnknownFields?: boolean
}

/** A spec as upstream checks it: what all versions have alike stands at the spec itself, and the paths of errors tell. */
export interface SharedSpec extends DefinitionSpec {
  readonly versions: readonly DefinitionVersion[]
  /** There is no list of versions, not even an empty one. */
  readonly hasNoList: boolean
  readonly shared: VersionParts
}

const PARTS = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const

/** Moves what all versions have alike from them to the spec. */
export function shareParts(spec: DefinitionSpec): SharedSpec {
  const versions = spec.versions ?? []
  const alike = PARTS.filter(part => versions.every(version => deepEqual(version[part], versions[0]?.[part])))
  const without = (version: DefinitionVersion): DefinitionVersion =>
    Object.fromEntries(Object.entries(version).filter(([name]) => !alike.some(part => part === name))) as unknown as DefinitionVersion
  const shared = Object.fromEntries(alike.map(part => [part, versions[0]?.[part]]).filter(([, value]) => value !== undefined))
  return { ...spec, versions: versions.map(without), hasNoList: spec.versions === null, shared }
}

/** The schemas of a spec, the shared one first. */
export const schemasOf = ({ shared, versions }: SharedSpec): JsonSchemaProps[] =>
  [shared, ...versions].flatMap(({ schema }) => (schema?.openAPIV3Schema ? [schema.openAPIV3Schema] : []))

/** Whether a condition of a definition is true. */
export const isConditionTrue = (definition: KubeObject, type: string): boolean => {
  const conditions: { type: string; status: string }[] = definition.status?.conditions ?? []
  return conditions.find(condition => condition.type === type)?.status === 'True'
}
