import type { Pod, Service } from '../../api/core/v1.types.ts'
import { eachInSlices } from '../../lib/slices.ts'
import { hasFewValues } from '../../meta/few-values.ts'
import type { LabelRequirement } from '../../meta/label-requirement.ts'
import { matchesLabels } from '../../meta/label-selector.ts'
import type { Informer } from './informer.ts'
import { isEmptyMap } from './selectors.ts'
import { selectsLabels } from './service-endpoints.ts'

type Labels = Readonly<Record<string, string>>

const BY_LABEL = 'label'
const BY_SELECTOR = 'selector'
/** Labels that an object is listed by. One with more is looked at for every label, so that an index stays small. */
const MOST_LABELS = 64
/** Requirements of a selector of which the one is searched that the fewest objects meet. */
const MOST_COMPARED = 16

/** Value of an index for a label in a namespace. */
const labelText = (namespace: string, key: string, value: string): string => `${namespace}/${key}=${value}`

/** Value of an index for objects of a namespace that have or select so many labels that they are not listed by them. */
const manyLabels = (namespace: string): string => `${namespace}/`

/** Returns a text for each label of an object. Undefined if it has very many. */
const labelTexts = (namespace = '', labels: Labels = {}): readonly string[] | undefined =>
  hasFewValues(labels, MOST_LABELS) ? Object.entries(labels).map(([key, value]) => labelText(namespace, key, value)) : undefined

/** Returns labels, not all, that an object needs to meet the requirements, as pairs of key and value. */
export function requiredLabels(requirements: readonly LabelRequirement[]): readonly (readonly [string, string])[] {
  const found: (readonly [string, string])[] = []
  for (const { key, operator, values } of requirements) {
    const [value] = values
    if (value === undefined || values.length > 1 || !['=', '==', 'in'].includes(operator)) continue
    found.push([key, value])
    if (found.length === MOST_COMPARED) break
  }
  return found
}

/**
 * Indexes pods by their labels. Returns a function that lists the pods of a namespace which a selector matches. It
 * looks only at those that have one of its labels, in turns.
 */
export function podsBySelector(pods: Informer<Pod>): (namespace: string, requirements: readonly LabelRequirement[]) => Promise<Pod[]> {
  pods.addIndex(BY_LABEL, ({ metadata: { namespace = '', labels } }) => labelTexts(namespace, labels) ?? [manyLabels(namespace)])
  const { store } = pods
  const candidates = (namespace: string, requirements: readonly LabelRequirement[]): readonly Pod[] => {
    const [first, ...others] = requiredLabels(requirements).map(([key, value]) => labelText(namespace, key, value))
    if (first === undefined) return store.inNamespace(namespace)
    let rarest = first
    for (const label of others) if (store.count(BY_LABEL, label) < store.count(BY_LABEL, rarest)) rarest = label
    return [...store.by(BY_LABEL, rarest), ...store.by(BY_LABEL, manyLabels(namespace))]
  }
  return async (namespace, requirements) => {
    const selected: Pod[] = []
    await eachInSlices(candidates(namespace, requirements), pod => {
      if (matchesLabels(requirements, pod.metadata.labels)) selected.push(pod)
    })
    return selected
  }
}

/**
 * Indexes services by a label that they select. Returns a function that lists the services which select a pod: it looks
 * only at those that select one of its labels.
 */
export function servicesByPod(services: Informer<Service>): (pod: Pod) => readonly Service[] {
  services.addIndex(BY_SELECTOR, ({ metadata: { namespace = '' }, spec: { selector = {} } }) => {
    if (isEmptyMap(selector)) return []
    if (!hasFewValues(selector, MOST_LABELS)) return [manyLabels(namespace)]
    return Object.entries(selector)
      .slice(0, 1)
      .map(([key, value]) => labelText(namespace, key, value))
  })
  const { store } = services
  return ({ metadata: { namespace = '', labels } }) => {
    const texts = labelTexts(namespace, labels)
    const candidates =
      texts === undefined ? store.inNamespace(namespace) : [manyLabels(namespace), ...texts].flatMap(text => store.by(BY_SELECTOR, text))
    return candidates.filter(service => selectsLabels(service, labels))
  }
}
