import type { LabelSelector } from '../api/meta/v1.types.ts'
import { parseInt64 } from '../lib/integer.ts'
import { isLongStepDone, isStepDone, runAtOnce, type Steps, sortInSteps } from '../lib/steps.ts'
import { memberNames } from '../lib/wide-objects.ts'
import { hasFewValues, MOST_IN_A_STEP } from './few-values.ts'
import type { FieldError } from './field-error.ts'
import { forbidden, invalid, required } from './field-error.ts'
import type { FieldPath } from './field-path.ts'
import { keepMatcher, LabelMatcher, type Labels, labelValue, matcherOf, type SelectableLabels } from './label-matcher.ts'
import type { LabelOperator, LabelRequirement } from './label-requirement.ts'
import { labelRequirement, labelRequirementSteps } from './label-requirement.ts'
import { LabelSelectorParser } from './label-selector-parser.ts'
import { isQualifiedName, isValidLabelValue } from './names.ts'
import { labelErrors } from './object-meta-validation.ts'
import { SelectorError } from './selector-error.ts'

export type { LabelRequirement } from './label-requirement.ts'

/** Selector that matches nothing: an absent metav1.LabelSelector. */
export const NOTHING: readonly LabelRequirement[] = [{ key: '', operator: 'nothing', values: [] }]

const OPERATORS: Readonly<Record<string, LabelOperator>> = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: '!' }
const byKey = (a: LabelRequirement, b: LabelRequirement): number => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)

/**
 * Parses the query parameter `labelSelector` into requirements, sorted by key. Throws a SelectorError with
 * apimachinery's message. An empty list matches everything.
 */
export const parseLabelSelector = (text: string): LabelRequirement[] => runAtOnce(labelSelectorSteps(text))

/** Parses a label selector in steps of one requirement, or of some values of a long one. */
export function* labelSelectorSteps(text: string): Steps<LabelRequirement[]> {
  const requirements: LabelRequirement[] = []
  const matcher = new LabelMatcher()
  for (const requirement of new LabelSelectorParser(text).requirements()) {
    if (requirement) {
      requirements.push(requirement)
      matcher.add(requirement)
    }
    yield
  }
  const ordered = yield* sortInSteps(requirements, byKey)
  if (isLongSelector(ordered)) keepMatcher(ordered, matcher)
  return ordered
}

/** Number of requirements, or values of one, up to which matching them one by one is cheaper than a matcher. */
const FEW = 8

/**
 * An absent label satisfies `notin` and `!=`. `gt` and `lt` compare 64-bit integers, and do not match texts that are
 * none.
 */
function matchesOne({ key, operator, values }: LabelRequirement, labels: SelectableLabels): boolean {
  const value = labelValue(labels, key)
  switch (operator) {
    case 'in':
    case '=':
    case '==':
      return value !== undefined && values.includes(value)
    case 'notin':
    case '!=':
      return value === undefined || !values.includes(value)
    case 'exists':
      return value !== undefined
    case '!':
      return value === undefined
    case 'gt':
    case 'lt': {
      const left = value === undefined ? undefined : parseInt64(value)
      const right = parseInt64(values[0] ?? '')
      return left !== undefined && right !== undefined && (operator === 'gt' ? left > right : left < right)
    }
    case 'nothing':
      return false
  }
}

/** Whether requirements are so many, or one has so many values, that they are matched by a matcher. */
export const isLongSelector = (requirements: readonly LabelRequirement[]): boolean =>
  requirements.length > FEW || requirements.some(({ values }) => values.length > FEW)

const EMPTY: Labels = {}

/** Reports whether labels match. A long list of requirements must not be changed afterwards. */
export function matchesLabels(requirements: readonly LabelRequirement[], labels: SelectableLabels | undefined | null): boolean {
  if (requirements.length > FEW) return matcherOf(requirements).matches(labels ?? EMPTY)
  for (const one of requirements) {
    if (one.values.length > FEW) return matcherOf(requirements).matches(labels ?? EMPTY)
    if (!matchesOne(one, labels ?? EMPTY)) return false
  }
  return true
}

/**
 * Converts an API label selector to requirements. An absent selector is NOTHING. Throws a SelectorError if a key,
 * operator or value is invalid.
 */
export function labelSelectorOf(selector: LabelSelector | undefined | null): readonly LabelRequirement[] {
  if (!selector) return NOTHING
  const requirements: LabelRequirement[] = []
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) requirements.push(labelRequirement(key, '=', [value]))
  for (const { key, operator, values } of selector.matchExpressions ?? [])
    requirements.push(labelRequirement(key, operatorOf(operator), values ?? []))
  return requirements.sort(byKey)
}

/**
 * `labelSelectorOf` in steps, for a selector that may be large. It makes the matcher of a long one, which
 * `matchesLabels` uses.
 */
export function* labelSelectorInSteps(selector: LabelSelector | undefined | null): Steps<readonly LabelRequirement[]> {
  if (!selector || hasFewValues(selector, MOST_IN_A_STEP)) return labelSelectorOf(selector)
  const { matchLabels = {}, matchExpressions = [] } = selector
  const requirements: LabelRequirement[] = []
  for (const key of yield* memberNames(matchLabels)) {
    if (isLongStepDone()) yield
    requirements.push(labelRequirement(key, '=', [matchLabels[key] ?? '']))
  }
  for (const { key, operator, values } of matchExpressions) {
    if (isLongStepDone()) yield
    requirements.push(yield* labelRequirementSteps(key, operatorOf(operator), values ?? []))
  }
  return yield* sortedRequirements(requirements)
}

/** Sorts requirements, and makes their matcher. */
function* sortedRequirements(requirements: readonly LabelRequirement[]): Steps<readonly LabelRequirement[]> {
  const ordered = yield* sortInSteps(requirements, byKey)
  const matcher = new LabelMatcher()
  for (const requirement of ordered) {
    if (isStepDone()) yield
    matcher.add(requirement)
  }
  if (isLongSelector(ordered)) keepMatcher(ordered, matcher)
  return ordered
}

function operatorOf(operator: string): LabelOperator {
  const known = OPERATORS[operator]
  if (known === undefined) throw new SelectorError(`${JSON.stringify(operator)} is not a valid label selector operator`)
  return known
}

/** Converts a plain map (Service, ReplicationController) to requirements, without validation. */
export const labelSelectorOfMap = (map: Labels | undefined): LabelRequirement[] =>
  Object.keys(map ?? {})
    .map((key): LabelRequirement => ({ key, operator: '=', values: [map?.[key] ?? ''] }))
    .sort(byKey)

/** `labelSelectorOfMap` in steps, with the matcher of a long selector. */
export function* mapSelectorInSteps(map: Labels): Steps<readonly LabelRequirement[]> {
  const requirements: LabelRequirement[] = []
  for (const key of yield* memberNames(map)) {
    if (isStepDone()) yield
    requirements.push({ key, operator: '=', values: [map[key] ?? ''] })
  }
  return yield* sortedRequirements(requirements)
}

const SIGNS: Readonly<Partial<Record<LabelOperator | 'nothing', string>>> = { gt: '>', lt: '<' }

/** Prints a set of one value with parentheses, and `=` as it was given: `==` stays. */
function printRequirement({ key, operator, values }: LabelRequirement): string {
  const sorted = [...values].sort().join(',')
  switch (operator) {
    case 'exists':
      return key
    case '!':
      return `!${key}`
    case 'in':
    case 'notin':
      return `${key} ${operator} (${sorted})`
    case 'nothing':
      return ''
    default:
      return `${key}${SIGNS[operator] ?? operator}${sorted}`
  }
}

/** Prints requirements as a selector, such as `a=b,c in (d,e)`. */
export const printLabelRequirements = (requirements: readonly LabelRequirement[]): string => requirements.map(printRequirement).join(',')

/** Prints a selector like metav1.FormatLabelSelector: `<none>` if it is empty or absent, `<error>` if it is invalid. */
export function printLabelSelector(selector: LabelSelector | undefined | null): string {
  try {
    return printLabelRequirements(labelSelectorOf(selector)) || '<none>'
  } catch {
    return '<error>'
  }
}

/** Prints labels like labels.FormatLabels: `a=b,c=d`, or `<none>`. */
export const printLabels = (map: Labels = {}): string =>
  Object.keys(map)
    .sort()
    .map(key => `${key}=${map[key]}`)
    .join(',') || '<none>'

/** Relaxed rules of validateLabelSelector. */
export interface LabelSelectorRules {
  /** Optional. Set on update if the old object has values from a time when they were not validated. */
  readonly allowInvalidValues?: boolean
  readonly allowUnknownOperator?: boolean
}

/** ValidateLabelSelector of metav1. An absent selector is valid. */
export function validateLabelSelector(
  selector: LabelSelector | undefined | null,
  path: FieldPath,
  rules: LabelSelectorRules = {},
): FieldError[] {
  if (!selector) return []
  const known = errorsOfLarge.get(selector)
  const isSame =
    known?.path === path.text &&
    known.rules.allowInvalidValues === rules.allowInvalidValues &&
    known.rules.allowUnknownOperator === rules.allowUnknownOperator
  return isSame ? [...known.errors] : runAtOnce(labelSelectorErrors(selector, path, rules))
}

/** Errors of large selectors that were validated in steps. Rules that run in one call report them. */
const errorsOfLarge = new WeakMap<
  LabelSelector,
  { readonly path: string; readonly rules: LabelSelectorRules; readonly errors: readonly FieldError[] }
>()

/** Validates a selector in steps if it is large, before `validateLabelSelector` with the same arguments. */
export function* validateLargeSelector(selector: LabelSelector, path: FieldPath, rules: LabelSelectorRules = {}): Steps<void> {
  if (hasFewValues(selector)) return
  errorsOfLarge.set(selector, { path: path.text, rules, errors: yield* labelSelectorErrors(selector, path, rules) })
}

/** `validateLabelSelector` in steps. */
export function* labelSelectorErrors(selector: LabelSelector, path: FieldPath, rules: LabelSelectorRules = {}): Steps<FieldError[]> {
  const errors = yield* labelErrors(selector.matchLabels ?? {}, path.child('matchLabels'))
  for (const [i, { key, operator, values = [] }] of (selector.matchExpressions ?? []).entries()) {
    if (isLongStepDone()) yield
    const at = path.child('matchExpressions').index(i)
    if (operator === 'In' || operator === 'NotIn') {
      if (values.length === 0) errors.push(required(at.child('values'), "must be specified when `operator` is 'In' or 'NotIn'"))
    } else if (operator === 'Exists' || operator === 'DoesNotExist') {
      if (values.length > 0)
        errors.push(forbidden(at.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
    } else if (!rules.allowUnknownOperator) {
      errors.push(invalid(at.child('operator'), operator, 'not a valid selector operator'))
    }
    for (const message of isQualifiedName(key)) errors.push(invalid(at.child('key'), key, message))
    if (rules.allowInvalidValues) continue
    for (const [j, value] of values.entries()) {
      if (isStepDone()) yield
      for (const message of isValidLabelValue(value)) errors.push(invalid(at.child('values').index(j), value, message))
    }
  }
  return errors
}
