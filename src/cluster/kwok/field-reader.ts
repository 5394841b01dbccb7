import type { Json, JsonObject } from '../../api/meta/object.ts'
import { isJsonObject } from '../../api/meta/object.ts'
import { type FieldError, fieldErrorText, invalid, notSupported, required, typeInvalid } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'

/** Thrown for an object that cannot be used. The message names the object and lists every invalid field. */
export class KwokObjectError extends Error {
  override readonly name = 'KwokObjectError'
  /** Errors of the fields, in the order in which they were read. */
  readonly fields: readonly FieldError[]

  constructor(kind: string, name: string, fields: readonly FieldError[]) {
    super(`${kind} ${JSON.stringify(name)} is invalid: ${fields.map(fieldErrorText).join('; ')}`)
    this.fields = fields
  }
}

/**
 * Reads the members of an object, and collects an error for each that has the wrong type. Members that are null count
 * as absent.
 */
export class FieldReader {
  /** Path of the object in errors. */
  readonly path: FieldPath
  readonly #members: JsonObject
  readonly #errors: FieldError[]
  readonly #read = new Set<string>()

  constructor(members: JsonObject, path: FieldPath, errors: FieldError[]) {
    this.#members = members
    this.path = path
    this.#errors = errors
  }

  /** Adds an error. */
  report(error: FieldError): void {
    this.#errors.push(error)
  }

  /** Whether the object has the member, of any type. */
  has(name: string): boolean {
    this.#read.add(name)
    return this.#member(name) !== undefined
  }

  /** Returns a text, which may be empty. Undefined if it is absent or of another type. */
  text(name: string): string | undefined {
    return this.#typed(name, 'string', (value): value is string => typeof value === 'string')
  }

  /** Returns a text that must be there and not empty. Empty if it is not. */
  requiredText(name: string): string {
    const text = this.text(name)
    if (text === '' || !this.has(name)) this.report(required(this.path.child(name)))
    return text ?? ''
  }

  /** Returns a text that must be one of several. */
  oneOf<T extends string>(name: string, values: readonly T[]): T | undefined {
    const text = this.text(name)
    const value = values.find(one => one === text)
    if (text !== undefined && value === undefined) this.report(notSupported(this.path.child(name), text, values))
    return value
  }

  /** Returns a boolean. False if it is absent. */
  flag(name: string): boolean {
    return this.#typed(name, 'boolean', (value): value is boolean => typeof value === 'boolean') ?? false
  }

  number(name: string): number | undefined {
    return this.#typed(name, 'number', (value): value is number => typeof value === 'number')
  }

  /** Returns the text of a string or a number, as for a quantity. */
  amount(name: string): string | undefined {
    const value = this.#typed(name, 'string', (one): one is string | number => typeof one === 'string' || typeof one === 'number')
    return value === undefined ? undefined : String(value)
  }

  /** Returns an integer within bounds. */
  integer(name: string, least: number, most = Number.MAX_SAFE_INTEGER): number | undefined {
    const value = this.#typed(name, 'integer', (one): one is number => Number.isSafeInteger(one))
    if (value !== undefined && value < least)
      this.report(invalid(this.path.child(name), value, `must be greater than or equal to ${least}`))
    if (value !== undefined && value > most) this.report(invalid(this.path.child(name), value, `must be less than or equal to ${most}`))
    return value
  }

  /** Returns a reader of an object, or undefined if it is absent. */
  object(name: string): FieldReader | undefined {
    const value = this.#typed(name, 'object', isJsonObject)
    return value && new FieldReader(value, this.path.child(name), this.#errors)
  }

  /** Returns readers of the objects of a list. */
  objects(name: string): FieldReader[] {
    return this.#items(name).flatMap((item, i) => {
      const path = this.path.child(name).index(i)
      if (isJsonObject(item)) return [new FieldReader(item, path, this.#errors)]
      this.report(typeInvalid(path, item, 'must be an object'))
      return []
    })
  }

  /** Returns the texts of a list. Items of another type are reported and left out. */
  texts(name: string): string[] {
    return this.#items(name).flatMap((item, i) => {
      if (typeof item === 'string') return [item]
      this.report(typeInvalid(this.path.child(name).index(i), item, 'must be a string'))
      return []
    })
  }

  /** Returns the integers of a list, both bounds inclusive. Other items are reported and left out. */
  integers(name: string, least: number, most: number): number[] {
    return this.#items(name).flatMap((item, i) => {
      if (typeof item === 'number' && Number.isSafeInteger(item) && item >= least && item <= most) return [item]
      this.report(invalid(this.path.child(name).index(i), item, `must be an integer between ${least} and ${most}`))
      return []
    })
  }

  /** Returns a map of texts, such as labels. Undefined if it is absent. */
  textMap(name: string): ReadonlyMap<string, string> | undefined {
    const map = this.object(name)
    return map && new Map(map.names().map(key => [key, map.text(key) ?? '']))
  }

  /** Returns the names of all members. */
  names(): string[] {
    return Object.keys(this.#members)
  }

  /** Reports the members that have not been read: a misspelt field must not be ignored. */
  rejectOthers(): void {
    for (const name of Object.keys(this.#members)) if (!this.#read.has(name)) this.report(invalid(this.path, name, 'unknown field'))
  }

  /** Returns the items of a list. Empty if it is absent. */
  #items(name: string): Json[] {
    return this.#typed(name, 'array', (value): value is Json[] => Array.isArray(value)) ?? []
  }

  /** Returns a member. Undefined if it is absent or null. */
  #member(name: string): Json | undefined {
    return Object.hasOwn(this.#members, name) ? (this.#members[name] ?? undefined) : undefined
  }

  /** Returns a member of a type. One of another type is reported. */
  #typed<T extends Json>(name: string, type: string, isOfType: (value: Json) => value is T): T | undefined {
    this.#read.add(name)
    const value = this.#member(name)
    if (value === undefined) return undefined
    if (isOfType(value)) return value
    this.report(typeInvalid(this.path.child(name), value, `must be of type ${type}`))
    return undefined
  }
}
