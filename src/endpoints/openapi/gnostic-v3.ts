import { type Json, type JsonObject, objectIn } from '../../api/meta/object.ts'
import { type Writer, writeMessage } from '../../lib/protobuf-writing.ts'
import type { Steps } from '../../lib/steps.ts'
import { any, counted, extensions, flag, itemsIn, measured, namedMessages, objectsIn, strings, writeString } from './gnostic-parts.ts'
import { encoded, messagePieces, namedPieces, type SchemaForm } from './gnostic-pieces.ts'

/**
 * Encodes one of our OpenAPI 3.0 documents in protobuf, in steps. Returns it in pieces. Source: OpenAPIv3.proto of
 * gnostic; only fields that our documents have are written. The form cannot represent a default that is an object or a
 * list.
 */
export function* encodeOpenApi(document: JsonObject): Steps<Buffer[]> {
  const info = objectIn(document.info)
  const components = objectIn(document.components)
  const pieces: Buffer[] = []
  const add = (more: readonly Buffer[]): void => {
    for (const piece of more) pieces.push(piece)
  }
  pieces.push(
    encoded(out => {
      writeString(out, 1, document.openapi)
      writeMessage(out, 2, w => {
        writeString(w, 1, info.title)
        writeString(w, 6, info.version)
      })
    }),
  )
  const paths: Buffer[] = []
  for (const [name, value] of Object.entries(objectIn(document.paths))) {
    paths.push(encoded(out => namedMessages(out, 1, { [name]: value }, pathItem)))
    yield
  }
  add(messagePieces(4, paths))
  const schemas = yield* namedPieces(SCHEMAS, 1, objectIn(components.schemas))
  const others = encoded(w => {
    if (components.parameters) writeMessage(w, 3, all => namedMessages(all, 1, components.parameters, parameterOrReference))
    if (components.securitySchemes)
      writeMessage(w, 7, all =>
        namedMessages(all, 1, components.securitySchemes, (v, value) => writeMessage(v, 1, s => securityScheme(s, value))),
      )
  })
  add(messagePieces(5, [...messagePieces(1, schemas), others]))
  for (const requirement of objectsIn(document.security))
    pieces.push(encoded(out => writeMessage(out, 6, w => namedMessages(w, 1, requirement, (v, scopes) => strings(v, 1, scopes)))))
  return pieces
}

const SCHEMAS: SchemaForm = {
  schema,
  nested: schemaOrReference,
  isChoice: true,
  fields: { properties: 31, extensions: 36, holders: { items: 30, additionalProperties: 32 }, lists: { allOf: 26, oneOf: 27, anyOf: 28 } },
}

/** A oneof of the value itself (1) and a reference (2). */
function orReference(out: Writer, value: JsonObject, write: (w: Writer, value: JsonObject) => void): void {
  if (typeof value.$ref === 'string') writeMessage(out, 2, w => writeString(w, 1, value.$ref))
  else writeMessage(out, 1, w => write(w, value))
}

function schemaOrReference(out: Writer, value: Json): void {
  orReference(out, objectIn(value), schema)
}

const parameterOrReference = (out: Writer, value: Json): void => orReference(out, objectIn(value), parameter)

/** SecurityScheme */
function securityScheme(out: Writer, value: Json): void {
  const object = objectIn(value)
  writeString(out, 1, object.type)
  writeString(out, 2, object.description)
  writeString(out, 3, object.name)
  writeString(out, 4, object.in)
}

const methods = { get: 4, put: 5, post: 6, delete: 7, options: 8, head: 9, patch: 10 } as const

/** PathItem */
function pathItem(out: Writer, value: Json): void {
  const item = objectIn(value)
  for (const [method, field] of Object.entries(methods))
    if (item[method]) writeMessage(out, field, w => operation(w, objectIn(item[method])))
  for (const entry of objectsIn(item.parameters)) writeMessage(out, 13, w => orReference(w, entry, parameter))
  extensions(out, 14, item)
}

/** Operation */
function operation(out: Writer, value: JsonObject): void {
  strings(out, 1, value.tags)
  writeString(out, 3, value.description)
  writeString(out, 5, value.operationId)
  for (const entry of objectsIn(value.parameters)) writeMessage(out, 6, w => orReference(w, entry, parameter))
  if (value.requestBody) writeMessage(out, 7, w => orReference(w, objectIn(value.requestBody), requestBody))
  writeMessage(out, 8, w => namedMessages(w, 2, value.responses, (v, entry) => orReference(v, objectIn(entry), response)))
  extensions(out, 13, value)
}

/** Parameter */
function parameter(out: Writer, value: JsonObject): void {
  writeString(out, 1, value.name)
  writeString(out, 2, value.in)
  writeString(out, 3, value.description)
  flag(out, 4, value.required)
  const of = value.schema
  if (of) writeMessage(out, 10, w => schemaOrReference(w, of))
}

/** RequestBody */
function requestBody(out: Writer, value: JsonObject): void {
  writeString(out, 1, value.description)
  content(out, 2, value)
  flag(out, 3, value.required)
}

/** Response */
function response(out: Writer, value: JsonObject): void {
  writeString(out, 1, value.description)
  content(out, 3, value)
}

/** MediaTypes by name. */
function content(out: Writer, field: number, value: JsonObject): void {
  if (!value.content) return
  const mediaType = (w: Writer, type: Json): void => {
    const of = objectIn(type).schema
    if (of) writeMessage(w, 1, s => schemaOrReference(s, of))
  }
  writeMessage(out, field, w => namedMessages(w, 1, value.content, mediaType))
}

/** Field numbers of a Schema's limits as doubles, of those as integers, and of lists of schemas. */
const numbers = { multipleOf: 10, maximum: 11, minimum: 13 } as const
const counts = { maxLength: 15, minLength: 16, maxItems: 18, minItems: 19, maxProperties: 21, minProperties: 22 } as const
const choices = SCHEMAS.fields.lists

/** Schema */
function schema(out: Writer, object: JsonObject): void {
  flag(out, 1, object.nullable)
  writeString(out, 9, object.title)
  measured(out, numbers, object)
  flag(out, 12, object.exclusiveMaximum)
  flag(out, 14, object.exclusiveMinimum)
  counted(out, counts, object)
  writeString(out, 17, object.pattern)
  flag(out, 20, object.uniqueItems)
  strings(out, 23, object.required)
  for (const entry of itemsIn(object.enum)) writeMessage(out, 24, w => any(w, entry))
  writeString(out, 25, object.type)
  for (const [name, field] of Object.entries(choices))
    for (const entry of itemsIn(object[name])) writeMessage(out, field, w => schemaOrReference(w, entry))
  if (object.not) writeMessage(out, 29, w => schema(w, objectIn(object.not)))
  const { items } = object
  if (items) writeMessage(out, 30, w => writeMessage(w, 1, s => schemaOrReference(s, items)))
  if (object.properties) writeMessage(out, 31, w => namedMessages(w, 1, object.properties, schemaOrReference))
  const additional = object.additionalProperties
  if (typeof additional === 'boolean') writeMessage(out, 32, w => w.uint32(2 << 3).bool(additional))
  else if (additional) writeMessage(out, 32, w => writeMessage(w, 1, s => schemaOrReference(s, additional)))
  defaultOf(out, object.default)
  writeString(out, 34, object.description)
  writeString(out, 35, object.format)
  extensions(out, 36, object)
}

/** DefaultType: a number, a boolean or a string. */
function defaultOf(out: Writer, value: Json | undefined): void {
  if (typeof value === 'number') writeMessage(out, 33, w => w.uint32((1 << 3) | 1).double(value))
  else if (typeof value === 'boolean') writeMessage(out, 33, w => w.uint32(2 << 3).bool(value))
  else if (typeof value === 'string') writeMessage(out, 33, w => w.uint32((3 << 3) | 2).string(value))
}
