import { ruleTree } from '../cel/rules/rule-node.ts'
import { validateRules } from '../cel/rules/rule-validator.ts'
import { nextTurn, turnIsSpent } from '../lib/turn.ts'
import { Correlation } from '../schema/json-schema/correlation.ts'
import type { RuleEvaluator } from './rules.ts'

const pause = (): Promise<void> | undefined => (turnIsSpent() ? nextTurn() : undefined)

/** Evaluates rules in CEL, within the budget of an object; rules of what stays as it was are let pass. */
export const celRules: RuleEvaluator = {
  compile(schema) {
    const tree = ruleTree(schema, true)
    return {
      async check(object, old) {
        if (!tree) return []
        const correlated = old && new Correlation(object, old, schema)
        const { errors } = await validateRules(tree, { value: object, old, correlated, pause })
        // So upstream calls an object as a whole.
        return errors.map(error => (error.field === '' ? { ...error, field: '<nil>' } : error))
      },
    }
  },
}
