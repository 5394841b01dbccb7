import type { Json } from '../meta/object.ts'
import { isScalar, type ListSchema, type ScalarSchema, type Schema } from '../schema/schema.ts'
import { goPrint, goType } from './patch/go-print.ts'
import { type PathElement, printElement } from './path-element.ts'
import { elementOf, TypedError } from './typed-list.ts'
import { memberSchema, shapeOf } from './typed-schema.ts'

/** What is wrong with an applied configuration, a line each, as structured-merge-diff says it: unknown members, wrong kinds, repeated or missing keys. */
export function validateTyped(schema: Schema | undefined, value: Json): string[] {
  const errors: string[] = []
  validate(schema, value, '', { errors, repeatable: false })
  return errors
}

/** The same of a live object, whose lists may have elements of the same key. */
export function validateLive(schema: Schema | undefined, value: Json): string[] {
  const errors: string[] = []
  validate(schema, value, '', { errors, repeatable: true })
  return errors
}

interface Validation {
  readonly errors: string[]
  /** Elements of a list may have the same key. */
  readonly repeatable: boolean
}

/** The text of several errors. */
export const errorsText = (errors: readonly string[]): string =>
  errors.length === 1 ? (errors[0] as string) : ['errors:', ...errors.map(error => `  ${error}`)].join('\n')

const complaint = (path: string, what: string): string => (path === '' ? what : `${path}: ${what}`)

function validate(schema: Schema | undefined, value: Json, path: string, validation: Validation): void {
  const { errors } = validation
  if (value === null || schema === undefined || schema.type === 'raw' || schema.type === 'json' || schema.type === 'union') return
  if (isScalar(schema)) {
    const wrong = misfit(schema, value)
    if (wrong !== undefined) errors.push(complaint(path, wrong))
  } else if (schema.type === 'list') {
    if (Array.isArray(value)) validateElements(schema, value, path, validation)
    else errors.push(complaint(path, `expected list, got &{${goPrint(value)}}`))
  } else if (typeof value !== 'object' || Array.isArray(value)) errors.push(complaint(path, `expected map, got &{${goPrint(value)}}`))
  else
    for (const name of Object.keys(value)) {
      const member = memberSchema(schema, name)
      if (member === undefined && schema.type === 'struct' && !schema.preserveUnknown) {
        errors.push(`${path}.${name}: field not declared in schema`)
        return
      }
      validate(member, value[name] as Json, `${path}.${name}`, validation)
    }
}

function validateElements(list: ListSchema, values: readonly Json[], path: string, validation: Validation): void {
  const { errors, repeatable } = validation
  const keyed = shapeOf(list) === 'elements'
  const seen = new Set<PathElement>()
  for (const [i, value] of values.entries()) {
    let element = `i:${i}`
    if (keyed) {
      try {
        element = elementOf(list, value, i)
      } catch (error) {
        if (!(error instanceof TypedError)) throw error
        errors.push(`${path}: ${error.message}`)
        return
      }
      if (seen.has(element) && !repeatable) errors.push(`${path}: duplicate entries for key ${printElement(element)}`)
      seen.add(element)
    }
    validate(list.items, value, path + printElement(element), validation)
  }
}

function misfit(schema: ScalarSchema, value: Json): string | undefined {
  const kind = typeof value
  const numeric = kind === 'number' || kind === 'bigint'
  switch (schema.type) {
    case 'integer':
    case 'number':
      return numeric ? undefined : `expected numeric (int or float), got ${goType(value)}`
    case 'string':
    case 'bytes':
      return kind === 'string' ? undefined : `expected string, got &value.valueUnstructured{Value:${goPrint(value)}}`
    case 'boolean':
      return kind === 'boolean' ? undefined : `expected boolean, got &{${goPrint(value)}}`
    default:
      return kind === 'object' ? `expected any scalar, got &{${goPrint(value)}}` : undefined
  }
}
