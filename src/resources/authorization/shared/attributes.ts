import type {
  FieldSelectorAttributes,
  LabelSelectorAttributes,
  SelfSubjectAccessReviewSpec,
  SubjectAccessReviewSpec,
} from '../../../api/authorization/v1.types.ts'
import type { FieldSelectorRequirement, LabelSelectorRequirement } from '../../../api/meta/v1.types.ts'
import { isLongStepDone, isStepDone, runIfSteps, type Steps } from '../../../lib/steps.ts'
import { memberNames, noteMembers } from '../../../lib/wide-objects.ts'
import type { RequestAttributes, User } from '../../../meta/context.ts'
import { setMember } from '../../../meta/equal.ts'
import { type FieldTerm, fieldSelectorSteps } from '../../../meta/field-selector.ts'
import { type LabelOperator, type LabelRequirement, labelRequirementSteps } from '../../../meta/label-requirement.ts'
import { labelSelectorSteps } from '../../../meta/label-selector.ts'
import { ifReadableInSteps } from '../../../meta/selector-error.ts'

/** The request that a review describes. */
interface ReviewedRequest {
  readonly attributes: RequestAttributes
  /**
   * Descriptions of the selectors that cannot be parsed and are ignored. Fewer requirements make the request broader,
   * so the result is safe (https://kubernetes.io/docs/reference/access-authn-authz/webhook/). Empty if all can be
   * parsed.
   */
  readonly complaints: readonly string[]
}

/** Returns the request that a review describes. */
export function* reviewedRequest({ resourceAttributes, nonResourceAttributes }: SelfSubjectAccessReviewSpec): Steps<ReviewedRequest> {
  const { verb = '' } = resourceAttributes ?? nonResourceAttributes ?? {}
  const { group = '', version = '*', namespace = '', resource = '', subresource = '', name = '' } = resourceAttributes ?? {}
  const path = nonResourceAttributes?.path ?? ''
  const fields = yield* parsedTerms('fieldSelector', resourceAttributes?.fieldSelector, fieldSelectorSteps, fieldTerm)
  const labels = yield* parsedTerms('labelSelector', resourceAttributes?.labelSelector, labelSelectorSteps, labelTerm)
  const attributes = {
    path,
    isResource: resourceAttributes !== undefined,
    verb,
    group,
    version,
    namespace,
    resource,
    subresource,
    name,
    ...(fields.terms && { fieldSelector: fields.terms }),
    ...(labels.terms && { labelSelector: labels.terms }),
  }
  return { attributes, complaints: [...fields.complaints, ...labels.complaints] }
}

/** Requirements of a selector that can be parsed. Undefined if it has none, or is a text that cannot be parsed. */
interface ParsedTerms<T> {
  readonly terms: readonly T[] | undefined
  readonly complaints: readonly string[]
}

const NO_TERMS = { terms: undefined, complaints: [] }

/** Parses a selector, which has either a text or requirements. */
function* parsedTerms<T extends FieldTerm | LabelRequirement>(
  name: string,
  selector: FieldSelectorAttributes | LabelSelectorAttributes | undefined,
  parse: (text: string) => Steps<T[]>,
  termOf: (requirement: FieldSelectorRequirement | LabelSelectorRequirement) => T | undefined | Steps<T | undefined>,
): Steps<ParsedTerms<T>> {
  const { rawSelector = '', requirements = [] } = selector ?? {}
  const ignored = `spec.resourceAttributes.${name} ignored due to parse error`
  if (requirements.length === 0) {
    if (rawSelector === '') return NO_TERMS
    const terms = rawSelector.length > MAX_RAW_SELECTOR ? undefined : yield* ifReadableInSteps(parse(rawSelector))
    return { terms, complaints: terms ? [] : [ignored] }
  }
  const terms: T[] = []
  for (const requirement of requirements) {
    if (isLongStepDone()) yield
    const term = yield* runIfSteps(termOf(requirement))
    if (term) terms.push(term)
  }
  if (terms.length === requirements.length) return { terms, complaints: [] }
  return { terms, complaints: [terms.length > 0 ? ignored.replace('ignored', 'partially ignored') : ignored] }
}

/**
 * Longest selector that is parsed, in UTF-16 code units. A longer one is ignored like an invalid one: any user may
 * create self reviews, and could block the event loop with it.
 */
const MAX_RAW_SELECTOR = 64 * 1024

/** Converts a requirement that can be parsed: one value that is equal or not, as in a selector of a query. */
function fieldTerm({ key, operator, values = [] }: FieldSelectorRequirement): FieldTerm | undefined {
  const [value = ''] = values
  if (values.length !== 1 || (operator !== 'In' && operator !== 'NotIn')) return undefined
  return { field: key, op: operator === 'In' ? '=' : '!=', value }
}

const LABEL_OPERATORS = new Map<string, LabelOperator>([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
])

/** Converts a requirement that can be parsed. */
function labelTerm({ key, operator, values = [] }: LabelSelectorRequirement): Steps<LabelRequirement | undefined> | undefined {
  const known = LABEL_OPERATORS.get(operator)
  return known && ifReadableInSteps(labelRequirementSteps(key, known, values))
}

/** Returns the user that a review describes. Unlike in authentication, system:authenticated is not added. */
export function* reviewUser({ user, uid, groups, extra }: SubjectAccessReviewSpec): Steps<User> {
  return {
    name: user ?? '',
    groups: groups ?? [],
    ...(uid && { uid }),
    ...(extra && { extra: yield* extraValues(extra) }),
  }
}

/** Returns extra values with an empty list for each null. */
function* extraValues(extra: NonNullable<SubjectAccessReviewSpec['extra']>): Steps<NonNullable<User['extra']>> {
  const keys = yield* memberNames(extra)
  const values = {}
  for (const key of keys) {
    if (isStepDone()) yield
    setMember(values, key, extra[key] ?? [])
  }
  return noteMembers(values, keys.length)
}
