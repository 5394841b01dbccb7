import { readFileSync } from 'node:fs'

/** Result of cel-go for an expression in an environment of the API server. */
export interface CelAnswer {
  readonly expression: string
  /** Tree in the form of printTree. Absent if the expression does not parse. */
  readonly tree?: string
  /** Type of the result. Absent if there are errors. */
  readonly type?: string
  readonly errors?: string
}

/** All results in test/fixtures/cel. */
export function celAnswers(): CelAnswer[] {
  return readFixture('answers.json') as CelAnswer[]
}

/** Expressions with random faults, and whether cel-go accepts them all the same. */
export function mutatedExpressions(): { readonly expression: string; readonly accepted: boolean }[] {
  return readFixture('mutated.json') as { expression: string; accepted: boolean }[]
}

/** Results for a new and for a stored device selector: an error, or the maximum cost. */
export interface SelectorAnswer {
  readonly expression: string
  readonly admitted: string | number
  readonly stored: string | number
}

export function selectorAnswers(): SelectorAnswer[] {
  return readFixture('device-selectors.json') as SelectorAnswer[]
}

const readFixture = (name: string): unknown => JSON.parse(readFileSync(new URL(`../fixtures/cel/${name}`, import.meta.url), 'utf8'))
