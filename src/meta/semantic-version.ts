import { parseInteger } from '../lib/integer.ts'

/** A version of semver.org, 2.0.0. Build metadata is parsed but not kept, since it does not affect the order. */
export interface SemanticVersion {
  /** The specification does not limit their size. */
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint]
  /** Identifiers after the hyphen. Empty for a release. */
  readonly prerelease: readonly string[]
}

/** A number without leading zeros. */
const NUMBER = '(0|[1-9]\\d*)'
/** An identifier of a prerelease: a number without leading zeros, or a word. */
const PRERELEASE = '(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)'
/** An identifier of build metadata. */
const BUILD = '[0-9A-Za-z-]+'
/** A whole version. */
const FORM = new RegExp(`^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-(${PRERELEASE}(?:\\.${PRERELEASE})*))?(?:\\+${BUILD}(?:\\.${BUILD})*)?$`)

/** Returns undefined if the text is not a version. */
export function parseSemanticVersion(text: string): SemanticVersion | undefined {
  const parts = FORM.exec(text)
  if (!parts) return undefined
  const [, major = '0', minor = '0', patch = '0', prerelease] = parts
  const numbers = [parseInteger(major), parseInteger(minor), parseInteger(patch)] as const
  return { numbers, prerelease: prerelease?.split('.') ?? [] }
}

/** Compares two versions; negative if `a` precedes `b`. A prerelease precedes its release. */
export function compareSemanticVersions(a: SemanticVersion, b: SemanticVersion): number {
  for (const [i, number] of a.numbers.entries()) {
    const other = b.numbers[i] ?? 0n
    if (number !== other) return number < other ? -1 : 1
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0) return b.prerelease.length - a.prerelease.length
  for (const [i, part] of a.prerelease.entries()) {
    const other = b.prerelease[i]
    if (other === undefined) return 1
    if (part !== other) return compareIdentifiers(part, other)
  }
  return a.prerelease.length - b.prerelease.length
}

const isNumber = (text: string): boolean => /^\d+$/.test(text)

/** Compares identifiers: numbers by value, and before words. */
function compareIdentifiers(a: string, b: string): number {
  if (isNumber(a) && isNumber(b)) return parseInteger(a) < parseInteger(b) ? -1 : 1
  if (isNumber(a) !== isNumber(b)) return isNumber(a) ? -1 : 1
  return a < b ? -1 : 1
}
