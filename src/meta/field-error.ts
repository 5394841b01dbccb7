import { formatDouble } from '../lib/format-double.ts'
import { quote } from '../lib/go-quote.ts'
import { counted } from './error-bound.ts'
import type { FieldError, FieldErrorReason } from './field-error-type.ts'
import type { FieldPath } from './field-path.ts'

export type { FieldError, FieldErrorReason } from './field-error-type.ts'

/** A value that a message prints as it stands. */
export class Verbatim {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** For a value whose Go form the caller knows: a time, a struct. */
export const verbatim = (text: string): Verbatim => new Verbatim(text)

/** How Go prints a value inside a validation message: strings quoted, numbers plain, null as a quoted word, lists of strings in Go's syntax, objects as JSON. */
export function printValue(value: unknown): string {
  if (value === undefined || value === null) return '"null"'
  if (typeof value === 'string') return quote(value)
  if (value instanceof Verbatim) return value.text
  if (Array.isArray(value) && value.every(item => typeof item === 'string')) return `[]string{${value.map(quote).join(', ')}}`
  if (typeof value === 'object') return JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? Number(member) : member))
  return typeof value === 'number' && !Number.isSafeInteger(value) ? formatDouble(value) : String(value)
}

const withDetail = (head: string, detail: string): string => (detail === '' ? head : `${head}: ${detail}`)

const fieldError = (reason: FieldErrorReason, path: FieldPath, body: string): FieldError => counted({ reason, field: path.text, body })

export const required = (path: FieldPath, detail = ''): FieldError => fieldError('FieldValueRequired', path, withDetail('Required value', detail))

export const invalid = (path: FieldPath, value: unknown, detail: string): FieldError =>
  fieldError('FieldValueInvalid', path, withDetail(`Invalid value: ${printValue(value)}`, detail))

/** `value` is of a wrong type. */
export const typeInvalid = (path: FieldPath, value: unknown, detail: string): FieldError =>
  fieldError('FieldValueTypeInvalid', path, withDetail(`Invalid value: ${printValue(value)}`, detail))

/** The value is not printed: a rule about several of its parts is broken. */
export const invalidStructure = (path: FieldPath, detail: string): FieldError => fieldError('FieldValueInvalid', path, withDetail('Invalid value', detail))

/** `supported` in the order that upstream prints: pass it sorted where upstream sorts (it nearly always does). */
export const notSupported = (path: FieldPath, value: unknown, supported: readonly string[]): FieldError =>
  fieldError(
    'FieldValueNotSupported',
    path,
    withDetail(`Unsupported value: ${printValue(value)}`, supported.length > 0 ? `supported values: ${supported.map(quote).join(', ')}` : ''),
  )

export const forbidden = (path: FieldPath, detail: string): FieldError => fieldError('FieldValueForbidden', path, withDetail('Forbidden', detail))

export const duplicate = (path: FieldPath, value: unknown): FieldError => fieldError('FieldValueDuplicate', path, `Duplicate value: ${printValue(value)}`)

export const notFound = (path: FieldPath, value: unknown, detail = ''): FieldError =>
  fieldError('FieldValueNotFound', path, withDetail(`Not found: ${printValue(value)}`, detail))

export const tooLong = (path: FieldPath, maxLength: number): FieldError =>
  fieldError('FieldValueTooLong', path, `Too long: may not be more than ${maxLength} bytes`)

export const tooMany = (path: FieldPath, count: number, max: number): FieldError =>
  fieldError('FieldValueTooMany', path, `Too many: ${count}: must have at most ${max} items`)

/** Marks errors of hand-written validation that a declared rule makes as well. */
export const covered = (origin: string, errors: readonly FieldError[]): FieldError[] => errors.map(error => ({ ...error, origin, isCovered: true }))

export const fieldErrorText = (error: FieldError): string => `${error.field}: ${error.body}`
