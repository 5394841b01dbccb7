import { type LabelSelector, printLabelSelector } from '../../../meta/label-selector.ts'

/** The text of spec.selector as Scale's status has it: '' where there is none or it selects everything. */
export function scaleSelector({ spec }: { spec: { selector: LabelSelector | null } }): string {
  if (!spec.selector) return ''
  const text = printLabelSelector(spec.selector)
  return text === '<none>' ? '' : text
}
