import { deepEqual, propertyOf } from '../meta/equal.ts'
import { type FieldError, required } from '../meta/field-error.ts'
import type { FieldPath } from '../meta/field-path.ts'
import type { Before, Field, FormName, IsOn, Schema, StructSchema } from './schema.ts'

/**
 * Called if declared rules report other errors than hand-written validation, or throw. `identifier`: the kind, the
 * subresource and the operation, `role_create`.
 */
export interface DeclaredObserver {
  mismatch(detail: string, identifier: string): void
  panic(detail: string, identifier: string): void
}

/** Ignores mismatches. */
export const UNOBSERVED: DeclaredObserver = { mismatch() {}, panic() {} }

/** Rules of a type, at any depth. Map values have no rules yet. */
export interface Declared {
  /** Returns the errors of a value. Parts that are unchanged since `before` are not checked. */
  errorsOf(value: object, path: FieldPath, before: Before | undefined, isOn: IsOn): FieldError[]
  /** Whether a rule can report the error. */
  covers(error: FieldError): boolean
}

/**
 * Returns the rules of a type. Undefined if no field has any, as for nearly all types. A recursive type is entered
 * once.
 */
export const declaredRules = (schema: StructSchema): Declared | undefined => FINDERS[schema.form.name](schema)

/** Custom kinds have no declared rules. */
const FINDERS: Readonly<Record<FormName, (schema: StructSchema) => Declared | undefined>> = {
  typed: rulesOfFields,
  unstructured: () => undefined,
}

function rulesOfFields(schema: StructSchema): Declared | undefined {
  const parts = ruleSets(schema, new Set())
  if (parts.length === 0) return undefined
  const places = new Set(parts.flatMap(part => part.places))
  return {
    errorsOf: errorsOfParts(parts),
    covers: ({ field, origin = '' }) => places.has(place(field.replace(INDEX, '[]').split('.'), origin)),
  }
}

type ErrorsOf = Declared['errorsOf']

interface RuleSet {
  readonly errorsOf: ErrorsOf
  /** Identifies the rules by path and origin. */
  readonly places: readonly string[]
}

/** Matches any list index. */
const INDEX = /\[[^\]]*\]?/g

const place = (path: readonly string[], origin: string): string => `${path.join('.')} ${origin}`
const prefixPlaces = (name: string, places: readonly string[]): string[] => places.map(each => `${name}.${each}`)

const errorsOfParts =
  (parts: readonly RuleSet[]): ErrorsOf =>
  (value, path, before, isOn) =>
    parts.flatMap(part => part.errorsOf(value, path, before, isOn))

function ruleSets(schema: StructSchema, above: ReadonlySet<StructSchema['fields']>): RuleSet[] {
  if (above.has(schema.fields)) return []
  const below = new Set([...above, schema.fields])
  return [...schema.fields.values()].flatMap(field => {
    const inner = innerPart(field, below)
    return field.rules ? [ownPart(field, inner)] : inner ? [inner] : []
  })
}

/** Returns the previous value of a member. Undefined if there is nothing to compare with. */
const memberBefore = (before: Before | undefined, name: string): Before | undefined => before && { value: propertyOf(before.value, name) }

const isUnchanged = (value: unknown, before: Before | undefined): boolean => before !== undefined && deepEqual(value, before.value)

/**
 * Combines the rules of a field and of its value. A pointer with a default is never absent, so it counts as required.
 */
function ownPart({ name, rules = [], pointer, default: preset }: Field, inner: RuleSet | undefined): RuleSet {
  const ofStruct = rules.filter(rule => rule.ofStruct)
  const first = rules.filter(rule => rule.endsTheField)
  const others = rules.filter(rule => !rule.endsTheField && !rule.ofStruct)
  const isNeeded = pointer === true && preset !== undefined
  return {
    places: [
      ...rules.map(({ origin, ofElements }) => place([ofElements ? `${name}[]` : name], origin)),
      ...(isNeeded ? [place([name], '')] : []),
      ...(inner?.places ?? []),
    ],
    errorsOf(value, path, before, isOn) {
      const member = propertyOf(value, name)
      const memberWas = memberBefore(before, name)
      const at = path.child(name)
      const about = ofStruct.flatMap(rule => rule.check(value, at, before, isOn))
      if (isUnchanged(member, memberWas)) return about
      const errors = [...about, ...first.flatMap(rule => rule.check(member, at, memberWas, isOn))]
      if (errors.length > 0) return errors
      if (member === undefined && pointer) return isNeeded ? [required(at)] : []
      return [...others.flatMap(rule => rule.check(member, at, memberWas, isOn)), ...(inner?.errorsOf(value, path, before, isOn) ?? [])]
    },
  }
}

/** Returns the rules of a struct, or of the structs in a list. List elements are not compared with previous ones. */
function innerPart({ name, schema }: Field, above: ReadonlySet<StructSchema['fields']>): RuleSet | undefined {
  const struct = structIn(schema)
  const parts = struct ? ruleSets(struct, above) : []
  if (parts.length === 0) return undefined
  const errorsOf = errorsOfParts(parts)
  const isList = schema.type === 'list'
  return {
    places: prefixPlaces(
      isList ? `${name}[]` : name,
      parts.flatMap(part => part.places),
    ),
    errorsOf(value, path, before, isOn) {
      const member = propertyOf(value, name)
      const memberWas = memberBefore(before, name)
      if (typeof member !== 'object' || member === null || isUnchanged(member, memberWas)) return []
      const at = path.child(name)
      return Array.isArray(member)
        ? member.flatMap((item, i) => errorsOf(item, at.index(i), undefined, isOn))
        : errorsOf(member, at, memberWas, isOn)
    },
  }
}

const structIn = (schema: Schema): StructSchema | undefined => {
  const inner = schema.type === 'list' ? schema.items : schema
  return inner.type === 'struct' ? inner : undefined
}
