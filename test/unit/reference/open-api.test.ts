import { expect } from 'chai'
import { createOpenApi } from '../../../src/endpoints/openapi/open-api.ts'
import { DEFAULT_RELEASE, minorOf, type Release } from '../../../src/lifecycle/release.ts'
import { bytesOf } from '../../support/document-bytes.ts'
import { builtinSnapshot, describeReference, referenceJson } from '../../support/reference.ts'
import { messagesOf } from '../../support/release-facts.ts'
import { MINORS } from '../../support/release-ranges.ts'

interface FactField {
  readonly name: string
  readonly type: string
  readonly label?: 'optional' | 'repeated' | 'map'
  readonly required?: boolean
  readonly inline?: boolean
  readonly listType?: string
  readonly listMapKeys?: string[]
  readonly mapType?: string
  readonly structType?: string
  readonly patchStrategy?: string
  readonly patchMergeKey?: string
  readonly default?: unknown
  readonly enum?: string[]
  readonly goType?: string
  readonly unionDiscriminator?: boolean
}
interface Message {
  readonly openapi?: string
  readonly gvk?: [string, string, string]
  readonly typeMeta?: boolean
  readonly jsonForm?: string
  readonly structType?: string
  /** One of its fields is set at most. */
  readonly union?: boolean
  readonly fields: FactField[]
}
interface Facts {
  readonly messages: Readonly<Record<string, Message>>
}
type Schema = Readonly<Record<string, unknown>>
type Schemas = Readonly<Record<string, Schema>>

const SCALARS: Readonly<Record<string, Schema>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
}

/**
 * The one type with listed values whose values upstream's documents do not have (pkg/generated/openapi of
 * k8s.io/kubernetes 1.32 to 1.34).
 */
const UNLISTED = 'k8s.io/api/admissionregistration/v1.ScopeType'

/** Special JSON forms in Swagger 2.0. Forms with several types have no schema. */
const FORMS: Readonly<Record<string, Schema>> = {
  'rfc3339-seconds|null': { type: 'string', format: 'date-time' },
  'rfc3339-micro|null': { type: 'string', format: 'date-time' },
  'go-duration': { type: 'string' },
  quantity: { type: 'string' },
  'int|string': { type: 'string', format: 'int-or-string' },
  'raw-json': { type: 'object' },
}

/** Special JSON forms in OpenAPI 3, if they differ. */
const FORMS_V3: Readonly<Record<string, Schema>> = {
  quantity: { oneOf: [{ type: 'string' }, { type: 'number' }] },
  'int|string': { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
}

const given = (members: Schema): Schema => Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

/** Returns the type of a property's values, without descriptions and defaults, and with plain references. */
function typeOf(property: Schema): Schema {
  const { description: _, default: __, allOf, items, additionalProperties, ...rest } = property
  const [reference] = (allOf as Schema[] | undefined) ?? []
  return given({
    ...rest,
    ...(reference ?? {}),
    items: items && typeOf(items as Schema),
    additionalProperties: additionalProperties && typeOf(additionalProperties as Schema),
  })
}

/** Types of meta that are those of 1.33, as docs/releases.md says. */
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1'
/**
 * The reference does not have the order of an enum's values before they changed; `release-fields.test.ts` compares them
 * without it.
 */
const UNORDERED = ['1.28', '1.29', '1.30'].map(release => `${release} io.k8s.api.core.v1.PersistentVolumeClaimStatus`)
/** Its key, a text, has a key of patches there. */
const STRAY = ['1.26', '1.27'].map(release => `${release} ${META}.LabelSelectorRequirement`)
const AS_BEFORE = new Set([
  ...UNORDERED,
  ...STRAY,
  `1.35 ${META}.Status`,
  `1.36 ${META}.Status`,
  `1.36 ${META}.ListMeta`,
  `1.37 ${META}.Status`,
  `1.37 ${META}.ListMeta`,
])

for (const release of MINORS.filter(minor => minor >= 26).map((minor): Release => `1.${minor}`))
  describeReference(`OpenAPI of ${release} beside the reference`, () => compareDocuments(release))

function compareDocuments(release: Release): void {
  const { messages } =
    release === DEFAULT_RELEASE
      ? (referenceJson('api-facts-1.33.json') as Facts)
      : { messages: messagesOf(minorOf(release)) as unknown as Facts['messages'] }
  const byDefinition = new Map(
    Object.values(messages).flatMap(message =>
      message.openapi === undefined || AS_BEFORE.has(`${release} ${message.openapi}`) ? [] : [[message.openapi, message] as const],
    ),
  )
  const snapshot = builtinSnapshot(release)
  const openApi = createOpenApi(snapshot)
  const v2 = JSON.parse(bytesOf(openApi.v2()).toString()) as { definitions: Schemas }
  const v3 = new Map<string, Schema>()
  for (const groupVersion of snapshot.servedGroupVersions()) {
    const document = bytesOf(openApi.v3(groupVersion.includes('/') ? `apis/${groupVersion}` : `api/${groupVersion}`))
    const { components } = JSON.parse(document.toString()) as { components: { schemas: Schemas } }
    for (const [name, schema] of Object.entries(components.schemas)) v3.set(name, schema)
  }

  function valueType(field: FactField, prefix: string): Schema {
    const scalar = SCALARS[field.type]
    if (scalar) return { ...scalar, ...(field.enum && field.goType !== UNLISTED && { enum: field.enum }) }
    const message = messages[field.type] as Message
    if (message.jsonForm === 'list') return { type: 'array', items: { type: 'string' } }
    return { $ref: `${prefix}${message.openapi}` }
  }

  function property(field: FactField, prefix: string): Schema {
    const value = valueType(field, prefix)
    const type =
      field.label === 'repeated'
        ? { type: 'array', items: value }
        : field.label === 'map'
          ? { type: 'object', additionalProperties: value }
          : value
    return given({
      ...type,
      'x-kubernetes-list-type': field.listType,
      'x-kubernetes-list-map-keys': field.listMapKeys,
      'x-kubernetes-map-type': field.mapType ?? field.structType,
      'x-kubernetes-patch-strategy': field.patchStrategy,
      'x-kubernetes-patch-merge-key': field.patchMergeKey,
    })
  }

  /** Every member of the JSON object, those of inlined messages among them. */
  const fieldsOf = (message: Message): FactField[] =>
    message.fields.flatMap(field => (field.inline ? fieldsOf(messages[field.type] as Message) : [field]))

  function expected(message: Message, prefix: string): Schema {
    const own = fieldsOf(message)
    const typeMeta: FactField[] = message.typeMeta ? ['apiVersion', 'kind'].map(name => ({ name, type: 'string' })) : []
    const fields = [...typeMeta.filter(({ name }) => !own.some(field => field.name === name)), ...own]
    const required = fields.filter(field => field.required).map(({ name }) => name)
    return given({
      type: 'object',
      properties: fields.length > 0 ? Object.fromEntries(fields.map(field => [field.name, property(field, prefix)])) : undefined,
      required: required.length > 0 ? required.sort() : undefined,
      'x-kubernetes-map-type': message.structType,
      'x-kubernetes-unions': message.union ? [unionOf(fields)] : undefined,
    })
  }

  /**
   * Returns the marks `union` and `unionDiscriminator` in the form of openapi-gen of k8s.io/kube-openapi: fields by
   * their Go names.
   */
  function unionOf(fields: readonly FactField[]): Schema {
    const isDiscriminator = ({ unionDiscriminator }: FactField): boolean => unionDiscriminator === true
    const named = fields
      .filter(field => !isDiscriminator(field))
      .map(({ name }) => [name, name.replace(/^./, first => first.toUpperCase())])
    return given({ discriminator: fields.find(isDiscriminator)?.name, 'fields-to-discriminateBy': Object.fromEntries(named) })
  }

  function actual(schema: Schema): Schema {
    const { description: _, properties, required, 'x-kubernetes-group-version-kind': __, ...rest } = schema
    return given({
      ...rest,
      properties: properties && Object.fromEntries(Object.entries(properties as Schemas).map(([name, one]) => [name, typeOf(one)])),
      required: required && [...(required as string[])].sort(),
    })
  }

  const compare = (name: string, schema: Schema, message: Message, prefix: string, forms: Readonly<Record<string, Schema>>): void => {
    if (message.jsonForm !== undefined) expect(actual(schema)).to.deep.equal(forms[message.jsonForm] ?? {})
    else expect(actual(schema)).to.deep.equal(expected(message, prefix))
    if (!message.gvk) return
    const [group, version, kind] = message.gvk
    expect(schema['x-kubernetes-group-version-kind'], name).to.deep.include({ group, version, kind })
  }
  // Any object is an object; any JSON says nothing of its type.
  const forms = (name: string): Schema => (name.endsWith('.RawExtension') ? { 'raw-json|null': { type: 'object' } } : {}) as Schema

  for (const [name, schema] of Object.entries(v2.definitions)) {
    const message = byDefinition.get(name)
    if (!message) it.skip(`${name} is not in the reference`)
    else it(`version 2: ${name}`, () => compare(name, schema, message, '#/definitions/', { ...FORMS, ...(forms(name) as Schemas) }))
  }
  for (const [name, schema] of v3) {
    const message = byDefinition.get(name)
    if (!message) continue
    it(`version 3: ${name}`, () => {
      compare(name, schema, message, '#/components/schemas/', { ...FORMS, ...FORMS_V3, ...(forms(name) as Schemas) })
      if (message.jsonForm !== undefined) return
      const properties = (schema.properties ?? {}) as Schemas
      const stated = fieldsOf(message).filter(field => field.default !== undefined)
      expect(Object.fromEntries(stated.map(field => [field.name, properties[field.name]?.default]))).to.deep.equal(
        Object.fromEntries(stated.map(field => [field.name, field.default])),
      )
    })
  }
}
