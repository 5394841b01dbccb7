import type {
  FieldSelectorAttributes,
  LabelSelectorAttributes,
  ResourceAttributes,
  SelfSubjectAccessReviewSpec,
  SubjectAccessReviewSpec,
} from '../../../api/authorization/v1.types.ts'
import type { RequestAttributes, User } from '../../../meta/context.ts'
import { type FieldTerm, parseFieldSelector } from '../../../meta/field-selector.ts'
import { type LabelOperator, type LabelRequirement, labelRequirement } from '../../../meta/label-requirement.ts'
import { parseLabelSelector } from '../../../meta/label-selector.ts'
import { ifReadable } from '../../../meta/selector-error.ts'

/** Returns the request that a review describes. */
export function requestOf({ resourceAttributes, nonResourceAttributes }: SelfSubjectAccessReviewSpec): RequestAttributes {
  const { verb = '' } = resourceAttributes ?? nonResourceAttributes ?? {}
  const { group = '', version = '*', namespace = '', resource = '', subresource = '', name = '' } = resourceAttributes ?? {}
  const path = nonResourceAttributes?.path ?? ''
  const fieldSelector = resourceAttributes?.fieldSelector && fieldTermsOf(resourceAttributes.fieldSelector)
  const labelSelector = resourceAttributes?.labelSelector && labelTermsOf(resourceAttributes.labelSelector)
  return {
    path,
    isResource: resourceAttributes !== undefined,
    verb,
    group,
    version,
    namespace,
    resource,
    subresource,
    name,
    ...(fieldSelector && { fieldSelector }),
    ...(labelSelector && { labelSelector }),
  }
}

/** Returns the requirements on fields that can be parsed. */
function fieldTermsOf({ rawSelector = '', requirements = [] }: FieldSelectorAttributes): readonly FieldTerm[] | undefined {
  if (requirements.length > 0)
    return requirements.flatMap(({ key, operator, values = [] }): FieldTerm[] => {
      const [value = ''] = values
      return fieldTermReads(key, operator, values) ? [{ field: key, op: operator === 'In' ? '=' : '!=', value }] : []
    })
  if (rawSelector === '' || rawSelector.length > MAX_RAW_SELECTOR) return undefined
  return ifReadable(() => parseFieldSelector(rawSelector))
}

/** Returns the requirements on labels that can be parsed. */
function labelTermsOf({ rawSelector = '', requirements = [] }: LabelSelectorAttributes): readonly LabelRequirement[] | undefined {
  if (requirements.length > 0)
    return requirements.flatMap(({ key, operator, values = [] }): LabelRequirement[] => {
      const known = LABEL_OPERATORS.get(operator)
      return known !== undefined && labelTermReads(key, operator, values) ? [{ key, operator: known, values }] : []
    })
  if (rawSelector === '' || rawSelector.length > MAX_RAW_SELECTOR) return undefined
  return ifReadable(() => parseLabelSelector(rawSelector))
}

/** Returns the user that a review describes. Unlike in authentication, system:authenticated is not added. */
export const reviewUser = ({ user, uid, groups, extra }: SubjectAccessReviewSpec): User => ({
  name: user ?? '',
  groups: groups ?? [],
  ...(uid && { uid }),
  ...(extra && { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, values ?? []])) }),
})

const LABEL_OPERATORS = new Map<string, LabelOperator>([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
])

/**
 * Longest selector that is parsed, in UTF-16 code units. A longer one is ignored like an invalid one: any user may
 * create self reviews, and could block the event loop with it.
 */
const MAX_RAW_SELECTOR = 64 * 1024

function labelTermReads(key: string, operator: string, values: readonly string[]): boolean {
  const known = LABEL_OPERATORS.get(operator)
  return known !== undefined && ifReadable(() => labelRequirement(key, known, values)) !== undefined
}

/** Reports whether a field requirement can be parsed: one value that is equal or not, as in a selector of a query. */
const fieldTermReads = (_key: string, operator: string, values: readonly string[]): boolean =>
  values.length === 1 && (operator === 'In' || operator === 'NotIn')

function complaint(
  name: string,
  selector: FieldSelectorAttributes | LabelSelectorAttributes | undefined,
  parse: (text: string) => unknown,
  reads: (key: string, operator: string, values: readonly string[]) => boolean,
): string[] {
  const { rawSelector = '', requirements = [] } = selector ?? {}
  const readable = requirements.filter(({ key, operator, values = [] }) => reads(key, operator, values)).length
  const bad =
    requirements.length > 0
      ? readable < requirements.length
      : rawSelector !== '' && (rawSelector.length > MAX_RAW_SELECTOR || ifReadable(() => parse(rawSelector)) === undefined)
  return bad ? [`spec.resourceAttributes.${name} ${readable > 0 ? 'partially ' : ''}ignored due to parse error`] : []
}

/**
 * Describes the selectors of a review that cannot be parsed and are ignored. Fewer requirements make the request
 * broader, so the result is safe (https://kubernetes.io/docs/reference/access-authn-authz/webhook/). Empty if all can
 * be parsed.
 */
export const selectorComplaints = ({ fieldSelector, labelSelector }: ResourceAttributes): string[] => [
  ...complaint('fieldSelector', fieldSelector, parseFieldSelector, fieldTermReads),
  ...complaint('labelSelector', labelSelector, parseLabelSelector, labelTermReads),
]
