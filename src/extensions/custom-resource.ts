import type { ResourceDefinition, Version } from '../catalog/definition.ts'
import { rawJson } from '../codec/json-writer.ts'
import { PackedText } from '../lib/packed-text.ts'
import { runAtOnce } from '../lib/steps.ts'
import { compareVersionNames } from '../meta/gvk.ts'
import { decodedObject, type KubeObject } from '../meta/object.ts'
import { isConditionTrue } from '../resources/apiextensions/custom-resource-definition/spec.ts'
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from '../resources/apiextensions/v1.types.ts'
import { STANDARD_VERBS, STATUS_VERBS } from '../resources/shared/strategy-parts.ts'
import { type CustomKind, customObject } from '../schema/json-schema/custom-object.ts'
import { customStruct } from '../schema/json-schema/custom-struct.ts'
import type { JsonSchemaProps } from '../schema/json-schema/props.ts'
import { SchemaPool } from '../schema/json-schema/schema-pool.ts'
import type { FreeForm } from '../schema/schema.ts'
import { type ConversionServices, webhookConverter } from './conversion/webhook-converter.ts'
import { customScale } from './custom-scale.ts'
import { customStrategies } from './custom-strategy.ts'
import { customTable } from './custom-table.ts'
import { firstOf, parseJsonPath } from './json-path.ts'

/** What discovery advertises while the definition is being deleted: nothing new is to be created. */
const TERMINATING_VERBS = ['delete', 'deletecollection', 'get', 'list', 'watch']

/** Whether its kind is served: a definition that was established once stays so, whatever names it asks for later. */
export const isServed = (definition: CustomResourceDefinition): boolean => isConditionTrue(definition, 'Established')

/**
 * The resource that a custom resource definition describes, in all of its versions; undefined while its names are not accepted, or where no version is served. Objects are converted
 * between versions by their apiVersion alone, or by the definition's webhook, which `services` calls. `pool`: that of the server, for equal schemas are one.
 */
export function customResource(definition: CustomResourceDefinition, services: ConversionServices, pool = new SchemaPool()): ResourceDefinition | undefined {
  const { spec } = definition
  const { acceptedNames: names } = definition.status
  const versions = spec.versions ?? []
  const stored = versions.find(({ storage }) => storage)
  if (!isServed(definition) || !stored || !names.plural || !names.singular || !names.kind || !names.listKind) return undefined
  const schemas = versions.flatMap(({ name, schema }) => (schema?.openAPIV3Schema ? [[name, schema.openAPIV3Schema] as const] : []))
  const custom: CustomKind = {
    group: spec.group,
    kind: names.kind,
    preserveUnknown: spec.preserveUnknownFields === true,
    schemas: new Map(schemas.map(([name, schema]) => [name, pool.shared(schema)])),
    written: writtenSchemas(schemas),
  }
  const terminating = isConditionTrue(definition, 'Terminating')
  const webhook = spec.conversion?.strategy === 'Webhook' ? spec.conversion.webhook : undefined
  const kind = { name: definition.metadata.name ?? '', group: spec.group, versions: versions.map(({ name }) => name) }
  const converter = webhook && webhookConverter({ ...kind, webhook }, services)
  const built = new Map(
    versions.map(version => [version.name, versionOf({ spec, names, custom, version, converts: !converter && version !== stored, terminating })]),
  )
  const ordered = [...versions].sort((a, b) => compareVersionNames(a.name, b.name))
  const pick = (served: boolean): Version[] => ordered.filter(version => version.served === served).flatMap(({ name }) => built.get(name) ?? [])
  const [first, ...more] = pick(true)
  const hub = built.get(stored.name)
  if (!first || !hub) return undefined
  return {
    scope: spec.scope === 'Namespaced' ? 'Namespaced' : 'Cluster',
    versions: [first, ...more],
    unserved: pick(false),
    hub,
    ...(converter && { converter }),
    storage: {
      prefix: `${spec.group}/${names.plural}`,
      version: hub,
      fields: Object.assign({}, ...[...built.values()].map(({ selectableFields }) => selectableFields)),
    },
  }
}

/** The schemas as they were written, of which most is documentation. */
function writtenSchemas(schemas: readonly (readonly [string, JsonSchemaProps])[]): NonNullable<CustomKind['written']> {
  const texts = new Map(schemas.map(([name, schema]) => [name, new PackedText(rawJson(schema))]))
  return name => {
    const text = texts.get(name)?.text()
    return text === undefined ? undefined : JSON.parse(text)
  }
}

interface Parts {
  readonly spec: CustomResourceDefinitionSpec
  readonly names: CustomResourceDefinitionNames
  readonly custom: CustomKind
  readonly version: CustomResourceDefinitionVersion
  /** Hooks see objects of the stored version, which have to be read by the schema of this one. */
  readonly converts: boolean
  readonly terminating: boolean
}

/** One version of a custom kind, as the catalog has it. */
function versionOf({ spec, names, custom, version, converts, terminating }: Parts): Version {
  const { group } = spec
  const { kind, plural, singular = '', shortNames, categories } = names
  const schema = custom.schemas.get(version.name)
  const freeForm = customObject(custom, version.name)
  const subresources = version.subresources ?? {}
  const asVersion = converts ? pruned(freeForm, `${group}/${version.name}`) : (object: KubeObject) => object
  const strategies = customStrategies({ schema, subresources, asVersion })
  return {
    group,
    name: version.name,
    kind,
    ...(names.listKind !== undefined && { listKind: names.listKind }),
    names: { plural, singular, ...(shortNames && { shortNames }) },
    ...(categories && { categories }),
    verbs: STANDARD_VERBS,
    ...(terminating && { advertisedVerbs: TERMINATING_VERBS }),
    ...(version.deprecated && { deprecationWarning: version.deprecationWarning ?? deprecationText(version, spec) }),
    schema: customStruct(schema ?? UNKNOWN, { kind, definition: definitionName(group, version.name, kind), freeForm }),
    strategy: strategies.main,
    table: customTable(version.additionalPrinterColumns),
    selectableFields: selectors(version.selectableFields),
    subresources: {
      ...(subresources.status && { status: { verbs: STATUS_VERBS, strategy: strategies.status } }),
      ...(subresources.scale && { scale: customScale(subresources.scale) }),
    },
  }
}

/** Stands for the schema of a version without one: every field is kept. */
const UNKNOWN: JsonSchemaProps = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

/** An object of another version as this one has it: the apiVersion is replaced, and the object is read by the schema of this version. */
const pruned =
  (freeForm: FreeForm, apiVersion: string) =>
  (object: KubeObject): KubeObject =>
    decodedObject(runAtOnce(freeForm.read({ ...object, apiVersion })))

/** `com.example.v1.Widget` of the group example.com. */
const definitionName = (group: string, version: string, kind: string): string => [...group.split('.').reverse(), version, kind].join('.')

/** By the text of the path without its dot; absent values select as the empty text. */
function selectors(fields: readonly { readonly jsonPath: string }[] = []): NonNullable<Version['selectableFields']> {
  return Object.fromEntries(
    fields.map(({ jsonPath }) => {
      const path = parseJsonPath(jsonPath)
      const read = (object: KubeObject): string => {
        const value = firstOf(path, object, { left: Number.POSITIVE_INFINITY })
        return value === undefined || value === null ? '' : String(value)
      }
      return [jsonPath.replace(/^\./, ''), read]
    }),
  )
}

/** The warning of a deprecated version, with a newer version to use if there is one. */
function deprecationText({ name }: CustomResourceDefinitionVersion, { group, names, versions }: CustomResourceDefinitionSpec): string {
  const text = `${group}/${name} ${names.kind} is deprecated`
  const newer = (versions ?? []).filter(other => other.served && !other.deprecated && compareVersionNames(other.name, name) < 0)
  const best = newer.sort((a, b) => compareVersionNames(a.name, b.name))[0]
  return best ? `${text}; use ${group}/${best.name} ${names.kind}` : text
}
