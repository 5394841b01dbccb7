import { membersOf } from '../schema/members.ts'
import type { Schema, StructSchema } from '../schema/schema.ts'
import { encodeField } from './protobuf-encode.ts'
import { type PlanEntry, planOf, WIRE_BYTES, WIRE_VARINT } from './protobuf-plan.ts'

/** How a value is carried over from JSON to protobuf. `other`: it is parsed and encoded as objects are. */
export type ValueForm = 'string' | 'integer' | 'boolean' | 'time' | 'quantity' | 'raw' | 'json' | 'struct' | 'list' | 'map' | 'other'

/** Bytes that are left for a length before it is known: as many as the last one took, for the next is likely to take as many. */
export interface Room {
  /** 1 to 4. */
  bytes: number
}

/** A value beside its schema, with all that its transcoding asks for in one place. */
export interface ValueLayout {
  readonly form: ValueForm
  readonly number: number
  readonly tag: number
  readonly schema: Schema
  /** For the length of the value. */
  readonly room: Room
  /** For the length of what the value's message holds: a text, raw JSON, the key of a map's entry. */
  readonly inner: Room
  /** Of a list: its items. Of a map: its values. */
  readonly items: ValueLayout | undefined
  /** Of a struct; made when it is first met, for types hold themselves. */
  layout: MessageLayout | undefined
}

/** A member as it stands in JSON. */
export interface MemberLayout {
  /** `"name":`, as it stands in JSON. */
  readonly key: Uint8Array
  /** Its place among the members. */
  readonly place: number
  /** Its place among the entries; -1 where it has none. */
  readonly index: number
}

/** The three bytes at an offset: enough to distinguish most names. */
export const threeBytes = (bytes: Uint8Array, at: number): number => (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16)

/** A field of a message. */
export interface EntryLayout {
  /** Its place among the members; of an inlined message -1. */
  readonly member: number
  readonly value: ValueLayout
  /** What is written where it is absent. */
  readonly zero: Uint8Array | undefined
  readonly inline: readonly EntryLayout[] | undefined
}

/** A message beside the JSON of its struct. */
export interface MessageLayout {
  /** In the order of JSON. */
  readonly members: readonly MemberLayout[]
  /** Of each member, what stands after the quote. */
  readonly begins: Int32Array
  /** In the order of field numbers. */
  readonly entries: readonly EntryLayout[]
  /** What is written for all entries where they are absent, one after the other. */
  readonly zeros: Uint8Array
  /** Of each entry, where its own begins among them, and where the last ends. */
  readonly zeroEnds: Int32Array
  /** Some members stand in a message of their own. */
  readonly inlines: boolean
  /** The last one had members in another order than that of its message: the next is likely to have them so. */
  scattered: boolean
}

/** The layout of one struct; those of the structs within are made when they are met. Takes the time of some hundred objects: make it once. */
export function newLayout(schema: StructSchema): MessageLayout {
  const fields = membersOf(schema)
  const places = new Map(fields.map(({ name }, place) => [name, place]))
  const entryOf = (entry: PlanEntry): EntryLayout => {
    if ('inline' in entry) return { member: -1, value: valueLayout(entry.number, entry.inline), zero: undefined, inline: planOf(entry.inline).map(entryOf) }
    const { number, field } = entry
    const zero = encodeField(number, entry.schema, undefined, field.pointer)
    return {
      member: places.get(field.name) ?? -1,
      value: valueLayout(number, entry.schema),
      zero: zero.length === 0 ? undefined : zero,
      inline: undefined,
    }
  }
  const entries = planOf(schema).map(entryOf)
  const indices = new Map(entries.map(({ member }, index) => [member, index]))
  const members = fields.map(({ name }, place) => ({ key: Buffer.from(`${JSON.stringify(name)}:`), place, index: indices.get(place) ?? -1 }))
  let ended = 0
  const zeroEnds = entries.map(({ zero }) => {
    ended += zero?.length ?? 0
    return ended
  })
  return {
    members,
    begins: Int32Array.from(members, ({ key }) => threeBytes(key, 1)),
    entries,
    zeros: Buffer.concat(entries.flatMap(({ zero }) => zero ?? [])),
    zeroEnds: Int32Array.from([0, ...zeroEnds]),
    inlines: schema.inlines.length > 0,
    scattered: schema.inlines.length > 0,
  }
}

function valueLayout(number: number, schema: Schema): ValueLayout {
  const form = formOf(schema)
  const wire = form === 'integer' || form === 'boolean' ? WIRE_VARINT : WIRE_BYTES
  const items = form === 'list' && schema.type === 'list' ? valueLayout(number, schema.items) : undefined
  const values = form === 'map' && schema.type === 'map' ? valueLayout(2, schema.values) : undefined
  return { form, number, tag: (number << 3) | wire, schema, room: { bytes: 1 }, inner: { bytes: 1 }, items: items ?? values, layout: undefined }
}

/** A list of lists and a map of lists or maps have messages of their own between, which are left to the encoder. */
function formOf(schema: Schema): ValueForm {
  switch (schema.type) {
    case 'list':
      return isPlain(schema.items) ? 'list' : 'other'
    case 'map':
      return isPlain(schema.values) ? 'map' : 'other'
    case 'union':
    case 'number':
    case 'bytes':
    case 'microTime':
    case 'duration':
    case 'intOrString':
      return 'other'
    default:
      return schema.type
  }
}

const isPlain = ({ type }: Schema): boolean => type !== 'list' && type !== 'map'
