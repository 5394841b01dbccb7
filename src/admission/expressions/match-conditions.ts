import type { AdmissionParts } from '../../cel/admission-environment.ts'
import { BOOL } from '../../cel/type.ts'
import { aggregate } from '../../lib/aggregate.ts'
import type { Steps } from '../../lib/steps.ts'
import { type CompiledExpression, compileExpression } from './compiled-expression.ts'
import { type Evaluation, evaluateExpressions } from './evaluation.ts'

/** What the conditions of one webhook or policy may cost for one request. */
export const CONDITIONS_BUDGET = 2_500_000

/** The conditions of a webhook or a policy, in their order. */
export type MatchConditions = readonly { readonly name: string; readonly compiled: CompiledExpression }[]

/** Compiles each condition once for all requests. In steps: there may be many. */
export function* compileConditions(
  conditions: readonly { readonly name: string; readonly expression: string }[],
  parts: AdmissionParts,
): Steps<MatchConditions> {
  const compiled: MatchConditions[number][] = []
  for (const { name, expression } of conditions) {
    compiled.push({ name, compiled: yield* compileExpression(expression, parts, [BOOL]) })
    yield
  }
  return compiled
}

/** Whether all conditions hold, or which does not; `error`: none is false, but some cannot be told, in upstream's words. */
export type ConditionsOutcome =
  | { readonly matches: true; readonly error?: never }
  | { readonly matches: false; readonly failed: string; readonly error?: never }
  | { readonly error: string }

/** One that is false decides, whatever becomes of the others. */
export async function meetsConditions(conditions: MatchConditions, evaluation: Omit<Evaluation, 'budget'>): Promise<ConditionsOutcome> {
  const compiled = conditions.map(condition => condition.compiled)
  const evaluated = await evaluateExpressions(compiled, { ...evaluation, budget: CONDITIONS_BUDGET })
  if (evaluated.exhausted !== undefined) return { error: evaluated.exhausted }
  const failed = conditions.find((_, i) => evaluated.results[i]?.value === false)
  if (failed) return { matches: false, failed: failed.name }
  const errors = evaluated.results.flatMap(result => result?.error ?? [])
  return errors.length === 0 ? { matches: true } : { error: aggregate(errors) }
}
