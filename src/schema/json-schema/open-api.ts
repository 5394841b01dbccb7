import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import { type Json, type JsonObject, objectIn } from '../../api/meta/object.ts'
import { isStepDone, type Steps } from '../../lib/steps.ts'
import { memberNames, noteCopy } from '../../lib/wide-objects.ts'
import { deepEqual, setMember } from '../../meta/equal.ts'
import { additionalSchema, itemsSchema } from './props.ts'

/** Properties of a document that the definition of a custom kind depends on. */
interface Document {
  readonly version: 2 | 3
  /** Reference to the type of every object's metadata. */
  readonly metadata: JsonObject
}

const TYPE_MEMBERS: JsonObject = {
  apiVersion: { description: 'Group and version in which the object is written.', type: 'string' },
  kind: { description: 'Type of the object.', type: 'string' },
}
const PRESERVE = 'x-kubernetes-preserve-unknown-fields'

/**
 * Creates the OpenAPI definition of a custom kind, in steps. An object that may have unknown members lists none,
 * because readers would treat the listed ones as complete.
 */
export function* openApiOf(schema: JsonSchemaProps | undefined, version: 2 | 3, metadata: JsonObject): Steps<JsonObject> {
  if (schema === undefined || (version === 2 && schema[PRESERVE])) return { type: 'object' }
  const document = { version, metadata }
  return withObjectMembers(yield* published(schema, document), document)
}

/** Adds the members of every object to a definition, whose properties are its own. */
function withObjectMembers(definition: JsonObject, { version, metadata }: Document): JsonObject {
  const properties = objectIn(definition.properties)
  const about = { description: 'Standard metadata: name, namespace, labels, annotations, and the fields that the server maintains.' }
  Object.assign(properties, TYPE_MEMBERS, { metadata: version === 2 ? { ...about, ...metadata } : { ...about, allOf: [metadata] } })
  return { ...definition, properties }
}

/**
 * Members that are not copied: nested schemas are published separately, and the others are not part of a structural
 * schema.
 */
const LEFT_OUT = new Set(['properties', 'items', 'additionalProperties', 'example', 'externalDocs'])
/** Members that Swagger 2.0 does not have, or that its readers misinterpret. */
const NOT_IN_V2 = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'nullable', 'default'])

/** Converts a schema for a document. In Swagger 2.0, a nullable value or one of several types becomes any value. */
function* published(schema: JsonSchemaProps, document: Document): Steps<JsonObject> {
  const isV2 = document.version === 2
  const out = ownMembers(schema, isV2)
  const isOpaque = isV2 && (schema.nullable === true || schema[PRESERVE] === true)
  const items = isOpaque ? undefined : itemsSchema(schema)
  const additional = additionalSchema(schema)
  const { properties } = isOpaque ? {} : schema
  if (items) out.items = yield* published(items, document)
  if (additional) out.additionalProperties = yield* published(additional, document)
  else if (typeof schema.additionalProperties === 'boolean') out.additionalProperties = schema.additionalProperties
  if (properties) {
    const members: JsonObject = noteCopy(properties, {})
    for (const name of yield* memberNames(properties)) {
      if (isStepDone()) yield
      const member = properties[name]
      if (member === undefined) continue
      setMember(
        members,
        name,
        hasInner(member) ? yield* published(member, document) : finished(ownMembers(member, isV2), member, document, true),
      )
    }
    out.properties = members
  }
  return finished(out, schema, document, items === undefined)
}

/** Most schemas have no nested ones and need no generator. */
const hasInner = ({ properties, items, additionalProperties }: JsonSchemaProps): boolean =>
  properties !== undefined || items !== undefined || additionalProperties !== undefined

/** Copies the members of a schema without its nested schemas. */
function ownMembers(schema: JsonSchemaProps, isV2: boolean): JsonObject {
  const out: JsonObject = {}
  for (const [name, value] of Object.entries<Json>(schema)) if (!LEFT_OUT.has(name) && !(isV2 && NOT_IN_V2.has(name))) out[name] = value
  return out
}

function finished(out: JsonObject, schema: JsonSchemaProps, document: Document, lacksItems: boolean): JsonObject {
  const isV2 = document.version === 2
  if (isV2) dropMisread(out, schema, lacksItems)
  else if (schema['x-kubernetes-int-or-string']) nameBothTypes(out, schema)
  return schema['x-kubernetes-embedded-resource'] && !(isV2 && schema[PRESERVE]) ? embedded(out, document) : out
}

/**
 * Adds the alternatives integer and string that x-kubernetes-int-or-string stands for, unless the schema begins with
 * them.
 */
function nameBothTypes(out: JsonObject, { anyOf, allOf = [] }: JsonSchemaProps): void {
  if (deepEqual(anyOf, INTEGER_OR_STRING) || deepEqual(allOf[0]?.anyOf, INTEGER_OR_STRING)) return
  if (anyOf === undefined) out.anyOf = INTEGER_OR_STRING
  else out.allOf = [{ anyOf: INTEGER_OR_STRING }, ...allOf]
}

const INTEGER_OR_STRING: Json[] = [{ type: 'integer' }, { type: 'string' }]

/**
 * Removes what readers of Swagger 2.0 misinterpret: types of values that are nullable or of any type, and `required`
 * for nullable members.
 */
function dropMisread(out: JsonObject, schema: JsonSchemaProps, lacksItems: boolean): void {
  const { nullable, type, properties = {}, required = [] } = schema
  if (nullable || (type === 'array' && lacksItems) || (type === 'object' && schema[PRESERVE])) delete out.type
  const kept = additionalSchema(schema)?.nullable
    ? []
    : out.properties === undefined
      ? required
      : required.filter(name => !properties[name]?.nullable)
  if (kept.length > 0) out.required = [...kept]
  else delete out.required
}

/** Adds the members of every object to the schema of an embedded one. */
function embedded(out: JsonObject, document: Document): JsonObject {
  const required = Array.isArray(out.required) ? out.required : []
  const added = ['kind', 'apiVersion'].filter(name => !required.includes(name))
  return withObjectMembers({ ...out, required: [...required, ...added] }, document)
}
