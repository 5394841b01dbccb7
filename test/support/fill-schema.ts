import type { Json, JsonObject } from '../../src/api/meta/object.ts'
import type { Schema, StructSchema } from '../../src/schema/schema.ts'

/** How deep types that hold themselves are followed. */
const DEPTH = 8

/** A value of the type with every member set, and each one's value telling its place. */
export function fillStruct(schema: StructSchema, path = '', depth = 0): JsonObject {
  const members: [string, Json][] = []
  for (const [name, field] of schema.fields) if (depth < DEPTH) members.push([name, fill(field.schema, `${path}.${name}`, depth + 1)])
  return Object.fromEntries(members)
}

function fill(schema: Schema, path: string, depth: number): Json {
  switch (schema.type) {
    case 'struct':
      return fillStruct(schema, path, depth)
    case 'map':
      return { key: fill(schema.values, `${path}[key]`, depth + 1) }
    case 'list':
      return [fill(schema.items, `${path}[0]`, depth + 1)]
    case 'integer':
      return path.length
    case 'number':
      return path.length / 2
    case 'boolean':
      return true
    case 'bytes':
      return Buffer.from(path).toString('base64')
    case 'time':
      return '2026-01-02T03:04:05Z'
    case 'microTime':
      return '2026-01-02T03:04:05.000006Z'
    case 'duration':
      return '1h2m3s'
    case 'quantity':
      return String(path.length)
    case 'intOrString':
      return path
    case 'raw':
    case 'json':
      return { raw: path }
    case 'union':
      return fillStruct(schema.struct, path, depth)
    case 'string':
      return schema.enum?.at(-1) ?? path
  }
}
