import type { JsonObject } from '../../../api/meta/object.ts'
import { authorizationEnvironment } from '../../../cel/authorization-environment.ts'
import { compile } from '../../../cel/compile.ts'
import { baseEnvironment, EVERY_RELEASE } from '../../../cel/environment.ts'
import { makeProgram, type Program } from '../../../cel/program/program.ts'
import { runProgram } from '../../../cel/program/run.ts'
import { BOOL, sameType, typeText } from '../../../cel/type.ts'
import { jsonValue } from '../../../cel/values/json.ts'
import { aggregate } from '../../../lib/aggregate.ts'
import { SHARED_TURNS } from '../../../lib/turn.ts'
import { duplicate, type FieldError, invalid, required, tooMany } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import type { AccessReviewSpec } from '../webhook/access-review.ts'
import type { Matcher } from '../webhook/authorizer.ts'
import type { WebhookMatchCondition } from './authorization-configuration.types.ts'

interface CompiledCondition {
  readonly expression: string
  readonly program: Program
}

const MOST_CONDITIONS = 64

/** Feature gates that the configuration depends on: StructuredAuthorizationConfiguration and AuthorizeWithSelectors. */
export interface ConditionRules {
  readonly structured: boolean
  readonly selectors: boolean
}

/**
 * Compiles the match conditions of a webhook. Errors are in upstream's order. `matcher` is undefined without
 * conditions: every request matches.
 */
export function compileConditions(
  conditions: readonly WebhookMatchCondition[],
  path: FieldPath,
  { structured, selectors }: ConditionRules,
): { readonly errors: FieldError[]; readonly matcher: Matcher | undefined } {
  const errors: FieldError[] = []
  if (conditions.length > 0 && !structured)
    errors.push(invalid(path, '', 'matchConditions are not supported when StructuredAuthorizationConfiguration feature gate is disabled'))
  if (conditions.length > MOST_CONDITIONS)
    return { errors: [...errors, tooMany(path, conditions.length, MOST_CONDITIONS)], matcher: undefined }
  const compiled: CompiledCondition[] = []
  const seen = new Set<string>()
  for (const [i, { expression = '' }] of conditions.entries()) {
    const at = path.index(i).child('expression')
    if (expression.trim() === '') errors.push(required(at))
    else if (seen.has(expression)) errors.push(duplicate(at, expression))
    else {
      seen.add(expression)
      const condition = compileCondition(expression, selectors)
      if ('fault' in condition) errors.push(invalid(at, expression, condition.fault))
      else compiled.push(condition)
    }
  }
  return { errors, matcher: compiled.length === 0 ? undefined : spec => match(compiled, spec) }
}

/** Compiles a match condition, which must return bool. */
function compileCondition(expression: string, selectors: boolean): CompiledCondition | { readonly fault: string } {
  const environment = authorizationEnvironment(baseEnvironment(EVERY_RELEASE), selectors)
  const { checked, issues } = compile(expression, environment)
  if (checked === undefined) return { fault: `compilation failed: ${issues}` }
  if (!sameType(checked.result, BOOL)) return { fault: `must evaluate to bool but got ${typeText(checked.result)}` }
  const program = makeProgram(checked, environment)
  return 'fault' in program ? { fault: `program instantiation failed: ${program.fault}` } : { expression, program }
}

/** Evaluates the conditions. One that is false excludes the request, even if earlier ones failed. */
async function match(conditions: readonly CompiledCondition[], spec: AccessReviewSpec): ReturnType<Matcher> {
  const request = jsonValue(documentOf(spec))
  const errors: string[] = []
  for (const { expression, program } of conditions) {
    if (SHARED_TURNS.spent()) await SHARED_TURNS.next()
    const { value, error } = await runProgram(program, { get: name => (name === 'request' ? request : undefined) }, SHARED_TURNS)
    if (error !== undefined) errors.push(`cel evaluation error: expression '${expression}' resulted in error: ${error}`)
    else if (value === false) return 'excluded'
  }
  return errors.length === 0 ? 'met' : { error: aggregate(errors) }
}

const EMPTY_ATTRIBUTES = { namespace: '', verb: '', group: '', version: '', resource: '', subresource: '', name: '' }

/** Encodes the spec with the empty members that a review omits. */
const documentOf = ({
  user = '',
  groups = [],
  uid = '',
  extra = {},
  resourceAttributes,
  nonResourceAttributes,
}: AccessReviewSpec): JsonObject => ({
  user,
  groups,
  uid,
  extra,
  ...(resourceAttributes && { resourceAttributes: { ...EMPTY_ATTRIBUTES, ...resourceAttributes } }),
  ...(nonResourceAttributes && { nonResourceAttributes: { verb: '', path: '', ...nonResourceAttributes } }),
})
