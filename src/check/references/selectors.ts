import { isJsonObject, type Json, type JsonObject } from '../../api/meta/object.ts'
import type { LabelSelector } from '../../api/meta/v1.types.ts'
import { type LabelRequirement, labelSelectorOf, matchesLabels } from '../../meta/label-selector.ts'
import { objectAt, podTemplateOf } from './reference.ts'

export type PodLabels = Readonly<Record<string, string>>

/** A selector of pods, with the path of its field. */
export interface PodSelector {
  readonly field: string
  readonly requirements: readonly LabelRequirement[]
}

/** Returns the selector of pods of a stored object that selects pods of others. Undefined if it has none, or selects all. */
export function podSelectorOf(object: JsonObject): PodSelector | undefined {
  const spec = objectAt(object, 'spec')
  switch (`${String(object.apiVersion)} ${String(object.kind)}`) {
    case 'v1 Service':
      return selector({ matchLabels: spec.selector ?? null }, 'spec.selector')
    case 'policy/v1 PodDisruptionBudget':
      return selector(spec.selector, 'spec.selector')
    case 'networking.k8s.io/v1 NetworkPolicy':
      return selector(spec.podSelector, 'spec.podSelector')
    default:
      return undefined
  }
}

function selector(value: Json | undefined, field: string): PodSelector | undefined {
  if (!isJsonObject(value)) return undefined
  // The server has validated it: its members are those of a LabelSelector.
  const requirements = labelSelectorOf(value as LabelSelector)
  return requirements.length === 0 ? undefined : { field, requirements }
}

/** Labels of the pods of a workload. Undefined for other kinds. */
export function podLabelsOf(object: JsonObject): PodLabels | undefined {
  const template = podTemplateOf(object)
  if (template === undefined) return undefined
  const labels = objectAt(template.template, 'metadata', 'labels')
  return Object.fromEntries(Object.entries(labels).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

/** Reports whether a selector selects pods with these labels. */
export const selectsPods = ({ requirements }: PodSelector, labels: PodLabels): boolean => matchesLabels(requirements, labels)
