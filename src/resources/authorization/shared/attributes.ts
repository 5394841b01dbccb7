import type { RequestAttributes, User } from '../../../meta/context.ts'
import { parseFieldSelector } from '../../../meta/field-selector.ts'
import { labelRequirement } from '../../../meta/label-requirement.ts'
import { parseLabelSelector } from '../../../meta/label-selector.ts'
import type { KubeObject } from '../../../meta/object.ts'

type ApiStruct = KubeObject['spec']

/** The request that a review asks about. */
export function requestOf({ resourceAttributes, nonResourceAttributes }: ApiStruct): RequestAttributes {
  const of: ApiStruct = resourceAttributes ?? nonResourceAttributes
  return {
    path: nonResourceAttributes?.path ?? '',
    isResource: resourceAttributes !== undefined,
    verb: of.verb ?? '',
    group: of.group ?? '',
    version: of.version || '*',
    namespace: of.namespace ?? '',
    resource: of.resource ?? '',
    subresource: of.subresource ?? '',
    name: of.name ?? '',
  }
}

/** The user that a review asks about. Nobody is put into system:authenticated here. */
export const userOf = ({ user, uid, groups, extra }: ApiStruct): User => ({
  name: user ?? '',
  groups: groups ?? [],
  ...(uid && { uid }),
  ...(extra && { extra }),
})

interface Selector {
  readonly rawSelector?: string
  readonly requirements?: readonly { key: string; operator: string; values?: readonly string[] }[]
}

const LABEL_OPERATORS = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: '!' } as const

/** A selector of a review that is longer is left out of account, as one that cannot be read: whoever may ask what they may do could hold the event loop by it. */
const MAX_RAW_SELECTOR = 64 * 1024

const isReadable = (read: () => unknown): boolean => {
  try {
    read()
    return true
  } catch {
    return false
  }
}

const labelTermReads = (key: string, operator: string, values: readonly string[]): boolean =>
  Object.hasOwn(LABEL_OPERATORS, operator) && isReadable(() => labelRequirement(key, LABEL_OPERATORS[operator as keyof typeof LABEL_OPERATORS], values))

/** As selectors in queries: one value, equal or not. */
const fieldTermReads = (_key: string, operator: string, values: readonly string[]): boolean =>
  values.length === 1 && (operator === 'In' || operator === 'NotIn')

function complaint(
  name: string,
  selector: Selector | undefined,
  parse: (text: string) => unknown,
  reads: (key: string, operator: string, values: readonly string[]) => boolean,
): string[] {
  const { rawSelector = '', requirements = [] } = selector ?? {}
  const readable = requirements.filter(({ key, operator, values = [] }) => reads(key, operator, values)).length
  const bad =
    requirements.length > 0
      ? readable < requirements.length
      : rawSelector !== '' && (rawSelector.length > MAX_RAW_SELECTOR || !isReadable(() => parse(rawSelector)))
  return bad ? [`spec.resourceAttributes.${name} ${readable > 0 ? 'partially ' : ''}ignored due to parse error`] : []
}

/**
 * What of the selectors of a review cannot be read, and so is left out of account: fewer terms make the question a wider one, so the answer is safe
 * (https://kubernetes.io/docs/reference/access-authn-authz/webhook/). Empty if all is well.
 */
export const selectorComplaints = ({ fieldSelector, labelSelector }: ApiStruct): string[] => [
  ...complaint('fieldSelector', fieldSelector, parseFieldSelector, fieldTermReads),
  ...complaint('labelSelector', labelSelector, parseLabelSelector, labelTermReads),
]
