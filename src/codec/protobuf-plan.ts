import type { Json } from '../api/meta/object.ts'
import type { Field, Schema, StructSchema } from '../schema/schema.ts'

/** An entry of a message: an inlined message or a field. */
export type PlanEntry =
  | { readonly number: number; readonly inline: StructSchema }
  | { readonly number: number; readonly field: Field; readonly schema: Schema }

const plans = new WeakMap<StructSchema, readonly PlanEntry[]>()

/**
 * Returns the entries of a struct's protobuf message by ascending number. A message that is inlined in JSON is one
 * entry; fields without a number are omitted.
 */
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

/** Go's zero values of absent non-pointer members. Times and raw JSON become an empty message; bytes are omitted. */
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
