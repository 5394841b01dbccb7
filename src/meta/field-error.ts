import { formatDouble } from '../lib/format-double.ts'
import { goJsonText } from '../lib/go-json-text.ts'
import { quote } from '../lib/go-quote.ts'
import { counted } from './error-bound.ts'
import { hasFewValues } from './few-values.ts'
import type { FieldError, FieldErrorReason } from './field-error-type.ts'
import type { FieldPath } from './field-path.ts'
import { type Detail, isWordedSince, textIn, type Wording, words } from './wording.ts'

export type { FieldError, FieldErrorReason } from './field-error-type.ts'
export { type Detail, words } from './wording.ts'

/** A value that messages print without quotes. */
export class Verbatim {
  readonly text: string
  /** Prints the value as 1.34 and later do, if known. */
  readonly json: (() => string) | undefined

  constructor(text: string, json?: () => string) {
    this.text = text
    this.json = json
  }
}

/** Wraps a value whose Go form the caller knows, such as a time or a struct. `json` prints it for 1.34 and later. */
export const verbatim = (text: string, json?: () => string): Verbatim => new Verbatim(text, json)

/** Limit on the values that a message prints. Printing tens of thousands takes longer than a turn. */
const MOST_PRINTED = 4000

/** Prints a value, with its JSON, by these functions. One that holds more than 4,000 values is printed as its type. */
export const verbatimOf = (type: string, value: object | null | undefined, print: () => string, json: () => string): Verbatim =>
  hasFewValues(value, MOST_PRINTED) ? verbatim(print(), json) : verbatim(`${type}{...}`, () => '"..."')

/**
 * Prints a value as Go does in a validation message: strings quoted, numbers plain, null as a quoted word, lists of
 * strings in Go's syntax, objects as JSON. Lists and objects of more than 4,000 values are not printed.
 */
export function printValue(value: unknown): string {
  if (value === undefined || value === null) return '"null"'
  if (typeof value === 'string') return quote(value)
  if (value instanceof Verbatim) return value.text
  if (!hasFewValues(value, MOST_PRINTED)) return '"..."'
  if (Array.isArray(value) && value.every(item => typeof item === 'string')) return `[]string{${value.map(quote).join(', ')}}`
  if (typeof value === 'object')
    return JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? Number(member) : member))
  return typeof value === 'number' && !Number.isSafeInteger(value) ? formatDouble(value) : String(value)
}

/** Returns a function that prints the value for 1.34 and later, or undefined if there is no difference. */
function jsonPrinter(value: unknown): (() => string) | undefined {
  if (value === undefined || value === null) return () => 'null'
  if (value instanceof Verbatim) return value.json
  if (!Array.isArray(value) || !hasFewValues(value, MOST_PRINTED)) return undefined
  return value.every(item => typeof item === 'string') ? () => goJsonText(value) : undefined
}

const withDetail = (head: string, detail: string): string => (detail === '' ? head : `${head}: ${detail}`)

/** @param laterHead returns the text before the detail since 1.34, if it differs. */
function fieldError(reason: FieldErrorReason, path: FieldPath, detail: Detail, head: string, laterHead?: () => string): FieldError {
  const error: FieldError = { reason, field: path.text, body: withDetail(head, `${detail}`) }
  if (!laterHead && (typeof detail === 'string' || detail.before === detail.since)) return counted(error)
  const bodyIn = (wording: Wording): string => {
    const start = laterHead && isWordedSince(wording, '1.34') ? laterHead() : head
    return withDetail(start, textIn(detail, wording))
  }
  return counted({ ...error, reworded: wording => ({ ...error, body: bodyIn(wording) }) })
}

/** Creates an error that shows the value after `head`. */
function valueError(reason: FieldErrorReason, path: FieldPath, value: unknown, head: string, detail: Detail): FieldError {
  const json = jsonPrinter(value)
  return fieldError(reason, path, detail, `${head}: ${printValue(value)}`, json && (() => `${head}: ${json()}`))
}

/** Returns the error with the message of a release. Undefined if the release does not report it. */
export const worded = (error: FieldError, wording: Wording): FieldError | undefined => (error.reworded ? error.reworded(wording) : error)

/** Returns errors with the messages of a release, without those that it does not report. */
export const allWorded = (errors: readonly FieldError[], wording: Wording): FieldError[] =>
  errors.flatMap(error => worded(error, wording) ?? [])

/**
 * Returns an error that another one replaces since a release, with any reason and path. If `since` returns undefined,
 * no error replaces it.
 */
export const replacedSince = (release: Wording, before: FieldError, since: () => FieldError | undefined): FieldError => ({
  ...before,
  reworded: wording => {
    const error = isWordedSince(wording, release) ? since() : before
    return error && worded(error, wording)
  },
})

/** Creates an error for a required value that is missing or empty. */
export const required = (path: FieldPath, detail: Detail = ''): FieldError =>
  fieldError('FieldValueRequired', path, detail, 'Required value')

/** Creates an error for an invalid value, which the message shows. */
export const invalid = (path: FieldPath, value: unknown, detail: Detail): FieldError =>
  valueError('FieldValueInvalid', path, value, 'Invalid value', detail)

/** Creates an error for a changed value of a field that must not change. */
export const immutableError = (path: FieldPath, value: unknown): FieldError => invalid(path, value, 'field is immutable')

/** Creates an error for a value of the wrong type. */
export const typeInvalid = (path: FieldPath, value: unknown, detail: string): FieldError =>
  valueError('FieldValueTypeInvalid', path, value, 'Invalid value', detail)

/** Creates an error that does not show the value, for a rule about several of its parts. */
export const invalidStructure = (path: FieldPath, detail: string): FieldError =>
  fieldError('FieldValueInvalid', path, detail, 'Invalid value')

/**
 * Creates an error for an unsupported value. `supported` is printed in the given order: upstream nearly always sorts
 * it.
 */
export const notSupported = (path: FieldPath, value: unknown, supported: readonly string[]): FieldError =>
  valueError(
    'FieldValueNotSupported',
    path,
    value,
    'Unsupported value',
    supported.length > 0 ? `supported values: ${supported.map(quote).join(', ')}` : '',
  )

/** Creates an error for a field that may not be set or changed in this way. The message does not show the value. */
export const forbidden = (path: FieldPath, detail: Detail): FieldError => fieldError('FieldValueForbidden', path, detail, 'Forbidden')

/** Creates an error for a value that must be unique. */
export const duplicate = (path: FieldPath, value: unknown): FieldError =>
  valueError('FieldValueDuplicate', path, value, 'Duplicate value', '')

/** Creates an error for a value that must be unique, which the message does not show. */
export const duplicateStructure = (path: FieldPath): FieldError => fieldError('FieldValueDuplicate', path, '', 'Duplicate value')

/** Creates an error for a reference to a value that does not exist. */
export const notFound = (path: FieldPath, value: unknown, detail = ''): FieldError =>
  valueError('FieldValueNotFound', path, value, 'Not found', detail)

/** Creates an error for a value above its size limit in bytes. The message does not show the value. */
export const tooLongError = (path: FieldPath, maxLength: number): FieldError =>
  fieldError(
    'FieldValueTooLong',
    path,
    words(`may not be more than ${maxLength} bytes`, `may not be more than ${maxLength} ${maxLength === 1 ? 'byte' : 'bytes'}`),
    'Too long',
  )

/** Creates an error for a list with too many items. */
export const tooMany = (path: FieldPath, count: number, max: number): FieldError =>
  fieldError(
    'FieldValueTooMany',
    path,
    words(`must have at most ${max} items`, `must have at most ${max} ${max === 1 ? 'item' : 'items'}`),
    `Too many: ${count}`,
  )

/** Creates an error for a list or a map with too few members. */
export const tooFew = (path: FieldPath, count: number, min: number): FieldError =>
  fieldError('FieldValueTooFew', path, `must have at least ${min} ${min === 1 ? 'item' : 'items'}`, `Too few: ${count}`)

/** Creates an error for a text with too few characters. The message does not show the text. */
export const tooShort = (path: FieldPath, min: number): FieldError =>
  fieldError('FieldValueTooShort', path, `must be at least ${min} ${min === 1 ? 'character' : 'characters'}`, 'Too short')

/** Returns the error with another path, in every release. */
export function atField(error: FieldError, field: string): FieldError {
  const { reworded } = error
  if (!reworded) return { ...error, field }
  const inRelease = (wording: Wording): FieldError | undefined => {
    const inWording = reworded(wording)
    return inWording && { ...inWording, field }
  }
  return { ...error, field, reworded: inRelease }
}

/** Marks errors of hand-written validation that a declarative rule reports as well. */
export const covered = (origin: string, errors: readonly FieldError[]): FieldError[] =>
  errors.map(error => ({ ...error, origin, isCovered: true }))

/** Marks errors about missing values that a declarative rule reports as well. */
export const requiredCovered = (errors: readonly FieldError[]): FieldError[] =>
  errors.map(error => (error.reason === 'FieldValueRequired' ? { ...error, origin: '', isCovered: true } : error))

/** Prints the path and the message of an error. */
export const fieldErrorText = (error: FieldError): string => `${error.field}: ${error.body}`

/** Appends to a list and returns it. Does not use spread arguments, whose number is limited. */
export function appendErrors(errors: FieldError[], more: readonly FieldError[]): FieldError[] {
  for (const error of more) errors.push(error)
  return errors
}
