import type { LabelSelector } from '../../api/meta/v1.types.ts'

/**
 * Prints a selector as Go's `%v` does, for messages of events and conditions:
 * `&LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]LabelSelectorRequirement{},}`, or `nil`.
 * Source: the method String of LabelSelector in k8s.io/apimachinery.
 */
export function printGoSelector(selector: LabelSelector | undefined | null): string {
  if (!selector) return 'nil'
  const { matchLabels = {}, matchExpressions = [] } = selector
  const labels = Object.keys(matchLabels)
    .sort()
    .map(key => `${key}: ${matchLabels[key]},`)
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) => `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  )
  const [map, list] = [`map[string]string{${labels.join('')}}`, `[]LabelSelectorRequirement{${expressions.join('')}}`]
  return `&LabelSelector{MatchLabels:${map},MatchExpressions:${list},}`
}
