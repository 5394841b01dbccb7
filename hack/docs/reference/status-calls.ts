import { type SourceFile, sourceFiles } from '../../support/source-files.ts'

/** A place in src that makes a failure for a client. */
export interface StatusCall {
  readonly code: number
  readonly reason: string
  /**
   * Message that the client reads, with `…` for the parts that depend on the request. Empty if the message comes from
   * another error.
   */
  readonly words: string
  /** Path from the root of the repository. */
  readonly path: string
}

interface Factory {
  readonly code: number
  readonly reason: string
  /** Which argument is the text. */
  readonly at: number
  /** The text as the client reads it. */
  readonly around?: (text: string) => string
}

/**
 * Functions of src/meta/status.ts and its users that create failures. `test/unit/hack/reference.test.ts` compares the
 * table with the results of these functions.
 */
export const FACTORIES: Readonly<Record<string, Factory>> = {
  alreadyExistsError: { code: 409, reason: 'AlreadyExists', at: -1, around: () => 'RESOURCE "NAME" already exists' },
  badRequestError: { code: 400, reason: 'BadRequest', at: 0 },
  conflictError: { code: 409, reason: 'Conflict', at: 2, around: why => `Operation cannot be fulfilled on RESOURCE "NAME": ${why}` },
  expiredError: { code: 410, reason: 'Expired', at: 0 },
  forbiddenError: { code: 403, reason: 'Forbidden', at: 2, around: why => `RESOURCE "NAME" is forbidden: ${why}` },
  internalServerError: { code: 500, reason: 'InternalError', at: 0, around: text => `Internal error occurred: ${text}` },
  invalidError: { code: 422, reason: 'Invalid', at: -1, around: () => 'KIND "NAME" is invalid: FIELD: …' },
  methodNotAllowedError: {
    code: 405,
    reason: 'MethodNotAllowed',
    at: -1,
    around: () => 'the server does not allow this method on the requested resource',
  },
  notFoundError: { code: 404, reason: 'NotFound', at: -1, around: () => 'RESOURCE "NAME" not found' },
  pathNotFoundError: { code: 404, reason: 'NotFound', at: -1, around: () => 'the server could not find the requested resource' },
  refuse: { code: 403, reason: 'Forbidden', at: 1, around: why => `RESOURCE "NAME" is forbidden: ${why}` },
  serviceUnavailableError: { code: 503, reason: 'ServiceUnavailable', at: 0 },
  timeoutError: { code: 504, reason: 'Timeout', at: 0, around: text => `Timeout: ${text}` },
  tooLargeError: { code: 413, reason: 'RequestEntityTooLarge', at: 0, around: text => `Request entity too large: ${text}` },
  tooLargeResourceVersionError: {
    code: 504,
    reason: 'Timeout',
    at: -1,
    around: () => 'Timeout: Too large resource version: …, current: …',
  },
  tooManyRequestsError: { code: 429, reason: 'TooManyRequests', at: 0 },
  unauthorizedError: { code: 401, reason: 'Unauthorized', at: -1, around: () => 'Unauthorized' },
}

const CALL = new RegExp(`(?<!function |[.\\w])(${Object.keys(FACTORIES).join('|')}|failure)\\(`, 'g')
/** Folders in which these names are other functions, or whose failures are other servers'. */
const ELSEWHERE = /^src\/(?:protocols|testing|commands|upgrade)\/|^src\/(?:meta\/status|apply\/conflicts|apply\/patch\/json)\.ts$/

/** Every call in src that makes a failure for a client, in the order of the files. */
export function statusCalls(files: readonly SourceFile[] = sourceFiles('src')): StatusCall[] {
  return files
    .filter(({ path, text }) => !ELSEWHERE.test(path) && /meta\/status\.ts'|\/refuse\.ts'|from '\.\/status\.ts'/.test(text))
    .flatMap(({ path, text }) =>
      [...text.matchAll(CALL)].flatMap(({ 1: name = '', 0: called, index }) => {
        const call = callOf(name, argumentsAt(text, index + called.length))
        return call === undefined ? [] : [{ ...call, path }]
      }),
    )
}

function callOf(name: string, given: readonly string[]): Omit<StatusCall, 'path'> | undefined {
  const factory = Object.hasOwn(FACTORIES, name) ? FACTORIES[name] : undefined
  if (factory !== undefined) {
    const { code, reason, at, around = text => text } = factory
    return { code, reason, words: around(wordsOf(given[at] ?? '')) }
  }
  const [code = '', reason = '', message = ''] = given
  if (!/^\d{3}$/.test(code) || !/^'\w*'$/.test(reason)) return undefined
  return { code: Number(code), reason: reason.slice(1, -1), words: wordsOf(message) }
}

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

/** The arguments of a call, as they are written, from behind its opening parenthesis on. */
export function argumentsAt(text: string, from: number): string[] {
  const found: string[] = []
  let start = from
  let at = from
  while (at < text.length && text[at] !== ')') {
    if (text[at] === ',') {
      found.push(text.slice(start, at).trim())
      start = at + 1
    }
    at = skip(text, at)
  }
  const last = text.slice(start, at).trim()
  return last === '' ? found : [...found, last]
}

/** Behind what begins here: a bracket with all that is in it, a string, or one character. */
function skip(text: string, at: number): number {
  const opening = text[at] ?? ''
  if (opening === "'" || opening === '"') return endOfText(text, at, opening)
  if (opening === '`') return endOfTemplate(text, at)
  const closing = CLOSING[opening]
  if (closing === undefined) return at + 1
  let next = at + 1
  while (next < text.length && text[next] !== closing) next = skip(text, next)
  return next + 1
}

function endOfText(text: string, at: number, quote: string): number {
  let next = at + 1
  while (next < text.length && text[next] !== quote) next += text[next] === '\\' ? 2 : 1
  return next + 1
}

function endOfTemplate(text: string, at: number): number {
  let next = at + 1
  while (next < text.length && text[next] !== '`')
    next = text.startsWith('${', next) ? skip(text, next + 1) : next + (text[next] === '\\' ? 2 : 1)
  return next + 1
}

/**
 * Returns the text of an expression that is a string or a template, with `…` for the values that a template inserts.
 * Returns `…` for other expressions.
 */
export function wordsOf(expression: string): string {
  const [quote = ''] = expression
  if ((quote === "'" || quote === '"') && endOfText(expression, 0, quote) === expression.length) return unescaped(expression.slice(1, -1))
  if (quote !== '`' || endOfTemplate(expression, 0) !== expression.length) return '…'
  let words = ''
  for (let at = 1; at < expression.length - 1; ) {
    const isHole = expression.startsWith('${', at)
    const end = isHole ? skip(expression, at + 1) : at + (expression[at] === '\\' ? 2 : 1)
    words += isHole ? '…' : expression.slice(at, end)
    at = end
  }
  return unescaped(words)
}

const unescaped = (text: string): string => text.replace(/\\(.)/g, '$1')
