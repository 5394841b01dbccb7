import { compareText } from '../../../lib/compare-text.ts'
import { type Steps, sortInSteps } from '../../../lib/steps.ts'
import { type CheckedPod, namesWhere, type SharedContext } from './check.ts'

/** Puts each item in double quotes, without escaping. */
export const quoteItems = (items: readonly string[]): string => (items.length === 0 ? '' : `"${items.join('", "')}"`)

export const plural = (count: number, one: string, many: string): string => (count === 1 ? one : many)

/** Prints `container "a"` or `containers "a", "b"`. */
export const containersText = (names: readonly string[]): string =>
  `${plural(names.length, 'container', 'containers')} ${quoteItems(names)}`

/** Describes the pod and the containers whose security context is bad, as messages name them. */
export function settersOf(pod: CheckedPod, isBad: (context: SharedContext) => boolean): string[] {
  const isBadOf = ({ securityContext }: { readonly securityContext?: SharedContext }): boolean =>
    securityContext !== undefined && isBad(securityContext)
  const containers = namesWhere(pod, isBadOf)
  return [...(isBadOf(pod.spec) ? ['pod'] : []), ...(containers.length > 0 ? [containersText(containers)] : [])]
}

/** Sorts values by their bytes, as messages list them. */
export const sortValues = (values: ReadonlySet<string>): Steps<string[]> => sortInSteps([...values], compareText)
