import type { ExemptRegExp } from './exempt-regexps.ts'
import { growthOf } from './regexp-growth.ts'
import type { FoundRegExp } from './regexps.ts'

/**
 * One line for each expression that may take more than linear time or is not a constant, unless it is exempt, and for
 * each exemption that is not needed.
 */
export function regexpProblems(found: readonly FoundRegExp[], exempt: readonly ExemptRegExp[]): string[] {
  const unused = new Set(exempt)
  const problems: string[] = []
  for (const { path, line, shown, expression } of found) {
    const growth = expression ? growthOf(expression.source, expression.flags) : 'is not a constant'
    if (growth === undefined) continue
    const exemption = exempt.find(one => one.path === path && one.shown === shown)
    if (exemption) unused.delete(exemption)
    else problems.push(`${path}:${line}: ${shown} ${growth}`)
  }
  return [...problems, ...Array.from(unused, ({ path, shown }) => `${path}: ${shown} is exempt, but no such expression needs it`)]
}
