import type { PodTemplateSpec } from '../../../api/core/v1.types.ts'
import type { TypedObject } from '../../../api/meta/object.ts'
import type { LabelSelector } from '../../../api/meta/v1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { mapResult, runIfSteps, type Steps } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { isGivenEmpty } from '../../../meta/empty-members.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { hasFewValues } from '../../../meta/few-values.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, immutableError, invalid, notSupported } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { LabelSelectorRules } from '../../../meta/label-selector.ts'
import { labelSelectorOf, matchesLabels, validateLabelSelector } from '../../../meta/label-selector.ts'
import { isDns1123Label } from '../../../meta/names.ts'
import { all, mandatory, type Rule } from '../../../meta/rules.ts'
import { ifReadable } from '../../../meta/selector-error.ts'
import { goLabelSelector, goStringMap } from '../../shared/go-syntax.ts'
import { largeTemplateOptions } from '../pod-spec/options.ts'
import { validateLargeTemplate } from '../pod-spec/validation.ts'
import { podTemplateWarnings } from '../pod-spec/warnings.ts'

/** Parsed requirements of a selector. */
export type Selection = ReturnType<typeof labelSelectorOf>

/** Returns the requirements of a selector, or undefined if it is malformed. An absent selector matches nothing. */
export const selectionOf = (selector: LabelSelector | undefined | null): Selection | undefined =>
  ifReadable(() => labelSelectorOf(selector))

/**
 * Validates a selector, which may not match everything. `kind` is the name in messages. An absent selector is left to
 * the caller.
 */
export function validateWorkloadSelector(
  selector: LabelSelector | undefined | null,
  kind: string,
  path: FieldPath,
  rules: LabelSelectorRules = {},
): FieldError[] {
  if (!selector) return []
  const errors = validateLabelSelector(selector, path, rules)
  if (Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0) {
    errors.push(invalid(path, goLabelSelector(selector), `empty selector is invalid for ${kind}`))
  }
  return errors
}

/**
 * Requires a selector. One that matches everything would adopt pods of other workloads. `kind` is the name in messages.
 */
export const requiredSelector = (kind: string): Rule<LabelSelector | undefined | null> =>
  mandatory('', (selector, path) => validateWorkloadSelector(selector, kind, path))

/** Checks that the selector is unchanged. Otherwise pods of the old selector would be orphaned. */
export const validateSelectorUnchanged = (
  next: LabelSelector | undefined | null,
  path: FieldPath,
  old: LabelSelector | undefined | null,
): FieldError[] => (deepEqual(next, old) ? [] : [changedSelectorError(next, path)])

/** Returns the error about a selector that has changed. */
export const changedSelectorError = (next: LabelSelector | undefined | null, path: FieldPath): FieldError =>
  immutableError(path, next ? goLabelSelector(next) : undefined)

/** Checks that the selector matches the labels of the template. */
export function validateSelects(selection: Selection, template: PodTemplateSpec, path: FieldPath): FieldError[] {
  const { labels = isGivenEmpty(template.metadata, 'labels') ? {} : undefined } = template.metadata
  if (matchesLabels(selection, labels)) return []
  return [invalid(path.child('metadata', 'labels'), goStringMap(labels), '`selector` does not match template `labels`')]
}

/** Applies rules whose errors are reported twice in an update, in which upstream validates the object twice. */
export function twiceOnUpdate<V, C>(...rules: readonly Rule<NoInfer<V>, NoInfer<C>>[]): Rule<V, C> {
  const rule = all(...rules)
  return (value, path, old, context) => {
    const errors = rule(value, path, old, context)
    return old === undefined || errors.length === 0 ? errors : [...errors, ...errors]
  }
}

/**
 * Checks that pods always restart and have no deadline, since the controller replaces pods that terminate. `kind` is
 * the name in messages.
 */
export function validateRestarting(template: PodTemplateSpec, kind: string, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const { spec } = template
  if (spec.restartPolicy !== 'Always') errors.push(notSupported(path.child('spec', 'restartPolicy'), spec.restartPolicy ?? '', ['Always']))
  if (spec.activeDeadlineSeconds !== undefined) {
    errors.push(forbidden(path.child('spec', 'activeDeadlineSeconds'), `activeDeadlineSeconds in ${kind} is not Supported`))
  }
  return errors
}

interface WithTemplate extends TypedObject {
  spec?: { template?: PodTemplateSpec }
}

/**
 * Warnings for a template on create, and on an update that increments the generation, in steps if the template is
 * large.
 */
export function templateWarnings(next: WithTemplate, old: WithTemplate | undefined, { features }: HookContext): string[] | Steps<string[]> {
  if (old && next.metadata.generation === old.metadata.generation) return []
  if (!next.spec?.template) return []
  return podTemplateWarnings(next.spec.template, features, fieldPath('spec', 'template'))
}

/** `hostNameWarnings`, and then those for the template. */
export const workloadWarnings = (next: WithTemplate, old: WithTemplate | undefined, context: HookContext): string[] | Steps<string[]> =>
  mapResult(templateWarnings(next, old, context), warnings => [...hostNameWarnings(next, old, context.features), ...warnings])

/**
 * Warning on create, since 1.27, for a name that is not a DNS label: it is allowed, but becomes part of the pods'
 * hostnames.
 */
export function hostNameWarnings(next: TypedObject, old: TypedObject | undefined, { release }: Features): string[] {
  const errors = old || !isSince(release, '1.27') ? [] : isDns1123Label(next.metadata.name ?? '')
  if (errors.length === 0) return []
  return [
    `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${errors.join(' ')}]`,
  ]
}

type Validate<T> = (next: T, old: T | undefined, context: HookContext) => FieldError[] | Steps<FieldError[]>

/**
 * Returns the validation of a kind whose template, at the path, may be large: it is validated in steps before the
 * rules, which may run in one call.
 */
export const withLargeTemplate =
  <T>(path: FieldPath, templateOf: (object: T) => PodTemplateSpec | undefined, validate: Validate<T>): Validate<T> =>
  (next, old, context) => {
    const template = templateOf(next)
    const before = old && templateOf(old)
    if (template === undefined || (hasFewValues(template) && hasFewValues(before))) return validate(next, old, context)
    return (function* (): Steps<FieldError[]> {
      const options = yield* largeTemplateOptions(context.features, template, before)
      yield* validateLargeTemplate(template, path, options)
      yield
      return yield* runIfSteps(validate(next, old, context))
    })()
  }
