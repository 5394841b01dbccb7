import type { Json } from '../../../api/meta/object.ts'
import { compileNode } from './compile.ts'
import { JqError } from './errors.ts'
import { parseQuery } from './parser.ts'
import { JqBudget, type JqValue } from './values.ts'

/** A compiled query. It holds no state. */
export interface JqQuery {
  /**
   * Returns the results for an object, without nulls. Undefined if the query fails, even if it had results before.
   * Throws JqLimitError if it takes too long. Source: kwok, pkg/utils/expression/query.go.
   * @param now current time in milliseconds.
   */
  run(object: Json, now: number): JqValue[] | undefined
}

/** Compiles a query. Throws JqSyntaxError. */
export function compileQuery(text: string): JqQuery {
  const filter = compileNode(parseQuery(text))
  return {
    run(object, now) {
      const results: JqValue[] = []
      try {
        filter(object, { budget: new JqBudget(), now }, undefined, value => {
          if (value !== null) results.push(value)
        })
      } catch (error) {
        if (error instanceof JqError) return undefined
        throw error
      }
      return results
    },
  }
}
