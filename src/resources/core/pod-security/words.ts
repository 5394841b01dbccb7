import { compareText } from '../../../lib/compare-text.ts'
import { type Steps, sorted } from '../../../lib/steps.ts'
import { type CheckedPod, namesWhere, type SharedContext } from './check.ts'

/** Each in double quotes, as it stands. */
export const quoted = (items: readonly string[]): string => (items.length === 0 ? '' : `"${items.join('", "')}"`)

export const plural = (count: number, one: string, many: string): string => (count === 1 ? one : many)

/** `container "a"` or `containers "a", "b"`. */
export const containersText = (names: readonly string[]): string => `${plural(names.length, 'container', 'containers')} ${quoted(names)}`

/** Those with a bad security context, as messages name them: the pod itself, and containers of it. */
export function settersOf(pod: CheckedPod, isBad: (context: SharedContext) => boolean): string[] {
  const isBadOf = ({ securityContext }: { readonly securityContext?: SharedContext }): boolean => securityContext !== undefined && isBad(securityContext)
  const containers = namesWhere(pod, isBadOf)
  return [...(isBadOf(pod.spec) ? ['pod'] : []), ...(containers.length > 0 ? [containersText(containers)] : [])]
}

/** The values as messages list them: sorted by their bytes. */
export const inOrder = (values: ReadonlySet<string>): Steps<string[]> => sorted([...values], compareText)
