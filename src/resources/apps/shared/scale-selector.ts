import { printLabelSelector } from '../../../meta/label-selector.ts'
import type { KubeObject } from '../../../meta/object.ts'

/** The text of spec.selector as Scale's status has it: '' where there is none or it selects everything. */
export function scaleSelector(parent: KubeObject): string {
  if (!parent.spec?.selector) return ''
  const text = printLabelSelector(parent.spec.selector)
  return text === '<none>' ? '' : text
}
