import type { HookContext, Strategy } from '../../src/catalog/definition.ts'
import { runAtOnce } from '../../src/lib/steps.ts'
import type { FieldError } from '../../src/meta/field-error.ts'
import type { KubeObject } from '../../src/meta/object.ts'

/** What the kind's own validation finds, whether it judges in steps or at once. */
export function kindErrors(strategy: Strategy | undefined, next: KubeObject, old: KubeObject | undefined, ctx: HookContext): FieldError[] {
  const errors = strategy?.validate?.(next, old, ctx) ?? []
  return Array.isArray(errors) ? errors : runAtOnce(errors)
}
