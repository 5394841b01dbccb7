import { isJsonObject, type Json, type JsonObject } from '../../api/meta/object.ts'
import { quote } from '../../lib/go-quote.ts'
import { inInt64, parseInteger } from '../../lib/integer.ts'
import { ownMember } from '../../meta/equal.ts'
import { PatchError } from './error.ts'
import { jsonKind } from './go-print.ts'

export type Container = JsonObject | Json[]

/** Reports whether a value is an object or a list. */
export const isContainer = (value: Json): value is Container => typeof value === 'object' && value !== null

/** Location of a member or an element, which may not exist. */
export interface PointerTarget {
  readonly container: Container
  readonly key: string
  readonly path: string
}

/**
 * The error of an operation that does not apply, with the library's message. Of a client's patch, it is only logged
 * (see PatchErrorCode).
 */
export const patchError = (message: string): PatchError => new PatchError('unprocessable', message)

/** Reads the pointer of an operation. */
export function pointerOf(operation: JsonObject, member: 'path' | 'from', op: string): string {
  const pointer = ownMember(operation, member)
  if (typeof pointer === 'string') return pointer
  const decoding = `${op} operation failed to decode ${member}: `
  // The library wraps another error for the path of these operations.
  if (member === 'path' && (op === 'add' || op === 'remove' || op === 'copy')) throw patchError(`${decoding}missing value`)
  if (pointer === undefined || pointer === null)
    throw patchError(`${decoding}operation${member === 'path' ? ' missing path' : ', missing from'} field: missing value`)
  throw patchError(`${decoding}json: cannot unmarshal ${jsonKind(pointer)} into Go value of type string`)
}

/**
 * Resolves a pointer up to its last token. Undefined if a container on the path does not exist. Later tokens are not
 * read then: a pointer may have hundreds of thousands. `visit` is called with each container below the root.
 */
export function findPlace(root: Container, path: string, visit: (container: Container) => void): PointerTarget | undefined {
  const last = path.lastIndexOf('/')
  let container: Json | undefined = last < 0 ? undefined : root
  for (let start = path.indexOf('/') + 1; start <= last; ) {
    const end = path.indexOf('/', start)
    const token = unescaped(path.slice(start, end))
    if (Array.isArray(container)) container = container[elementIndex(container, token) ?? -1]
    else if (isJsonObject(container)) container = ownMember(container, token)
    if (typeof container !== 'object' || container === null) break
    visit(container)
    start = end + 1
  }
  return typeof container === 'object' && container !== null ? { container, key: unescaped(path.slice(last + 1)), path } : undefined
}

const unescaped = (token: string): string =>
  token.includes('~') ? token.replaceAll(/~[01]/g, escaped => (escaped === '~1' ? '/' : '~')) : token

/** Index of an existing element. Negative indices count from the end. Undefined if there is none. */
export function elementIndex(list: readonly Json[], key: string): number | undefined {
  const index = /^[+-]?\d{1,15}$/.test(key) ? Number(key) : Number.NaN
  const at = index < 0 ? index + list.length : index
  return at >= 0 && at < list.length ? at : undefined
}

/**
 * Index at which an element is added, at most the length. Negative indices count from the end, `-` is the end.
 * Undefined if the index is invalid.
 */
export function additionIndex(list: readonly Json[], key: string): number | undefined {
  if (key === '-') return list.length
  const index = /^[+-]?\d{1,15}$/.test(key) ? Number(key) : Number.NaN
  const at = index < 0 ? index + list.length + 1 : index
  return at >= 0 && at <= list.length ? at : undefined
}

/** Whether a token is an integer within int64, of an element or not. */
const isIndex = (key: string): boolean => /^[+-]?\d+$/.test(key) && inInt64(parseInteger(key.replace(/^\+/, '')))

/** The library's message for a token that is not the index of an element. */
export function indexFault(key: string): string {
  if (isIndex(key)) return `Unable to access invalid index: ${parseInteger(key.replace(/^\+/, ''))}: invalid index referenced`
  return `strconv.Atoi: parsing ${quote(key)}: ${/^[+-]?\d+$/.test(key) ? 'value out of range' : 'invalid syntax'}`
}

/** The library's message for a token at which no element can be added. */
export const additionFault = (key: string): string =>
  isIndex(key) ? indexFault(key) : `value was not a proper array index: '${key}': ${indexFault(key)}`

/** The library's message for a missing container, which differs by operation. */
export function missingContainer(op: string, member: 'path' | 'from', path: string): string {
  if (op === 'add' || op === 'remove') return `${op} operation does not apply: doc is missing path: "${path}": missing value`
  if (op === 'test') return `test operation does not apply: is missing path: ${path}: missing value`
  const what = op === 'replace' ? 'path' : member === 'from' ? 'from path' : 'destination path'
  return `${op} operation does not apply: doc is missing ${what}: ${path}: missing value`
}
