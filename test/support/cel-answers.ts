import { readFileSync } from 'node:fs'

/** What cel-go says of an expression in an environment of the API server. */
export interface CelAnswer {
  readonly expression: string
  /** As printTree prints it; absent if the expression does not parse. */
  readonly tree?: string
  /** Of the result; absent if there are errors. */
  readonly type?: string
  readonly errors?: string
}

/** All answers in test/fixtures/cel. */
export function celAnswers(): CelAnswer[] {
  return readFixture('answers.json') as CelAnswer[]
}

/** Expressions with random faults, and whether cel-go accepts them all the same. */
export function mutatedExpressions(): { readonly expression: string; readonly accepted: boolean }[] {
  return readFixture('mutated.json') as { expression: string; accepted: boolean }[]
}

/** What is said of a device selector that is new, and of one that is stored: an error, or the most that it may cost. */
export interface SelectorAnswer {
  readonly expression: string
  readonly admitted: string | number
  readonly stored: string | number
}

export function selectorAnswers(): SelectorAnswer[] {
  return readFixture('device-selectors.json') as SelectorAnswer[]
}

const readFixture = (name: string): unknown => JSON.parse(readFileSync(new URL(`../fixtures/cel/${name}`, import.meta.url), 'utf8'))
