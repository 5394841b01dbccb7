import type { JsonSchemaProps, ValidationRule } from '../../../api/apiextensions/json-schema-props.ts'
import { compileInSteps } from '../../../cel/compile.ts'
import { estimateCostInSteps } from '../../../cel/cost/estimate.ts'
import type { SizeAt } from '../../../cel/cost/estimated-node.ts'
import { baseEnvironment, type Environment, EVERY_RELEASE, extend } from '../../../cel/environment.ts'
import { programFault } from '../../../cel/program-fault.ts'
import { ruleVariables, usesOldSelf } from '../../../cel/rules/compiled-rule.ts'
import { declareTypes } from '../../../cel/schema/declared-type.ts'
import { type SizedType, sizedType, sizesOf } from '../../../cel/schema/sizes.ts'
import { BOOL, isPlainType, STRING } from '../../../cel/type.ts'
import type { Steps } from '../../../lib/steps.ts'
import { type FieldError, invalid } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { printRule } from './go-schema.ts'
import { costOfAll, type Occurrences, type RuleCosts } from './rule-costs.ts'

const RULES = 'x-kubernetes-validations'

/** Expressions of the stored definition. */
export interface StoredExpressions {
  /** Texts of rules. */
  readonly rules: ReadonlySet<string>
  /** Texts of message expressions. */
  readonly messages: ReadonlySet<string>
}

/** Context of a schema with rules. */
export interface RuleScope {
  /** Whether values of the schema are whole objects. */
  readonly whole: boolean
  /** Expressions to compile with all functions, because some release accepted them. */
  readonly stored: StoredExpressions
  /**
   * Minor version of the oldest release that must be able to compile new expressions. Stored ones were compiled by some
   * release.
   */
  readonly minor: number
  /** Whether the cost of expressions about names is limited by the maximum length of names. */
  readonly boundsNames: boolean
  /** Sum of the estimates of the schema, which is limited as well. */
  readonly costs: RuleCosts
  /** Number of values of the schema that an object can have. */
  readonly occurrences: Occurrences
  /** Optional. Schema from which on down values cannot be correlated with old values. */
  readonly uncorrelatable?: FieldPath
}

/** Scope of a rule, with its compiler and sizes. */
interface RuleContext extends RuleScope {
  /** Returns the environment in which a stored or new expression compiles. */
  readonly environmentFor: (stored: boolean) => Environment
  /** Type with the maximum lengths of the schema. */
  readonly sized: SizedType
  /** Bounds of the sizes of values by path, for estimates. */
  readonly sizeAt: SizeAt
}

/**
 * Validates the expressions of a schema's rules, in steps of some hundred nodes: syntax, types, estimated cost, and
 * whether old values exist if they are used.
 */
export function* validateRuleExpressions(schema: JsonSchemaProps, path: FieldPath, scope: RuleScope): Steps<FieldError[]> {
  const rules = schema[RULES] ?? []
  if (rules.length === 0) return []
  const { type, struct } = declareTypes(schema, scope.whole, 'selfType')
  const sized = sizedType(schema, scope.whole, scope.boundsNames)
  if (!type || !sized) return []
  const errors: FieldError[] = []
  for (const [i, rule] of rules.entries()) {
    const variables = { ...ruleVariables(type, rule) }
    const environmentFor = (stored: boolean): Environment =>
      extend(baseEnvironment(stored ? EVERY_RELEASE : scope.minor), variables, struct)
    errors.push(...(yield* expressionErrors(rule, { ...scope, environmentFor, sized, sizeAt: sizesOf(sized) }, path.child(RULES).index(i))))
    yield
  }
  return errors
}

/**
 * Validates a rule and its message expression, which is checked only if the rule is valid. A rule that does not compile
 * counts as one that does not use oldSelf.
 */
function* expressionErrors(rule: ValidationRule, scope: RuleContext, path: FieldPath): Steps<FieldError[]> {
  const environment = scope.environmentFor(scope.stored.rules.has(rule.rule))
  const { checked, issues } = yield* compileInSteps(rule.rule, environment)
  const refused = (fault: string): FieldError => invalid(path.child('rule'), printRule(rule), fault)
  if (!checked) return [refused(`compilation failed: ${issues}`), ...oldSelfErrors(rule, false, scope, path)]
  if (!isPlainType(checked.result, BOOL))
    return [refused('cel expression must evaluate to a bool'), ...oldSelfErrors(rule, false, scope, path)]
  const fault = yield* programFault(checked, environment)
  if (fault !== undefined)
    return [refused(`program instantiation failed: ${fault}`), ...oldSelfErrors(rule, usesOldSelf(checked), scope, path)]
  const cost = costOfAll(yield* estimateCostInSteps(checked, scope.sizeAt), scope.occurrences, scope.sized)
  const costly = scope.costs.add(path.child('rule'), 'estimated rule cost', cost)
  return [...costly, ...(yield* messageErrors(rule, scope, path)), ...oldSelfErrors(rule, usesOldSelf(checked), scope, path)]
}

/** Validates a message expression. Its cost counts once, not for each value of the schema. */
function* messageErrors(
  rule: ValidationRule,
  { stored, costs, sizeAt, environmentFor }: RuleContext,
  path: FieldPath,
): Steps<FieldError[]> {
  const { messageExpression = '' } = rule
  if (messageExpression === '') return []
  const environment = environmentFor(stored.messages.has(messageExpression))
  const { checked, issues } = yield* compileInSteps(messageExpression, environment)
  const refused = (fault: string): FieldError[] => [invalid(path.child('messageExpression'), printRule(rule), fault)]
  if (!checked) return refused(`messageExpression compilation failed: ${issues}`)
  if (!isPlainType(checked.result, STRING)) return refused('messageExpression must evaluate to a string')
  const fault = yield* programFault(checked, environment)
  if (fault !== undefined) return refused(`messageExpression instantiation failed: ${fault}`)
  const { max } = yield* estimateCostInSteps(checked, sizeAt)
  return costs.add(path.child('messageExpression'), 'estimated messageExpression cost', max)
}

/**
 * Checks the use of oldSelf. `used` is set if the rule uses it, which requires that values can be correlated. Only such
 * a rule may set optionalOldSelf.
 */
function oldSelfErrors(
  { rule, optionalOldSelf }: ValidationRule,
  used: boolean,
  { uncorrelatable }: RuleScope,
  path: FieldPath,
): FieldError[] {
  if (!used)
    return optionalOldSelf === undefined
      ? []
      : [invalid(path.child('optionalOldSelf'), optionalOldSelf, 'may not be set if oldSelf is not used in rule')]
  if (!uncorrelatable) return []
  return [invalid(path.child('rule'), rule, `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`)]
}
