import { compileRegExp, type LinearRegExp } from '../../lib/linear-regexp.ts'
import type { Steps } from '../../lib/steps.ts'
import { longWork } from '../long-work.ts'
import { TextList } from '../values/list.ts'
import { CelError, type Int, type Value } from '../values/value.ts'
import { checkSearched } from '../work.ts'
import type { Implementations } from './implementation.ts'

/** Cache of compiled patterns. Rules use the same few patterns repeatedly. */
const MAX_KNOWN = 256
const known = new Map<string, LinearRegExp | string>()

/** Compiles a pattern. Returns the message of Go's regexp package if it is invalid. */
export function compilePattern(pattern: string): LinearRegExp | string {
  const seen = known.get(pattern)
  if (seen !== undefined) return seen
  const compiled = compileAnew(pattern)
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(pattern, compiled)
  return compiled
}

/**
 * Compiles a pattern. The error is cached too, because a rule with an invalid pattern is evaluated as often as any
 * other.
 */
function compileAnew(pattern: string): LinearRegExp | string {
  const compiled = compileRegExp(pattern)
  return 'fault' in compiled ? compiled.fault : compiled
}

/** Reports whether any part of the text matches. */
export function matchesPattern(text: string, pattern: string): Value {
  const compiled = compilePattern(pattern)
  if (typeof compiled === 'string') return new CelError(compiled)
  if (compiled.isShort(text)) return compiled.foundIn(text)
  return longWork(compiled, text, function* () {
    return { found: yield* compiled.search(text) }
  }).found
}

/** Returns the first match, or an empty text. */
function findFirst(text: string, pattern: string): Value {
  const compiled = compilePattern(pattern)
  if (typeof compiled === 'string') return new CelError(`Illegal regex: ${compiled}`)
  return allMatches(compiled, text, pattern, 1)[0] ?? ''
}

/**
 * Returns up to `limit` matches.
 * @param limit negative for all.
 */
function findAll(text: string, pattern: string, limit: Int): Value {
  const compiled = compilePattern(pattern)
  return typeof compiled === 'string'
    ? new CelError(`Illegal regex: ${compiled}`)
    : new TextList(allMatches(compiled, text, pattern, Number(limit)))
}

function allMatches(compiled: LinearRegExp, text: string, pattern: string, limit: number): readonly string[] {
  const { first, all, some } = searchesOf(compiled)
  const begin = () => matchSteps(compiled, text, pattern, limit)
  if (limit === 1) return longWork(first, text, begin)
  return limit < 0 ? longWork(all, text, begin) : longWork(some, `${limit} ${text}`, begin)
}

/**
 * Owners for the long work of a pattern's searches. With an owner per kind of search, the id is usually the text
 * itself, and no long id has to be concatenated in each turn.
 */
interface Searches {
  readonly first: object
  readonly all: object
  readonly some: object
}

const searches = new WeakMap<LinearRegExp, Searches>()

function searchesOf(compiled: LinearRegExp): Searches {
  const known = searches.get(compiled)
  if (known) return known
  const made = { first: {}, all: {}, some: {} }
  searches.set(compiled, made)
  return made
}

/**
 * Finds matches. An empty match directly after another one is skipped, as in Go. A search may read the text to its end
 * to find a short match; text that is read again is charged again, which upstream does not do. Throws
 * CostLimitExceeded.
 */
function* matchSteps(compiled: LinearRegExp, text: string, pattern: string, limit: number): Steps<string[]> {
  const found: string[] = []
  let searched = -text.length
  let last = -1
  for (let at = 0; at <= text.length && (limit < 0 || found.length < limit); ) {
    const match = yield* compiled.find(text, at)
    if (match === undefined) break
    const { start, end, searchedTo } = match
    searched += searchedTo - at
    checkSearched(searched, pattern.length)
    if (end > start || start !== last) {
      last = end
      found.push(text.slice(start, end))
    }
    at = end > start ? end : end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1)
    yield
  }
  return found
}

/**
 * The functions `find` and `findAll` of kubernetes/apiserver, pkg/cel/library/regex.go. `matches` is in singletons.ts.
 */
export const REGEX_FUNCTIONS: Implementations = {
  string_find_string: findFirst,
  string_find_all_string: (text: string, pattern: string) => findAll(text, pattern, -1),
  string_find_all_string_int: findAll,
}
