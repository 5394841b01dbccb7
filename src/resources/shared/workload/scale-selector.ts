import type { LabelSelector } from '../../../api/meta/v1.types.ts'
import { printLabelSelector } from '../../../meta/label-selector.ts'

/** Prints spec.selector for the status of a Scale. Empty if there is none or it matches everything. */
export function scaleSelector({ spec }: { spec: { selector: LabelSelector | null } }): string {
  if (!spec.selector) return ''
  const text = printLabelSelector(spec.selector)
  return text === '<none>' ? '' : text
}
