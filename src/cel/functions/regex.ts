import { RE2JS } from 're2js'
import { regexpFault } from '../../lib/regexp-syntax.ts'
import { listOfValues } from '../values/list.ts'
import { CelError, type Int, type Value } from '../values/value.ts'
import type { Implementations } from './implementation.ts'

/** Patterns that were compiled last: rules bring the same few again and again. */
const MAX_KNOWN = 256
const known = new Map<string, RE2JS | string>()

/** A pattern, or what is wrong with it in the words of Go's regexp package. */
export function compilePattern(pattern: string): RE2JS | string {
  const seen = known.get(pattern)
  if (seen !== undefined) return seen
  const compiled = compileAnew(pattern)
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(pattern, compiled)
  return compiled
}

function compileAnew(pattern: string): RE2JS | string {
  const fault = regexpFault(pattern)
  if (fault !== undefined) return `error parsing regexp: ${fault}`
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Whether a part of the text matches. */
export function matchesPattern(text: string, pattern: string): Value {
  const compiled = compilePattern(pattern)
  return typeof compiled === 'string' ? new CelError(compiled) : compiled.test(text)
}

function find(text: string, pattern: string): Value {
  const compiled = compilePattern(pattern)
  if (typeof compiled === 'string') return new CelError(`Illegal regex: ${compiled}`)
  const matcher = compiled.matcher(text)
  return matcher.find() ? (matcher.group() ?? '') : ''
}

/** @param limit negative for all. */
function findAll(text: string, pattern: string, limit: Int): Value {
  const compiled = compilePattern(pattern)
  if (typeof compiled === 'string') return new CelError(`Illegal regex: ${compiled}`)
  const matcher = compiled.matcher(text)
  const found: string[] = []
  let last = -1
  while ((limit < 0 || found.length < limit) && matcher.find()) {
    // An empty match right behind another is none, as Go has it.
    if (matcher.start() === matcher.end() && matcher.start() === last) continue
    last = matcher.end()
    found.push(matcher.group() ?? '')
  }
  return listOfValues(found)
}

export const REGEX_FUNCTIONS: Implementations = {
  string_find_string: find,
  string_find_all_string: (text: string, pattern: string) => findAll(text, pattern, -1),
  string_find_all_string_int: findAll,
}
