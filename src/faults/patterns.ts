import { matchesTrailingStar } from '../lib/trailing-star.ts'

/** Whether one of the patterns is of the text: the text, or its beginning with `*` behind. Those with `!` before exclude, and where there are no others all else is meant. */
export function matchesPatterns(patterns: readonly string[] | undefined, text: string): boolean {
  if (patterns === undefined) return true
  if (patterns.some(pattern => pattern.startsWith('!') && matchesTrailingStar(pattern.slice(1), text))) return false
  return patterns.every(pattern => pattern.startsWith('!')) || patterns.some(pattern => matchesTrailingStar(pattern, text))
}
