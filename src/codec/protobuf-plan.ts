import type { Json } from '../meta/object.ts'
import type { Field, Schema, StructSchema } from '../schema/schema.ts'

/** One member of a message, in the order of field numbers. */
export type PlanEntry = { readonly number: number; readonly inline: StructSchema } | { readonly number: number; readonly field: Field; readonly schema: Schema }

const plans = new WeakMap<StructSchema, readonly PlanEntry[]>()

/** The members of a struct's protobuf message, by ascending number. A message that is inlined in JSON is a member of its own; fields without a number have no place. */
export function planOf(schema: StructSchema): readonly PlanEntry[] {
  const known = plans.get(schema)
  if (known) return known
  const inlined = new Set(schema.inlines.flatMap(inline => [...inline.schema.fields.values()]))
  const entries: PlanEntry[] = [
    ...schema.inlines.map(({ number, schema: inline }) => ({ number, inline })),
    ...[...schema.fields.values()]
      .filter(field => field.number > 0 && !inlined.has(field))
      .map(field => ({ number: field.number, field, schema: field.schema })),
  ].sort((a, b) => a.number - b.number)
  plans.set(schema, entries)
  return entries
}

/** Wire types: the lower three bits of a tag. Source: https://protobuf.dev/programming-guides/encoding */
export const WIRE_VARINT = 0
export const WIRE_FIXED64 = 1
export const WIRE_BYTES = 2
export const WIRE_FIXED32 = 5

/** Go's zero values, for members that are absent and no pointers; a time or raw JSON is an empty message then, and bytes are not there. */
export const zeros: Readonly<Partial<Record<Schema['type'], Json>>> = {
  struct: {},
  string: '',
  integer: 0,
  number: 0,
  boolean: false,
  time: null,
  microTime: null,
  raw: null,
  json: null,
  quantity: '0',
  intOrString: 0,
  duration: '0s',
}
