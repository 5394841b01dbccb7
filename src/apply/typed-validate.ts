import type { Json, KubeObject } from '../api/meta/object.ts'
import { isStepDone, type Steps } from '../lib/steps.ts'
import { memberNames } from '../lib/wide-objects.ts'
import { goLiteral } from '../schema/json-schema/go-value.ts'
import { type FormName, isScalar, type ListSchema, type ScalarSchema, type Schema, type StructSchema } from '../schema/schema.ts'
import { goPrint, printedType } from './patch/go-print.ts'
import { fieldElement, type PathElement, printElement } from './path-element.ts'
import { itemElement, TypedError } from './typed-list.ts'
import { memberSchema, shapeOf } from './typed-schema.ts'

/**
 * Validates a configuration against a schema, in steps. Returns structured-merge-diff's messages: unknown fields, wrong
 * types, duplicate or missing keys.
 */
export function* validateTyped(schema: Schema | undefined, value: Json): Steps<string[]> {
  const errors: string[] = []
  yield* validateNode(schema, value, undefined, { errors, repeatable: false })
  return errors
}

/**
 * Returns why a live object does not match its schema, with upstream's message. Undefined if it does. Only objects of
 * custom kinds may not match: they are kept when their schema changes, and are read in versions that declare other
 * fields. Built-in kinds are not checked.
 */
export const misfitOf = (schema: StructSchema, live: KubeObject): Steps<string | undefined> | undefined =>
  FINDERS[schema.form.name](schema, live)

const FINDERS: Readonly<Record<FormName, (schema: StructSchema, live: KubeObject) => Steps<string | undefined> | undefined>> = {
  typed: () => undefined,
  unstructured: findMisfit,
}

function* findMisfit(schema: StructSchema, live: KubeObject): Steps<string | undefined> {
  const errors: string[] = []
  // Lists of a live object may have items with duplicate keys.
  yield* validateNode(schema, live, undefined, { errors, repeatable: true })
  return errors.length === 0 ? undefined : errorsText(errors)
}

interface Validation {
  readonly errors: string[]
  /** Whether items of a list may have duplicate keys. */
  readonly repeatable: boolean
}

/** Path of a value, which is printed only in errors. */
interface ValuePath {
  readonly above: ValuePath | undefined
  readonly element: PathElement
}

function printPlace(place: ValuePath | undefined): string {
  let text = ''
  for (let at = place; at !== undefined; at = at.above) text = printElement(at.element) + text
  return text
}

/** Joins error messages as structured-merge-diff does. */
export function errorsText(errors: readonly string[]): string {
  const [first] = errors
  return first !== undefined && errors.length === 1 ? first : ['errors:', ...errors.map(error => `  ${error}`)].join('\n')
}

const complaint = (path: string, what: string): string => (path === '' ? what : `${path}: ${what}`)

/** Whether a value needs no validation. */
const isFree = (schema: Schema | undefined, value: Json): boolean =>
  value === null || schema === undefined || schema.type === 'raw' || schema.type === 'json' || schema.type === 'union'

/** Adds errors and continues beside them, but ends an object at its first undeclared member, as upstream. */
function* validateNode(schema: Schema | undefined, value: Json, place: ValuePath | undefined, validation: Validation): Steps<void> {
  if (schema === undefined || isFree(schema, value)) return
  const { errors } = validation
  if (isScalar(schema)) {
    const wrong = misfit(schema, value)
    if (wrong !== undefined) errors.push(complaint(printPlace(place), wrong))
  } else if (schema.type === 'list') {
    if (Array.isArray(value)) yield* validateElements(schema, value, place, validation)
    else errors.push(complaint(printPlace(place), `expected list, got &{${goPrint(value)}}`))
  } else if (typeof value !== 'object' || value === null || Array.isArray(value))
    errors.push(complaint(printPlace(place), `expected map, got &{${goPrint(value)}}`))
  else
    for (const name of yield* memberNames(value)) {
      if (isStepDone()) yield
      const inner = value[name] ?? null
      const member = memberSchema(schema, name)
      if (member === undefined && schema.type === 'struct' && !schema.preserveUnknown) {
        errors.push(`${printPlace(place)}.${name}: field not declared in schema`)
        return
      }
      if (!isFit(member, inner)) yield* validateNode(member, inner, { above: place, element: fieldElement(name) }, validation)
    }
}

/** Whether a value is valid, as far as that can be decided without its members or items. */
const isFit = (schema: Schema | undefined, value: Json): boolean =>
  schema === undefined || isFree(schema, value) || (isScalar(schema) && misfit(schema, value) === undefined)

/** An item without its keys ends the list, because later items have no path. */
function* validateElements(list: ListSchema, values: readonly Json[], place: ValuePath | undefined, validation: Validation): Steps<void> {
  const { errors, repeatable } = validation
  const keyed = shapeOf(list) === 'elements'
  const seen = new Set<PathElement>()
  let i = -1
  for (const value of values) {
    if (isStepDone()) yield
    let element = `i:${++i}`
    if (keyed) {
      try {
        element = itemElement(list, value, i)
      } catch (error) {
        if (!(error instanceof TypedError)) throw error
        errors.push(`${printPlace(place)}: ${error.message}`)
        return
      }
      if (seen.has(element) && !repeatable) errors.push(`${printPlace(place)}: duplicate entries for key ${printElement(element)}`)
      seen.add(element)
    }
    if (!isFit(list.items, value)) yield* validateNode(list.items, value, { above: place, element }, validation)
  }
}

/** Returns why a value does not match a scalar type. Undefined if it does. */
function misfit(schema: ScalarSchema, value: Json): string | undefined {
  const kind = typeof value
  const numeric = kind === 'number' || kind === 'bigint'
  switch (schema.type) {
    case 'integer':
    case 'number':
      return numeric ? undefined : `expected numeric (int or float), got ${printedType(value)}`
    case 'string':
    case 'bytes':
      return kind === 'string'
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${typeof value === 'object' ? goLiteral(value) : goPrint(value)}}`
    case 'boolean':
      return kind === 'boolean' ? undefined : `expected boolean, got &{${goPrint(value)}}`
    default:
      return kind === 'object' ? `expected any scalar, got &{${goPrint(value)}}` : undefined
  }
}
