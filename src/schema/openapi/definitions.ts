import type { JsonObject } from '../../api/meta/object.ts'
import type { Steps } from '../../lib/steps.ts'
import { objectMetaType } from '../json-schema/embedded-meta.ts'
import { orderedFields } from '../members.ts'
import type { DefinitionContext, Field, ScalarSchema, Schema, StructSchema, UnionSchema } from '../schema.ts'
import { type Descriptions, noDescriptions } from './descriptions.ts'
import { unionMark } from './unions.ts'

/**
 * Version of a document: 2 is Swagger 2.0 (`/openapi/v2`), 3 is OpenAPI 3.0. They differ in references, defaults and
 * unions.
 */
export type OpenApiVersion = 2 | 3

/** Type whose descriptions apply to objects of all kinds: apiVersion, kind, metadata and, in lists, items. */
export const TYPE_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta'
const LIST_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta'

/** Collects the definitions of types that are referred to, each once, with those that they refer to. */
export class DefinitionSet implements DefinitionContext {
  readonly version: OpenApiVersion
  readonly #descriptions: Descriptions
  readonly #metadataType: () => StructSchema
  /** Definitions by name. Those of custom kinds are created on access, because together they are large. */
  readonly #definitions = new Map<string, JsonObject | (() => Steps<JsonObject>)>()

  /** `metadataType`: returns the type of every object's metadata in the release. */
  constructor(version: OpenApiVersion, descriptions = noDescriptions, metadataType = objectMetaType) {
    this.version = version
    this.#descriptions = descriptions
    this.#metadataType = metadataType
  }

  /** Yields names with their definitions in byte order. Undefined marks the end of a step. */
  *entries(): Generator<[string, JsonObject] | undefined, void> {
    for (const [name, definition] of [...this.#definitions].sort(([a], [b]) => (a < b ? -1 : 1)))
      yield [name, typeof definition === 'function' ? yield* definition() : definition]
  }

  has(name: string): boolean {
    return this.#definitions.has(name)
  }

  /** Adds a finished definition. */
  set(name: string, definition: JsonObject): void {
    this.#definitions.set(name, definition)
  }

  /** Creates the `{ $ref }` to a type by its definition name. */
  reference(name: string): JsonObject {
    return { $ref: `${this.version === 2 ? '#/definitions/' : '#/components/schemas/'}${name}` }
  }

  /** Returns a reference to the type and adds its definition. Returns the definition itself if the type has no name. */
  refer(schema: StructSchema): JsonObject {
    const { definition } = schema
    if (definition === undefined) return this.ofFields(schema)
    if (!this.#definitions.has(definition)) {
      this.#definitions.set(definition, {}) // types are recursive: this one is not begun again
      this.#definitions.set(definition, schema.form.define(schema, this))
    }
    return this.reference(definition)
  }

  referMetadata(): JsonObject {
    return this.refer(this.#metadataType())
  }

  /** Returns a reference to the definition of a special form (times, quantities). */
  #referScalar(schema: ScalarSchema, definition: string): JsonObject {
    if (!this.#definitions.has(definition)) {
      this.#definitions.set(definition, { ...this.said(definition), ...specialForm(schema, this.version) })
    }
    return this.reference(definition)
  }

  /** Returns a reference to a union, whose definition has only a description. */
  #referUnion({ definition }: UnionSchema): JsonObject {
    if (!this.#definitions.has(definition)) this.#definitions.set(definition, this.said(definition))
    return this.reference(definition)
  }

  /** Returns the description of a type, or of one of its fields. */
  said(definition: string, field?: string): { description?: string } {
    const type = this.#descriptions.of(definition)
    const description = field === undefined ? type?.text : type?.fields.get(field)
    return description === undefined ? {} : { description }
  }

  /** Returns the description of a field. Fields of every kind are described once. */
  #saidOfField(parent: StructSchema, { name, schema }: Field): { description?: string } {
    const own = parent.definition === undefined ? {} : this.said(parent.definition, name)
    if (own.description !== undefined || !parent.typeMeta) return own
    const ofList = name === 'metadata' && schema.type === 'struct' && schema.name === 'ListMeta'
    return ofList ? this.said(LIST_META) : this.said(TYPE_META, name)
  }

  /** Creates the definition of a struct, with fields in the order of their names. */
  ofFields(schema: StructSchema): JsonObject {
    const fields = orderedFields(schema)
    const required = fields.filter(field => field.required).map(field => field.name)
    const properties: JsonObject = {}
    for (const field of [...fields].sort((a, b) => (a.name < b.name ? -1 : 1))) properties[field.name] = this.#property(field, schema)
    return {
      ...(schema.definition !== undefined && this.said(schema.definition)),
      type: 'object',
      ...(required.length > 0 && { required }),
      ...(fields.length > 0 && { properties }),
      ...(schema.preserveUnknown && { 'x-kubernetes-preserve-unknown-fields': true }),
      ...(schema.structType && { 'x-kubernetes-map-type': schema.structType }),
      ...unionMark(schema),
    }
  }

  /**
   * Defaults are in OpenAPI 3 only. Without a declared one, a scalar that is neither a pointer nor omitted when empty
   * has Go's zero value, and a struct `{}`. Marks stand beside a reference, not within `allOf`.
   */
  #property(field: Field, parent: StructSchema): JsonObject {
    const value = field.default ?? (field.pointer ? undefined : impliedDefault(field.schema, field.omitEmpty))
    const marks: JsonObject = {}
    const { schema } = field
    if (schema.type === 'list' && !schema.unstated) {
      if (schema.listMapKeys) marks['x-kubernetes-list-map-keys'] = [...schema.listMapKeys]
      if (schema.listType) marks['x-kubernetes-list-type'] = schema.listType
    } else if (schema.type === 'map' && schema.mapType) marks['x-kubernetes-map-type'] = schema.mapType
    else if (schema.type === 'struct' && schema.base && schema.structType) marks['x-kubernetes-map-type'] = schema.structType
    if (field.strayListType) marks['x-kubernetes-list-type'] = field.strayListType
    if (field.patchMergeKey !== undefined) marks['x-kubernetes-patch-merge-key'] = field.patchMergeKey
    if (field.patchStrategy !== undefined) marks['x-kubernetes-patch-strategy'] = field.patchStrategy
    const own = { ...this.#saidOfField(parent, field), ...(this.version === 3 && value !== undefined && { default: value }) }
    return { ...this.#wrap(this.#type(schema), own, true), ...marks }
  }

  /** Adds members beside a type. OpenAPI 3 allows none beside a reference, so the reference is wrapped in `allOf`. */
  #wrap(type: JsonObject, beside: JsonObject, always = false): JsonObject {
    if (type.$ref === undefined || (!always && Object.keys(beside).length === 0)) return { ...beside, ...type }
    return this.version === 2 ? { ...beside, ...type } : { ...beside, allOf: [type] }
  }

  #element(schema: Schema, pointer: boolean): JsonObject {
    const value = this.version === 3 && !pointer ? impliedDefault(schema, false) : undefined
    return this.#wrap(this.#type(schema), value === undefined ? {} : { default: value })
  }

  #type(schema: Schema): JsonObject {
    switch (schema.type) {
      case 'struct':
        return this.refer(schema)
      case 'list':
        return { type: 'array', items: this.#element(schema.items, schema.pointerItems === true) }
      case 'map':
        return { type: 'object', additionalProperties: this.#element(schema.values, false) }
      case 'union':
        return this.#referUnion(schema)
      default:
        if (schema.definition !== undefined) return this.#referScalar(schema, schema.definition)
        return specialForm(schema, this.version)
    }
  }
}

/** Returns the value of an absent member if its Go type is not a pointer. */
function impliedDefault(schema: Schema, omitEmpty: boolean): '' | 0 | false | JsonObject | undefined {
  switch (schema.type) {
    case 'struct':
      return {}
    case 'string':
      return omitEmpty ? undefined : ''
    case 'integer':
    case 'number':
      return omitEmpty ? undefined : 0
    case 'boolean':
      return omitEmpty ? undefined : false
    default:
      return undefined
  }
}

/** Enum types whose values upstream's documents do not list. */
const UNLISTED: ReadonlySet<string> = new Set(['v1.ScopeType'])

/**
 * Forms of kube-openapi's OpenAPISchemaType and OpenAPIV3OneOfTypes. Only OpenAPI 3 can say that a value has two types.
 */
function specialForm(schema: ScalarSchema, version: OpenApiVersion): JsonObject {
  switch (schema.type) {
    case 'string':
      return { type: 'string', ...(schema.enum && !UNLISTED.has(schema.goType) && { enum: [...schema.enum] }) }
    case 'boolean':
      return { type: 'boolean' }
    case 'integer':
      return { type: 'integer', format: schema.goType.endsWith('32') ? 'int32' : 'int64' }
    case 'number':
      return { type: 'number', format: schema.goType === 'float32' ? 'float' : 'double' }
    case 'bytes':
      return { type: 'string', format: 'byte' }
    case 'time':
    case 'microTime':
      return { type: 'string', format: 'date-time' }
    case 'duration':
      return { type: 'string' }
    case 'quantity':
      return version === 2 ? { type: 'string' } : { oneOf: [{ type: 'string' }, { type: 'number' }] }
    case 'intOrString':
      return version === 2
        ? { type: 'string', format: 'int-or-string' }
        : { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] }
    case 'raw':
      return { type: 'object' }
    case 'json':
      return {}
  }
}
