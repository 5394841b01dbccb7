import { RE2JS } from 're2js'

/** A regular expression in Go's syntax (RE2), found in a text in time linear in its length, whoever wrote it. */
export interface LinearRegExp {
  /** Whether it is found anywhere in the text. */
  foundIn(text: string): boolean
}

/** Undefined where the expression is none. Source: https://github.com/google/re2/wiki/Syntax */
export function linearRegExp(expression: string): LinearRegExp | undefined {
  try {
    const compiled = RE2JS.compile(expression)
    return { foundIn: text => compiled.matcher(text).find() }
  } catch {
    return undefined
  }
}
