import type { ReplicaSet, StatefulSet } from '../../api/apps/v1.types.ts'
import type { Pod, ReplicationController, TopologySpreadConstraint } from '../../api/core/v1.types.ts'
import { isLongStepDone, isStepDone, type Steps } from '../../lib/steps.ts'
import { memberNames } from '../../lib/wide-objects.ts'
import { hasFewValues } from '../../meta/few-values.ts'
import { type LabelRequirement, mapSelectorInSteps, matchesLabels, NOTHING } from '../../meta/label-selector.ts'
import { controllerOf } from '../shared/owner.ts'
import { keepRequirements, selectorOf, selectorOfMap } from '../shared/selectors.ts'
import { identityNumber } from './identity-number.ts'
import type { PodInfo } from './pod-info.ts'
import type { ClusterObjects } from './snapshot.ts'

/** A constraint with its defaults and its selectors. */
export interface Constraint {
  readonly maxSkew: number
  readonly topologyKey: string
  /** A pod counts if all of them match. */
  readonly selectors: Selectors
  /** Whether the selectors match the pod itself. */
  readonly matchesSelf: boolean
  readonly minDomains: number
  readonly honorsAffinity: boolean
  readonly honorsTaints: boolean
}

export type Selectors = readonly (readonly LabelRequirement[])[]

export const matchesAll = (selectors: Selectors, { metadata: { labels } }: Pod): boolean =>
  selectors.every(selector => matchesLabels(selector, labels))

/** Reports whether constraints of the pod, or a selector that default ones have, are so long that they need steps. */
export const isHeavy = ({ pod, isLarge }: PodInfo, objects: ClusterObjects): boolean =>
  isLarge || !hasFewValues(ownerOf(pod, objects)?.spec?.selector)

/** Returns the pod's constraints of one kind, or the default ones if it has none at all, in steps. */
export function* constraintsOf(
  pod: Pod,
  action: string,
  defaults: readonly TopologySpreadConstraint[],
  objects: ClusterObjects,
): Steps<readonly Constraint[]> {
  const own = pod.spec.topologySpreadConstraints ?? []
  const chosen = (own.length > 0 ? own : defaults).filter(({ whenUnsatisfiable }) => whenUnsatisfiable === action)
  const ofAll = own.length > 0 || chosen.length === 0 ? NO_SELECTORS : yield* defaultSelectors(pod, objects)
  if (own.length === 0 && ofAll.length === 0) return []
  const constraints: Constraint[] = []
  for (const one of chosen) {
    if (isLongStepDone()) yield
    yield* keepRequirements(one.labelSelector)
    constraints.push(constraint(one, own.length > 0 ? constraintSelectors(one, pod) : ofAll, pod))
  }
  return constraints
}

const NO_SELECTORS: Selectors = []

const constraint = (given: TopologySpreadConstraint, selectors: Selectors, pod: Pod): Constraint => ({
  maxSkew: given.maxSkew,
  topologyKey: given.topologyKey,
  selectors,
  matchesSelf: matchesAll(selectors, pod),
  minDomains: given.minDomains ?? 1,
  honorsAffinity: (given.nodeAffinityPolicy ?? 'Honor') === 'Honor',
  honorsTaints: given.nodeTaintsPolicy === 'Honor',
})

/** Selectors of a constraint: its own, and one of the pod's values of its `matchLabelKeys`. */
function constraintSelectors({ labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint, { metadata }: Pod): Selectors {
  const selector = selectorOf(labelSelector)
  const values = matchLabelKeys.flatMap(key => (metadata.labels?.[key] === undefined ? [] : [[key, metadata.labels[key]]]))
  return selector === NOTHING || values.length === 0 ? [selector] : [selectorOfMap(Object.fromEntries(values)), selector]
}

type Owner = ReplicationController | ReplicaSet | StatefulSet

/** Returns the controller of a pod, if it is of a kind whose selector default constraints have. */
function ownerOf(pod: Pod, objects: ClusterObjects): Owner | undefined {
  const owner = controllerOf(pod)
  const kinds =
    owner?.apiVersion === 'v1' ? ['ReplicationController'] : owner?.apiVersion === 'apps/v1' ? ['ReplicaSet', 'StatefulSet'] : []
  return owner && kinds.includes(owner.kind) ? objects.get<Owner>(owner.kind, pod.metadata.namespace ?? '', owner.name) : undefined
}

/**
 * Selects the pods of the same services and controller, in steps. Empty if there are none. Source: DefaultSelector of
 * pkg/scheduler/framework/plugins/helper.
 */
function* defaultSelectors(pod: Pod, objects: ClusterObjects): Steps<Selectors> {
  const merged: Record<string, string> = {}
  function* merge(selector: Readonly<Record<string, string>>): Steps<void> {
    for (const key of yield* memberNames(selector)) {
      if (isStepDone()) yield
      merged[key] = selector[key] ?? ''
    }
  }
  for (const { spec } of objects.servicesOf(pod)) yield* merge(spec.selector ?? {})
  const owner = ownerOf(pod, objects)
  const isPlain = controllerOf(pod)?.kind === 'ReplicationController'
  if (isPlain) yield* merge((owner as ReplicationController | undefined)?.spec?.selector ?? {})
  const ofMaps = hasFewValues(merged) ? selectorOfMap(merged) : yield* mapSelectorInSteps(merged)
  const ofSet = isPlain || owner === undefined ? [] : selectorOf((owner as ReplicaSet | StatefulSet).spec?.selector)
  return [ofMaps, ofSet].filter(selector => selector.length > 0)
}

/** Returns what pods must have in common to share counts. */
export const keyOf = ({ metadata, spec }: Pod, constraints: readonly Constraint[]): string =>
  JSON.stringify([metadata.namespace, constraints, spec.nodeSelector, spec.affinity?.nodeAffinity, spec.tolerations])

/** `keyOf` for a pod whose text would take milliseconds. Its parts are the same objects until they change. */
export function largeKeyOf({ metadata, spec }: Pod, action: string, constraints: readonly Constraint[]): string {
  const own = spec.topologySpreadConstraints ?? []
  const ofConstraints =
    own.length > 0
      ? [own, metadata.labels].map(identityNumber)
      : constraints.map(({ selectors, ...rest }) => [rest, ...selectors.map(identityNumber)])
  const others = [spec.nodeSelector, spec.affinity?.nodeAffinity, spec.tolerations].map(identityNumber)
  return JSON.stringify([metadata.namespace, action, ofConstraints, others])
}
