import { RE2JS } from 're2js'
import { errorMessage } from './error-message.ts'
import { type Found, searchSteps } from './regexp-search.ts'
import { regexpFault } from './regexp-syntax.ts'
import { runAtOnce, type Steps } from './steps.ts'

/** A regular expression in Go's syntax (RE2), found in a text in time linear in its length, for any expression. */
export interface LinearRegExp {
  /** Whether it is found anywhere in the text, in one step where both are short. */
  search(text: string): Steps<boolean>
  /** The leftmost match from a place on. */
  find(text: string, begin: number): Steps<Found | undefined>
  /** Whether to look through the text in one step: it takes some milliseconds at the most. */
  isShort(text: string): boolean
  /** As search, in one step. */
  foundIn(text: string): boolean
}

/** Instructions times characters of what is looked through in one step. */
const SHORT = 500_000

/** What is wrong with an expression in the words of Go's regexp package; undefined: nothing. Source: https://github.com/google/re2/wiki/Syntax */
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

/** Undefined where the expression is none. */
export function linearRegExp(expression: string): LinearRegExp | undefined {
  const compiled = compileRegExp(expression)
  return 'fault' in compiled ? undefined : compiled
}
