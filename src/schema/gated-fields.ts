import type { TypedObject } from '../api/meta/object.ts'
import type { Steps } from '../lib/steps.ts'
import { turnIsLong } from '../lib/turn.ts'
import { forgetGivenEmpty, isGivenEmpty } from '../meta/empty-members.ts'
import type { FormName, GateUse, Schema, StructSchema } from './schema.ts'

/** A field that needs a feature gate, and its path from the object. */
export interface GatedField {
  readonly gate: string
  /**
   * Condition under which the old object keeps the field. Undefined if any field of the gate in the old object does.
   */
  readonly use: GateUse | undefined
  /** Path of the field, which is its last step. */
  readonly path: readonly PathStep[]
}

interface PathStep {
  readonly name: string
  /** Whether the field is cleared to null, because it is always written. */
  readonly isNull?: true
  /** Whether the next step is in the items of a list or in the values of a map. */
  readonly within?: 'list' | 'map'
  /** Whether the value is removed if it becomes empty. */
  readonly prune?: true
}

/** Returns every field of a type that needs a gate, at any depth. A recursive type is entered once. */
export const gatedFields = (schema: StructSchema): readonly GatedField[] => FINDERS[schema.form.name](schema)

/** Custom kinds have no gated fields. */
const FINDERS: Readonly<Record<FormName, (schema: StructSchema) => readonly GatedField[]>> = {
  typed(schema) {
    const found: GatedField[] = []
    collect(schema, [], false, new Set(), found)
    return found
  },
  unstructured: () => [],
}

/**
 * Adds the gated fields below a struct to `found`. `ungated`: whether the struct's own fields need no gate, because the
 * field that holds it says so; deeper fields need theirs. `above`: structs on the path, which end a recursion.
 */
function collect(
  schema: StructSchema,
  path: readonly PathStep[],
  ungated: boolean,
  above: Set<StructSchema['fields']>,
  found: GatedField[],
): void {
  if (above.has(schema.fields)) return
  above.add(schema.fields)
  for (const field of schema.fields.values()) {
    if (field.gate !== undefined && !ungated)
      found.push({
        gate: field.gate,
        use: field.gateUse,
        path: [...path, { name: field.name, ...(field.pointer && !field.omitEmpty && { isNull: true }) }],
      })
    const { within, struct } = structIn(field.schema)
    if (!struct) continue
    const step: PathStep = { name: field.name, ...(within && { within }), ...(struct.prune && { prune: true }) }
    collect(struct, [...path, step], field.ungated === true, above, found)
  }
  above.delete(schema.fields)
}

/** Returns the struct of a field, or of its items or values. */
function structIn(schema: Schema): { readonly within?: 'list' | 'map'; readonly struct?: StructSchema } {
  if (schema.type === 'struct') return { struct: schema }
  if (schema.type === 'list' && schema.items.type === 'struct') return { within: 'list', struct: schema.items }
  return schema.type === 'map' && schema.values.type === 'struct' ? { within: 'map', struct: schema.values } : {}
}

/**
 * Clears the fields of disabled gates from an object that the caller owns. `off` has all fields of each such gate. A
 * field that the old object uses is kept, so that turning a feature off loses no data; an empty list or object is not
 * in use. The old object is shared and not modified. Source: dropDisabledFields of each strategy upstream.
 */
export function* dropGatedFields(off: readonly GatedField[], next: TypedObject, old: TypedObject | undefined): Steps<void> {
  yield* clearFields(yield* fieldsToDrop(off, next, old), next)
}

/** Returns the fields that `dropGatedFields` clears. Most objects have none. */
export function* fieldsToDrop(off: readonly GatedField[], next: TypedObject, old: TypedObject | undefined): Steps<GatedField[]> {
  const found: GatedField[] = []
  for (const field of off) {
    if (reaches(next, field.path, 0, isDefined) && !isKept(field, off, old)) found.push(field)
    if (turnIsLong()) yield
  }
  return found
}

/** Clears fields from an object that the caller owns. */
export function* clearFields(fields: readonly GatedField[], next: TypedObject): Steps<void> {
  for (const { path } of fields) {
    drop(next, path, 0)
    if (turnIsLong()) yield
  }
}

function isKept({ gate, use, path }: GatedField, off: readonly GatedField[], old: TypedObject | undefined): boolean {
  if (old === undefined || use === 'never') return false
  if (use === 'created') return true
  if (use === 'own') return reaches(old, path, 0, isInUse)
  return off.some(field => field.gate === gate && field.use === undefined && reaches(old, field.path, 0, isInUse))
}

/** Whether `counts` accepts a value at the path, in any item of the lists along it. */
function reaches(value: unknown, path: readonly PathStep[], at: number, counts: (value: unknown) => boolean): boolean {
  const step = path[at]
  if (step === undefined) return counts(value)
  if (!isObject(value)) return false
  const member = value[step.name]
  if (member === undefined) return at === path.length - 1 && isGivenEmpty(value, step.name)
  if (step.within === undefined) return reaches(member, path, at + 1, counts)
  for (const each of elementValues(member)) if (reaches(each, path, at + 1, counts)) return true
  return false
}

const isDefined = (value: unknown): boolean => value !== undefined

const isInUse = (value: unknown): boolean =>
  value !== undefined && value !== null && (typeof value !== 'object' || Object.keys(value).length > 0)

/**
 * Clears the field at the path, in every item of the lists along it, and then the structs that became empty, from
 * within outwards.
 */
function drop(value: unknown, path: readonly PathStep[], at: number): void {
  const step = path[at]
  if (step === undefined || !isObject(value)) return
  const member = value[step.name]
  if (at === path.length - 1) {
    forgetGivenEmpty(value, step.name)
    if (member === undefined) return
    if (step.isNull) value[step.name] = null
    else delete value[step.name]
    return
  }
  if (member === undefined) return
  if (step.within === undefined) drop(member, path, at + 1)
  else for (const each of elementValues(member)) drop(each, path, at + 1)
  if (step.prune && isObject(member) && Object.keys(member).length === 0) delete value[step.name]
}

/** Returns the items of a list or the values of a map. */
function elementValues(member: unknown): readonly unknown[] {
  if (Array.isArray(member)) return member
  return isObject(member) ? Object.values(member) : []
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
