import { compileRegExp, type LinearRegExp } from '../../lib/linear-regexp.ts'
import type { Steps } from '../../lib/steps.ts'
import { longWork } from '../long-work.ts'
import { TextList } from '../values/list.ts'
import { CelError, type Int, type Value } from '../values/value.ts'
import { checkSearched } from '../work.ts'
import type { Implementations } from './implementation.ts'

/** Patterns that were compiled last: rules bring the same few again and again. */
const MAX_KNOWN = 256
const known = new Map<string, LinearRegExp | string>()

/** A pattern, or what is wrong with it in the words of Go's regexp package. */
export function compilePattern(pattern: string): LinearRegExp | string {
  const seen = known.get(pattern)
  if (seen !== undefined) return seen
  const compiled = compileAnew(pattern)
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(pattern, compiled)
  return compiled
}

/** A fault is kept as its text: a rule with a wrong pattern is evaluated as often as any other. */
function compileAnew(pattern: string): LinearRegExp | string {
  const compiled = compileRegExp(pattern)
  return 'fault' in compiled ? compiled.fault : compiled
}

/** Whether a part of the text matches. */
export function matchesPattern(text: string, pattern: string): Value {
  const compiled = compilePattern(pattern)
  if (typeof compiled === 'string') return new CelError(compiled)
  if (compiled.isShort(text)) return compiled.foundIn(text)
  return longWork(compiled, text, function* () {
    return { found: yield* compiled.search(text) }
  }).found
}

/** The first match, or an empty text. */
function find(text: string, pattern: string): Value {
  const compiled = compilePattern(pattern)
  if (typeof compiled === 'string') return new CelError(`Illegal regex: ${compiled}`)
  return allMatches(compiled, text, pattern, 1)[0] ?? ''
}

/** @param limit negative for all. */
function findAll(text: string, pattern: string, limit: Int): Value {
  const compiled = compilePattern(pattern)
  return typeof compiled === 'string' ? new CelError(`Illegal regex: ${compiled}`) : new TextList(allMatches(compiled, text, pattern, Number(limit)))
}

function allMatches(compiled: LinearRegExp, text: string, pattern: string, limit: number): readonly string[] {
  const { first, all, some } = searchesOf(compiled)
  const begin = () => matchSteps(compiled, text, pattern, limit)
  if (limit === 1) return longWork(first, text, begin)
  return limit < 0 ? longWork(all, text, begin) : longWork(some, `${limit} ${text}`, begin)
}

/** Owners of the searches of an expression, so that the text alone is the id of most: an id that is put together of a long text would be so anew in each turn. */
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
 * An empty match right behind another is none, as Go has it. A search may look at the text up to its end to find a short match: what it looks at again costs again, which upstream leaves out.
 * Throws CostLimitExceeded.
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

/** `find` and `findAll` of kubernetes/apiserver, pkg/cel/library/regex.go; `matches` is among the singletons. */
export const REGEX_FUNCTIONS: Implementations = {
  string_find_string: find,
  string_find_all_string: (text: string, pattern: string) => findAll(text, pattern, -1),
  string_find_all_string_int: findAll,
}
