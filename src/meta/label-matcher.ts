import { parseInt64 } from '../lib/integer.ts'
import { isWide } from '../lib/wide-objects.ts'
import type { LabelRequirement } from './label-requirement.ts'
import { PackedLabels } from './packed-labels.ts'

/** Labels of an object. Keys are data: use `Object.hasOwn`. */
export type Labels = Readonly<Record<string, string>>
/** Labels that a selector can be matched with. */
export type SelectableLabels = Labels | PackedLabels

/** Returns the value of a label; undefined if it is absent. */
export const labelValue = (labels: SelectableLabels, label: string): string | undefined =>
  labels instanceof PackedLabels ? labels.get(label) : Object.hasOwn(labels, label) ? labels[label] : undefined

/** Combined requirements on one label. */
interface LabelCondition {
  /** Whether the label must exist. */
  required: boolean
  absent: boolean
  /** Allowed values. Undefined if any value is allowed. */
  among: ReadonlySet<string> | undefined
  except: Set<string> | undefined
  above: bigint | undefined
  below: bigint | undefined
}

/**
 * Requirements of a selector by label. Matching an object visits each of its own labels once, however long the selector
 * is, or each requirement once if the labels are very many.
 */
export class LabelMatcher {
  readonly #conditions = new Map<string, LabelCondition>()
  #required = 0
  #impossible = false

  /**
   * Requirements on the same label are combined, so that matching looks at each label once. `nothing` matches no
   * object.
   */
  add({ key, operator, values }: LabelRequirement): void {
    if (operator === 'nothing') {
      this.#impossible = true
      return
    }
    const condition = this.#conditionOf(key)
    if (operator === '!') condition.absent = true
    else if (operator === 'notin' || operator === '!=') {
      condition.except ??= new Set()
      for (const value of values) condition.except.add(value)
    } else {
      if (!condition.required) this.#required++
      condition.required = true
      if (operator === 'gt' || operator === 'lt') this.#bound(condition, operator, parseInt64(values[0] ?? ''))
      else if (operator !== 'exists') condition.among = among(values, condition.among)
    }
  }

  #conditionOf(key: string): LabelCondition {
    const known = this.#conditions.get(key)
    if (known) return known
    const made: LabelCondition = { required: false, absent: false, among: undefined, except: undefined, above: undefined, below: undefined }
    this.#conditions.set(key, made)
    return made
  }

  #bound(condition: LabelCondition, operator: 'gt' | 'lt', bound: bigint | undefined): void {
    if (bound === undefined) this.#impossible = true
    else if (operator === 'gt') condition.above = condition.above === undefined || bound > condition.above ? bound : condition.above
    else condition.below = condition.below === undefined || bound < condition.below ? bound : condition.below
  }

  /** Reports whether labels satisfy all requirements. */
  matches(labels: SelectableLabels): boolean {
    if (this.#impossible) return false
    if (labels instanceof PackedLabels) return this.#matchesPacked(labels)
    if (isWide(labels)) return this.#matchesWide(labels)
    let met = 0
    for (const label in labels) {
      const condition = this.#conditions.get(label)
      if (condition === undefined) continue
      if (!holds(condition, labels[label] ?? '')) return false
      if (condition.required) met++
    }
    return met === this.#required
  }

  /** `matches` without listing the labels, which takes milliseconds. */
  #matchesWide(labels: Labels): boolean {
    for (const [label, condition] of this.#conditions) {
      const value = labelValue(labels, label)
      if (value === undefined ? condition.required : !holds(condition, value)) return false
    }
    return true
  }

  /** The same. Decodes a value only for a bound or for very many allowed values. */
  #matchesPacked(labels: PackedLabels): boolean {
    for (const [label, condition] of this.#conditions) {
      const at = labels.find(label)
      if (at === -1 ? condition.required : !holdsAt(condition, labels, at)) return false
    }
    return true
  }

  /** Yields the labels that every match has, with their allowed values. */
  *values(): Generator<{ readonly label: string; readonly values: string[] }> {
    for (const [label, { among: values }] of this.#conditions) if (values) yield { label, values: [...values] }
  }
}

const among = (values: readonly string[], known: ReadonlySet<string> | undefined): ReadonlySet<string> =>
  new Set(known ? values.filter(value => known.has(value)) : values)

function holds({ absent, among: values, except, above, below }: LabelCondition, value: string): boolean {
  if (absent || except?.has(value) || values?.has(value) === false) return false
  if (above === undefined && below === undefined) return true
  const number = parseInt64(value)
  return number !== undefined && (above === undefined || number > above) && (below === undefined || number < below)
}

/** Most values that are compared one by one. */
const FEW_VALUES = 64

/** `holds` for the value at an offset. */
function holdsAt(condition: LabelCondition, labels: PackedLabels, at: number): boolean {
  const { absent, among: values, except, above, below } = condition
  if (absent) return false
  const isBound = above !== undefined || below !== undefined
  if (isBound || (values?.size ?? 0) > FEW_VALUES || (except?.size ?? 0) > FEW_VALUES) return holds(condition, labels.valueAt(at))
  if (except !== undefined && labels.isOneOf(at, except)) return false
  return values === undefined || labels.isOneOf(at, values)
}

const matchers = new WeakMap<readonly LabelRequirement[], LabelMatcher>()

/** Returns the matcher of a list of requirements, which must not be changed afterwards. */
export function matcherOf(requirements: readonly LabelRequirement[]): LabelMatcher {
  let matcher = matchers.get(requirements)
  if (!matcher) {
    matcher = new LabelMatcher()
    for (const requirement of requirements) matcher.add(requirement)
    matchers.set(requirements, matcher)
  }
  return matcher
}

/** Stores a matcher that was built together with its list. */
export const keepMatcher = (requirements: readonly LabelRequirement[], matcher: LabelMatcher): void =>
  void matchers.set(requirements, matcher)
