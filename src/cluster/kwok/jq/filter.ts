import { elementsOf } from './paths.ts'
import type { JqBudget, JqValue } from './values.ts'

/** State of one evaluation. */
export interface JqRun {
  readonly budget: JqBudget
  /** Current time in milliseconds, for `now`. */
  readonly now: number
}

/** Values of variables, innermost first. */
export interface JqScope {
  readonly name: string
  readonly value: JqValue
  readonly outer: JqScope | undefined
}

/** A compiled node: passes each result for an input to `emit`. */
export type JqFilter = (input: JqValue, run: JqRun, scope: JqScope | undefined, emit: (value: JqValue) => void) => void

/** A function of its input and the values of its arguments. Undefined is no result. */
export type JqValueFunction = (input: JqValue, run: JqRun, ...args: JqValue[]) => JqValue | undefined

/** Returns all results of a filter. */
export function collected(filter: JqFilter, input: JqValue, run: JqRun, scope: JqScope | undefined): JqValue[] {
  const results: JqValue[] = []
  filter(input, run, scope, value => {
    run.budget.spend()
    results.push(value)
  })
  return results
}

/** Passes a value and everything in it, parents first. */
export function recurse(value: JqValue, run: JqRun, emit: (value: JqValue) => void): void {
  run.budget.spend()
  emit(value)
  if (typeof value === 'object' && value !== null) for (const item of elementsOf(value, run.budget)) recurse(item, run, emit)
}

/** Passes the elements of a list, or the values of an object. */
export const iterate: JqFilter = (input, run, _scope, emit) => {
  for (const item of elementsOf(input, run.budget)) {
    run.budget.spend()
    emit(item)
  }
}
