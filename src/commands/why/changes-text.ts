import type { WhyChange, WhyChanges } from '../../meta/why.ts'

/** Longer values are truncated. */
const LONGEST = 160

/** Returns a line per change, such as `+ /spec/replicas: 1`. */
export function changeLines(changes: WhyChanges): string[] {
  if (changes === 'too large') return ['  the changes are unknown: the object is too large to be compared']
  return changes.map(change => `  ${SIGNS[change.op]} ${change.path || '/'}${valueText(change)}`)
}

const SIGNS: Readonly<Record<WhyChange['op'], string>> = { add: '+', remove: '-', replace: '~', move: '>', copy: '=', test: '?' }

function valueText({ value, from }: WhyChange): string {
  if (from !== undefined) return ` from ${from}`
  if (value === undefined) return ''
  const text = JSON.stringify(value)
  return `: ${text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}`
}
