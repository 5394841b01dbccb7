import { type Json, type JsonObject, objectIn } from '../../api/meta/object.ts'
import { type Writer, writeMessage } from '../../lib/protobuf-writing.ts'
import { SWAGGER_PARTS, type SwaggerMember } from './documents.ts'
import { any, counted, extensions, flag, itemsIn, measured, namedMessages, objectsIn, strings, writeString } from './gnostic-parts.ts'
import { encoded, namedPieces, type SchemaForm } from './gnostic-pieces.ts'

/** Field numbers of the parts in a Document, and of the named members in each part. */
const NUMBER_OF = { paths: 8, definitions: 9, parameters: 10 } as const
const MEMBER_OF = { paths: 2, definitions: 1, parameters: 1 } as const

/**
 * Encodes one of our Swagger 2.0 documents in the protobuf form that kubectl and client-go request, in pieces. Source:
 * OpenAPIv2.proto of gnostic; only fields that our documents have are written. Values of any shape (extensions,
 * defaults, enums) are YAML strings. `head`, `members`, `tail`: as in `documents.ts`.
 */
export function* encodeSwagger(
  head: JsonObject,
  members: Iterable<SwaggerMember | undefined>,
  tail: JsonObject,
): Generator<Buffer | undefined, void> {
  yield encoded(out => {
    writeString(out, 1, head.swagger)
    const info = objectIn(head.info)
    writeMessage(out, 2, w => {
      writeString(w, 1, info.title)
      writeString(w, 2, info.version)
    })
  })
  // The length of a part precedes its members.
  const pieces: Record<SwaggerMember['part'], Buffer[]> = { paths: [], definitions: [], parameters: [] }
  const write = { paths: pathItem, parameters: parameter }
  for (const member of members) {
    if (member) {
      const { part, name, value } = member
      const field = MEMBER_OF[part]
      if (part === 'definitions') for (const piece of yield* namedPieces(SCHEMAS, field, { [name]: value })) pieces[part].push(piece)
      else pieces[part].push(encoded(out => namedMessages(out, field, { [name]: value }, write[part])))
    }
    yield
  }
  for (const part of SWAGGER_PARTS) {
    const length = pieces[part].reduce((sum, piece) => sum + piece.length, 0)
    yield encoded(out => out.uint32((NUMBER_OF[part] << 3) | 2).uint32(length))
    yield* pieces[part]
  }
  yield encoded(out => {
    for (const requirement of objectsIn(tail.security))
      writeMessage(out, 12, w => namedMessages(w, 1, requirement, (v, value) => strings(v, 1, value)))
    writeMessage(out, 13, w =>
      namedMessages(w, 1, tail.securityDefinitions, (v, value) => writeMessage(v, 2, key => apiKey(key, objectIn(value)))),
    )
  })
}

const SCHEMAS: SchemaForm = {
  schema,
  nested: schema,
  isChoice: false,
  fields: { properties: 25, extensions: 31, holders: { additionalProperties: 21, items: 23 }, lists: { allOf: 24 }, default: 5 },
}

/** ApiKeySecurity */
function apiKey(out: Writer, value: JsonObject): void {
  writeString(out, 1, value.type)
  writeString(out, 2, value.name)
  writeString(out, 3, value.in)
  writeString(out, 4, value.description)
}

/** PathItem */
function pathItem(out: Writer, value: Json): void {
  const item = objectIn(value)
  const methods = { get: 2, put: 3, post: 4, delete: 5, options: 6, head: 7, patch: 8 } as const
  for (const [method, field] of Object.entries(methods))
    if (item[method]) writeMessage(out, field, w => operation(w, objectIn(item[method])))
  for (const entry of objectsIn(item.parameters)) writeMessage(out, 9, w => parametersItem(w, entry))
  extensions(out, 10, item)
}

/** Operation */
function operation(out: Writer, value: JsonObject): void {
  strings(out, 1, value.tags)
  writeString(out, 3, value.description)
  writeString(out, 5, value.operationId)
  strings(out, 6, value.produces)
  strings(out, 7, value.consumes)
  for (const entry of objectsIn(value.parameters)) writeMessage(out, 8, w => parametersItem(w, entry))
  writeMessage(out, 9, w =>
    namedMessages(w, 1, value.responses, (v, response) => writeMessage(v, 1, r => responseOf(r, objectIn(response)))),
  )
  strings(out, 10, value.schemes)
  extensions(out, 13, value)
}

/** Response. Its schema is a oneof, whose other case is a file. */
function responseOf(out: Writer, value: JsonObject): void {
  writeString(out, 1, value.description)
  const answer = value.schema
  if (answer) writeMessage(out, 2, item => writeMessage(item, 1, w => schema(w, answer)))
}

/** ParametersItem: a oneof of a parameter (1) and a reference (2). */
function parametersItem(out: Writer, value: JsonObject): void {
  if (typeof value.$ref === 'string') writeMessage(out, 2, w => writeString(w, 1, value.$ref))
  else writeMessage(out, 1, w => parameter(w, value))
}

/** Parameter: a oneof of a body (1) and other parameters (2), which have a message for each location. */
function parameter(out: Writer, value: Json): void {
  const object = objectIn(value)
  if (object.in === 'body') {
    const body = object.schema
    writeMessage(out, 1, w => {
      writeString(w, 1, object.description)
      writeString(w, 2, object.name)
      writeString(w, 3, object.in)
      flag(w, 4, object.required)
      if (body) writeMessage(w, 5, s => schema(s, body))
    })
    return
  }
  // The message of a path parameter lacks `allow_empty_value`, so the fields behind it have other numbers.
  const query = object.in === 'query'
  writeMessage(out, 2, choice => {
    writeMessage(choice, query ? 3 : 4, w => {
      flag(w, 1, object.required)
      writeString(w, 2, object.in)
      writeString(w, 3, object.description)
      writeString(w, 4, object.name)
      writeString(w, query ? 6 : 5, object.type)
      flag(w, query ? 20 : 19, object.uniqueItems)
    })
  })
}

/** Field numbers of a Schema's limits, as doubles and as integers. */
const numbers = { multipleOf: 6, maximum: 7, minimum: 9 } as const
const counts = { maxLength: 11, minLength: 12, maxItems: 14, minItems: 15, maxProperties: 17, minProperties: 18 } as const

/** Schema */
function schema(out: Writer, value: Json): void {
  const object = objectIn(value)
  writeString(out, 1, object.$ref)
  writeString(out, 2, object.format)
  writeString(out, 3, object.title)
  writeString(out, 4, object.description)
  const standing = object.default
  if (standing !== undefined) writeMessage(out, 5, w => any(w, standing))
  measured(out, numbers, object)
  flag(out, 8, object.exclusiveMaximum)
  flag(out, 10, object.exclusiveMinimum)
  counted(out, counts, object)
  writeString(out, 13, object.pattern)
  flag(out, 16, object.uniqueItems)
  strings(out, 19, object.required)
  for (const entry of itemsIn(object.enum)) writeMessage(out, 20, w => any(w, entry))
  const additional = object.additionalProperties
  if (typeof additional === 'boolean') writeMessage(out, 21, w => w.uint32(16).bool(additional))
  else if (additional) writeMessage(out, 21, w => writeMessage(w, 1, s => schema(s, additional)))
  if (typeof object.type === 'string') writeMessage(out, 22, w => writeString(w, 1, object.type))
  const { items } = object
  if (items) writeMessage(out, 23, w => writeMessage(w, 1, s => schema(s, items)))
  for (const entry of itemsIn(object.allOf)) writeMessage(out, 24, w => schema(w, entry))
  if (object.properties) writeMessage(out, 25, w => namedMessages(w, 1, object.properties, schema))
  extensions(out, 31, object)
}
