import type {
  Node,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  Pod,
  PreferredSchedulingTerm,
} from '../../api/core/v1.types.ts'
import { parseInt64 } from '../../lib/integer.ts'
import { isStepDone, type Steps } from '../../lib/steps.ts'
import { isWide, MANY_MEMBERS, wideNames } from '../../lib/wide-objects.ts'

/** A node as selectors see it. */
type SelectedNode = Pick<Node, 'metadata'>

/**
 * Reports whether a node matches the pod's node selector and its required node affinity. Source: RequiredNodeAffinity
 * of k8s.io/component-helpers.
 */
export function matchesRequiredAffinity({ spec }: Pick<Pod, 'spec'>, node: SelectedNode): boolean {
  for (const [key, value] of spec.nodeSelector ? selectorMembers(spec.nodeSelector) : [])
    if (node.metadata.labels?.[key] !== value) return false
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  return required === undefined || matchesNodeSelector(required, node)
}

type SelectorMembers = readonly (readonly [key: string, value: string])[]

const wideSelectors = new WeakMap<object, SelectorMembers>()

/**
 * Returns the members of a node selector. Those of a wide one take milliseconds to list, and are kept as long as the
 * selector, which must not change: it is matched with every node.
 */
function selectorMembers(selector: Readonly<Record<string, string>>): SelectorMembers {
  const known = wideSelectors.get(selector)
  if (known) return known
  const members = Object.entries(selector)
  if (members.length > MANY_MEMBERS) wideSelectors.set(selector, members)
  return members
}

/** Lists the members of a wide node selector of a pod in turns of their own, so that they are kept. */
export function* keepSelectorMembers({ spec: { nodeSelector } }: Pick<Pod, 'spec'>): Steps<void> {
  if (nodeSelector === undefined || !isWide(nodeSelector) || wideSelectors.has(nodeSelector)) return
  const members: (readonly [string, string])[] = []
  for (const key of yield* wideNames(nodeSelector)) {
    if (isStepDone()) yield
    members.push([key, nodeSelector[key] ?? ''])
  }
  wideSelectors.set(nodeSelector, members)
}

/** Reports whether one of the terms matches. A selector without terms matches no node. */
export const matchesNodeSelector = ({ nodeSelectorTerms }: NodeSelector, node: SelectedNode): boolean =>
  nodeSelectorTerms?.some(term => matchesTerm(term, node)) ?? false

/** Sums the weights of the preferred terms that match a node. */
export function preferredWeight(terms: readonly PreferredSchedulingTerm[] | undefined, node: SelectedNode): number {
  let sum = 0
  for (const { weight, preference } of terms ?? []) if (weight !== 0 && matchesTerm(preference, node)) sum += weight
  return sum
}

/** A term without requirements matches no node. */
function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, { metadata }: SelectedNode): boolean {
  if (matchExpressions.length === 0 && matchFields.length === 0) return false
  return (
    matchExpressions.every(requirement => matchesRequirement(requirement, metadata.labels?.[requirement.key])) &&
    matchFields.every(requirement => matchesRequirement(requirement, requirement.key === 'metadata.name' ? metadata.name : undefined))
  )
}

function matchesRequirement({ operator, values = [] }: NodeSelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    case 'Gt':
    case 'Lt': {
      const left = value === undefined ? undefined : parseInt64(value)
      const right = parseInt64(values[0] ?? '')
      return left !== undefined && right !== undefined && (operator === 'Gt' ? left > right : left < right)
    }
    default:
      return false
  }
}
