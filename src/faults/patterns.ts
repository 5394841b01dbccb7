import { matchesTrailingStar } from '../lib/trailing-star.ts'

/**
 * Reports whether a text matches the patterns: exactly, or as a prefix before `*`. Patterns with a leading `!` exclude.
 * If all patterns exclude, every other text matches.
 */
export function matchesPatterns(patterns: readonly string[] | undefined, text: string): boolean {
  if (patterns === undefined) return true
  if (patterns.some(pattern => pattern.startsWith('!') && matchesTrailingStar(pattern.slice(1), text))) return false
  return patterns.every(pattern => pattern.startsWith('!')) || patterns.some(pattern => matchesTrailingStar(pattern, text))
}
