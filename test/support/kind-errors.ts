import type { HookContext, Strategy } from '../../src/catalog/definition.ts'
import { resultOf, runAtOnce } from '../../src/lib/steps.ts'
import type { FieldError } from '../../src/meta/field-error.ts'
import type { AnyObject } from './any-object.ts'

/** What the kind's own validation finds, whether it judges in steps or at once. */
export function kindErrors(strategy: Strategy | undefined, next: AnyObject, old: AnyObject | undefined, ctx: HookContext): FieldError[] {
  return runAtOnce(resultOf(strategy?.validate?.(next, old, ctx) ?? []))
}
