import { WIRE_BYTES, WIRE_VARINT } from '../lib/protobuf-wire.ts'
import { orderedFields } from '../schema/members.ts'
import type { Schema, StructSchema } from '../schema/schema.ts'
import { encodeField } from './protobuf-encode.ts'
import { type PlanEntry, planOf } from './protobuf-plan.ts'

/** How a value is converted from JSON to protobuf. `other`: it is parsed and encoded as objects are. */
export type ValueForm = 'string' | 'integer' | 'boolean' | 'time' | 'quantity' | 'raw' | 'json' | 'struct' | 'list' | 'map' | 'other'

/** Bytes reserved for a length before it is known. The last length of the same field predicts the next one. */
export interface Room {
  /** Number of bytes, 1 to 4. */
  bytes: number
}

/** Schema of a value with everything its transcoding needs. */
export interface ValueLayout {
  readonly form: ValueForm
  readonly number: number
  readonly tag: number
  readonly schema: Schema
  /** Reserved for the length of the value. */
  readonly room: Room
  /** Reserved for the length inside the value's message: of a text, raw JSON, or the key of a map entry. */
  readonly inner: Room
  /** Items of a list, or values of a map. */
  readonly items: ValueLayout | undefined
  /** Layout of a struct. Created when the struct first occurs, because types can be recursive. */
  layout: MessageLayout | undefined
}

/** A member of a struct in JSON. */
export interface MemberLayout {
  /** `"name":`, as it appears in JSON. */
  readonly key: Uint8Array
  /** Index among the members. */
  readonly place: number
  /** Index among the entries; -1 if it has no field in the message. */
  readonly index: number
}

/** The three bytes at an offset, which distinguish most names. */
export const threeBytes = (bytes: Uint8Array, at: number): number =>
  (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16)

/** A field of a message. */
export interface EntryLayout {
  /** Index among the members; -1 for an inlined message. */
  readonly member: number
  readonly value: ValueLayout
  /** Bytes that are written if the member is absent. */
  readonly zero: Uint8Array | undefined
  readonly inline: readonly EntryLayout[] | undefined
}

/** The fields of a message and the members of its struct in JSON. */
export interface MessageLayout {
  /** Members in the order of JSON. */
  readonly members: readonly MemberLayout[]
  /** First three bytes of each member's name. */
  readonly begins: Int32Array
  /** Fields by ascending number. */
  readonly entries: readonly EntryLayout[]
  /** Concatenated `zero` bytes of all entries. */
  readonly zeros: Uint8Array
  /** Offset in `zeros` of each entry's bytes, followed by the end of the last. */
  readonly zeroEnds: Int32Array
  /** Whether some members are in an inlined message. */
  readonly inlines: boolean
  /**
   * Whether the last object had members in another order than the message. The next one is likely to have the same
   * order.
   */
  scattered: boolean
}

/**
 * Creates the layout of a struct. Layouts of nested structs are created when they first occur. Takes as long as
 * transcoding some hundred objects, so the caller keeps it.
 */
export function newLayout(schema: StructSchema): MessageLayout {
  const fields = orderedFields(schema)
  const places = new Map(fields.map(({ name }, place) => [name, place]))
  const entryOf = (entry: PlanEntry): EntryLayout => {
    if ('inline' in entry)
      return { member: -1, value: valueLayout(entry.number, entry.inline), zero: undefined, inline: planOf(entry.inline).map(entryOf) }
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
  const members = fields.map(({ name }, place) => ({
    key: Buffer.from(`${JSON.stringify(name)}:`),
    place,
    index: indices.get(place) ?? -1,
  }))
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
  return {
    form,
    number,
    tag: (number << 3) | wire,
    schema,
    room: { bytes: 1 },
    inner: { bytes: 1 },
    items: items ?? values,
    layout: undefined,
  }
}

/** Form of a value. Lists of lists, and maps of lists or maps, have wrapper messages, which are left to the encoder. */
function formOf(schema: Schema): ValueForm {
  switch (schema.type) {
    case 'list':
      return isPlainSchema(schema.items) ? 'list' : 'other'
    case 'map':
      return isPlainSchema(schema.values) ? 'map' : 'other'
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

const isPlainSchema = ({ type }: Schema): boolean => type !== 'list' && type !== 'map'
