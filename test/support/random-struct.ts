import type { Json, JsonObject } from '../../src/api/meta/object.ts'
import type { Schema, StructSchema } from '../../src/schema/schema.ts'

type Random = () => number

/** How deep types that hold themselves are followed. */
const DEPTH = 9
/** The share of members that are there. */
const PRESENT = 0.6
const WORDS = ['a', 'b-c', 'Mixed/Case', 'zone.example', '42', 'ä 漢']

const below = (random: Random, bound: number): number => Math.floor(random() * bound)
const pick = <T>(random: Random, items: readonly T[]): T | undefined => items[below(random, items.length)]

/** Returns a value of the type with a random part of its members. Validation rules are ignored. */
export function randomStruct(schema: StructSchema, random: Random, depth = 0): JsonObject {
  const members: [string, Json][] = []
  for (const [name, field] of schema.fields)
    if (depth < DEPTH && random() < PRESENT) members.push([name, randomValue(field.schema, random, depth + 1)])
  return Object.fromEntries(members)
}

/** Returns a value of a type. Lists and maps have up to two items. Quantities and times are in canonical form. */
function randomValue(schema: Schema, random: Random, depth: number): Json {
  switch (schema.type) {
    case 'struct':
      return randomStruct(schema, random, depth)
    case 'map':
      return Object.fromEntries(
        Array.from({ length: below(random, 3) }, (_, i) => [`${pick(random, WORDS)}${i}`, randomValue(schema.values, random, depth + 1)]),
      )
    case 'list':
      return Array.from({ length: below(random, 3) }, () => randomValue(schema.items, random, depth + 1))
    case 'integer':
      return below(random, 100)
    case 'number':
      return below(random, 100) / 4
    case 'boolean':
      return random() < 0.5
    case 'bytes':
      return Buffer.from(pick(random, WORDS) ?? '').toString('base64')
    case 'time':
      return `2026-01-02T03:04:0${below(random, 10)}Z`
    case 'microTime':
      return `2026-01-02T03:04:05.00000${below(random, 10)}Z`
    case 'duration':
      return `${below(random, 59) + 1}s`
    case 'quantity':
      return `${below(random, 5)}`
    case 'intOrString':
      return random() < 0.5 ? below(random, 100) : (pick(random, WORDS) ?? '')
    case 'raw':
    case 'json':
      return { raw: pick(random, WORDS) ?? '' }
    case 'union':
      return randomStruct(schema.struct, random, depth)
    case 'string':
      return pick(random, schema.enum ?? WORDS) ?? ''
  }
}
