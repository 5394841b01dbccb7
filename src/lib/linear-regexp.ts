import { RE2JS } from 're2js'
import { errorMessage } from './error-message.ts'
import { type RegExpMatch, searchSteps } from './regexp-search.ts'
import { regexpFault } from './regexp-syntax.ts'
import { runAtOnce, type Steps } from './steps.ts'

/** A regular expression in Go's syntax (RE2). Searching takes time linear in the text for any expression. */
export interface LinearRegExp {
  /** Reports whether the text has a match. Takes one step if both are short. */
  search(text: string): Steps<boolean>
  /** Finds the leftmost match at or after an index. */
  find(text: string, begin: number): Steps<RegExpMatch | undefined>
  /** Whether a search through the text takes only one step: some milliseconds at most. */
  isShort(text: string): boolean
  /** Like `search`, in one step. */
  foundIn(text: string): boolean
}

/** Instructions times characters that are searched in one step. */
const SHORT = 500_000

/**
 * Compiles an expression, or returns the error of Go's regexp package. Source:
 * https://github.com/google/re2/wiki/Syntax
 */
export function compileRegExp(expression: string): LinearRegExp | { readonly fault: string } {
  const fault = regexpFault(expression)
  if (fault !== undefined) return { fault: `error parsing regexp: ${fault}` }
  let compiled: RE2JS
  try {
    compiled = RE2JS.compile(expression)
  } catch (error) {
    return { fault: errorMessage(error) }
  }
  const { prog } = compiled.re2Input
  const isShort = (text: string): boolean => text.length * prog.numInst() <= SHORT
  function* search(text: string): Steps<boolean> {
    return isShort(text) ? compiled.test(text) : (yield* searchSteps(prog, text, 0, true)) !== undefined
  }
  return { isShort, search, find: (text, begin) => searchSteps(prog, text, begin), foundIn: text => runAtOnce(search(text)) }
}

/** Compiles an expression. Undefined if it is invalid. */
export function linearRegExp(expression: string): LinearRegExp | undefined {
  const compiled = compileRegExp(expression)
  return 'fault' in compiled ? undefined : compiled
}
