import { createHash } from 'node:crypto'
import type { JsonSchemaProps } from '../api/apiextensions/json-schema-props.ts'
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from '../api/apiextensions/v1.types.ts'
import type { Json, KubeObject } from '../api/meta/object.ts'
import type { RemoteConverter, Version } from '../catalog/definition.ts'
import { parseInChunks } from '../codec/json-chunks.ts'
import { rawJsonInSteps } from '../codec/json-in-steps.ts'
import { PackedText } from '../lib/packed-text.ts'
import type { Steps } from '../lib/steps.ts'
import { compareVersionNames } from '../meta/gvk.ts'
import { STANDARD_VERBS, STATUS_VERBS } from '../resources/shared/strategy-parts.ts'
import { customStruct } from '../schema/json-schema/custom-struct.ts'
import type { SchemaPool } from '../schema/json-schema/schema-pool.ts'
import { type CustomKind, kindDescription, unstructuredForm } from '../schema/json-schema/unstructured-form.ts'
import { FIRST_VALUE_RULES, type ValueRules } from '../schema/json-schema/value-rules.ts'
import { type ConversionServices, webhookConverter } from './conversion/webhook-converter.ts'
import { customScale } from './custom-scale.ts'
import { customStrategies } from './custom-strategy.ts'
import { customTableInSteps } from './custom-table.ts'
import { firstValue, parseJsonPath } from './json-path.ts'

/** Versions built from a definition with accepted names, whether or not it is established. */
export interface CustomVersions {
  /** By name, in the order of the definition. */
  readonly built: ReadonlyMap<string, Version>
  readonly converter: RemoteConverter | undefined
}

/**
 * Builds the versions of a definition, in steps, because each version takes several passes over its schema. The result
 * depends only on the name, spec and accepted names of the definition. Undefined if it has no accepted names. Versions
 * are converted by changing apiVersion, or by the definition's webhook, which `services` calls. @param pool shares
 * equal schemas within the server. @param rules rules of the release. Default: those of the oldest releases.
 */
export function* customVersions(
  definition: CustomResourceDefinition,
  services: ConversionServices,
  pool: SchemaPool,
  rules: ValueRules = FIRST_VALUE_RULES,
): Steps<CustomVersions | undefined> {
  const { metadata, spec, status } = definition
  const names = status.acceptedNames
  const versions = spec.versions ?? []
  if (!names.plural || !names.singular || !names.kind || !names.listKind) return undefined
  const schemas = new Map<string, JsonSchemaProps>()
  const texts = new Map<string, PackedText>()
  for (const { name, schema } of versions) {
    if (!schema?.openAPIV3Schema) continue
    schemas.set(name, yield* pool.shared(schema.openAPIV3Schema))
    yield
    texts.set(name, new PackedText((yield* rawJsonInSteps(schema.openAPIV3Schema)).join('')))
    yield
  }
  const described: CustomKind = {
    group: spec.group,
    kind: names.kind,
    preserveUnknown: spec.preserveUnknownFields === true,
    schemas,
    written: writtenSchemas(texts),
  }
  const custom = { ...described, id: yield* kindIdInSteps(described) }
  const webhook = spec.conversion?.strategy === 'Webhook' ? spec.conversion.webhook : undefined
  const kind = { name: metadata.name ?? '', group: spec.group, versions: versions.map(({ name }) => name) }
  const converter = webhook && webhookConverter({ ...kind, webhook }, services)
  const built = new Map<string, Version>()
  for (const version of versions) built.set(version.name, yield* buildVersion({ spec, names, custom, version, rules }))
  return { built, converter }
}

/** Returns the id of a kind, whose schemas may be large. */
export function* kindIdInSteps(custom: CustomKind): Steps<string> {
  const hash = createHash('sha256')
  for (const text of yield* rawJsonInSteps(kindDescription(custom) as Json)) {
    hash.update(text)
    yield
  }
  return hash.digest('base64url')
}

/** Original schemas, which consist mostly of documentation. */
const writtenSchemas = (texts: ReadonlyMap<string, PackedText>): NonNullable<CustomKind['written']> =>
  function* (name) {
    const text = texts.get(name)?.text()
    yield
    return text === undefined ? undefined : ((yield* parseInChunks(text, JSON.parse)) ?? JSON.parse(text))
  }

interface Parts {
  readonly spec: CustomResourceDefinitionSpec
  readonly names: CustomResourceDefinitionNames
  readonly custom: CustomKind
  readonly version: CustomResourceDefinitionVersion
  readonly rules: ValueRules
}

/** Builds one version of a custom kind for the catalog. */
function* buildVersion({ spec, names, custom, version, rules }: Parts): Steps<Version> {
  const { group } = spec
  const { kind, plural, singular = '', shortNames, categories } = names
  const schema = custom.schemas.get(version.name)
  const form = unstructuredForm(custom, version.name)
  yield
  const struct = customStruct(schema ?? UNKNOWN, {
    kind,
    definition: definitionName(group, version.name, kind),
    form,
    partialKeys: rules.allowsPartialKeys,
  })
  yield
  const subresources = version.subresources ?? {}
  const strategies = yield* customStrategies({ schema, subresources, kind, apiVersion: `${group}/${version.name}` }, rules)
  yield
  return {
    group,
    name: version.name,
    kind,
    ...(names.listKind !== undefined && { listKind: names.listKind }),
    names: { plural, singular, ...(shortNames && { shortNames }) },
    ...(categories && { categories }),
    verbs: STANDARD_VERBS,
    ...(version.deprecated && { deprecationWarning: version.deprecationWarning ?? deprecationText(version, spec) }),
    schema: struct,
    strategy: strategies.main,
    table: yield* customTableInSteps(version.additionalPrinterColumns),
    selectableFields: selectors(version.selectableFields),
    subresources: {
      ...(subresources.status && { status: { verbs: STATUS_VERBS, strategy: strategies.status } }),
      ...(subresources.scale && { scale: { ...customScale(subresources.scale), strategy: strategies.scale } }),
    },
  }
}

/** Schema of versions without one: keeps all fields. */
const UNKNOWN: JsonSchemaProps = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

/** Definition name in OpenAPI: `com.example.v1.Widget` for the group example.com. */
const definitionName = (group: string, version: string, kind: string): string => [...group.split('.').reverse(), version, kind].join('.')

/** Field selectors by path without the leading dot. Absent values select as empty. */
function selectors(fields: readonly { readonly jsonPath: string }[] = []): NonNullable<Version['selectableFields']> {
  return Object.fromEntries(
    fields.map(({ jsonPath }) => {
      const path = parseJsonPath(jsonPath)
      const read = (object: KubeObject): string => {
        const value = firstValue(path, object, { left: Number.POSITIVE_INFINITY })
        return value === undefined || value === null ? '' : String(value)
      }
      return [jsonPath.replace(/^\./, ''), read]
    }),
  )
}

/** Warning of a deprecated version. Names a newer version if there is one. */
function deprecationText({ name }: CustomResourceDefinitionVersion, { group, names, versions }: CustomResourceDefinitionSpec): string {
  const text = `${group}/${name} ${names.kind} is deprecated`
  const newer = (versions ?? []).filter(other => other.served && !other.deprecated && compareVersionNames(other.name, name) < 0)
  const best = newer.sort((a, b) => compareVersionNames(a.name, b.name))[0]
  return best ? `${text}; use ${group}/${best.name} ${names.kind}` : text
}
