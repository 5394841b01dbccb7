import { type FieldError, invalid, required } from '../meta/field-error.ts'
import type { FieldPath } from '../meta/field-path.ts'
import type { DeclaredRule, Field, StructSchema } from './schema.ts'

/** Told where declared rules find something else than hand-written ones, and where one throws. */
export interface DeclaredObserver {
  mismatch(detail: string): void
  panic(detail: string): void
}

/** For validation that nobody watches. */
export const UNOBSERVED: DeclaredObserver = { mismatch() {}, panic() {} }

/** Below the minimum, absent values counting as Go's zero. */
export const minimum = (least: number): DeclaredRule => ({
  origin: 'minimum',
  check: (value = 0, path) => (Number(value) < least ? [{ ...invalid(path, value, `must be greater than or equal to ${least}`), origin: 'minimum' }] : []),
})

/** What is wrong by the rules of a type, at any depth. Members of lists and maps have none yet. */
export type Validate = (value: object, path: FieldPath) => FieldError[]

/** The rules of a type as one function; undefined where no field has any, which is so of nearly all types. A type that contains itself is followed once. */
export function declaredValidation(schema: StructSchema, above: ReadonlySet<StructSchema['fields']> = new Set()): Validate | undefined {
  if (above.has(schema.fields)) return undefined
  const within = new Set([...above, schema.fields])
  const parts = [...schema.fields.values()].flatMap(field => {
    const inner = field.schema.type === 'struct' ? declaredValidation(field.schema, within) : undefined
    const own = field.rules && ownRules(field)
    return [...(own ? [own] : []), ...(inner ? [innerRules(field, inner)] : [])]
  })
  if (parts.length === 0) return undefined
  return (value, path) => parts.flatMap(part => part(value, path))
}

const memberOf = (value: object, name: string): unknown => (value as Readonly<Record<string, unknown>>)[name]

/** A pointer with a default is never absent, so that it counts as required. */
const ownRules =
  ({ name, rules = [], pointer, default: preset }: Field): Validate =>
  (value, path) => {
    const member = memberOf(value, name)
    const at = path.child(name)
    if (member === undefined && pointer) return preset === undefined ? [] : [required(at)]
    return rules.flatMap(rule => rule.check(member, at))
  }

const innerRules =
  ({ name }: Field, inner: Validate): Validate =>
  (value, path) => {
    const member = memberOf(value, name)
    return typeof member === 'object' && member !== null ? inner(member, path.child(name)) : []
  }
