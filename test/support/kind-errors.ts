import type { HookContext, Strategy } from '../../src/catalog/strategy.ts'
import { runAtOnce, runIfSteps } from '../../src/lib/steps.ts'
import type { FieldError } from '../../src/meta/field-error.ts'
import type { AnyObject } from './any-object.ts'

/** Returns the errors of the kind's own validation, whether it runs in steps or not. */
export function kindErrors(strategy: Strategy | undefined, next: AnyObject, old: AnyObject | undefined, ctx: HookContext): FieldError[] {
  return runAtOnce(runIfSteps(strategy?.validate?.(next, old, ctx) ?? []))
}
