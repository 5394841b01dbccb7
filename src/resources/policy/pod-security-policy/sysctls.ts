import { isStepDone, type Steps, sortInSteps } from '../../../lib/steps.ts'
import { type FieldError, forbidden, invalid } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'

/** Part of a sysctl between dots. */
const SEGMENT = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?'
/** A sysctl, or a prefix followed by `*`. */
const PATTERN = `(${SEGMENT}\\.)*([a-z0-9][-_a-z0-9]*)?[a-z0-9*]`
const PATTERN_REGEX = new RegExp(`^${PATTERN}$`)
/** Limit on the length of a pattern, in UTF-16 code units. */
const LONGEST = 253

/** Validates names and patterns of sysctls. `*` must be the only one. */
export function validateSysctlPatterns(patterns: readonly string[], path: FieldPath): FieldError[] {
  const errors = patterns.flatMap((pattern, i) => {
    if (pattern === '') return [invalid(path.index(i), pattern, 'empty sysctl not allowed')]
    if (pattern.length <= LONGEST && PATTERN_REGEX.test(pattern)) return []
    return [invalid(path.index(i), pattern, `must have at most ${LONGEST} characters and match regex ${PATTERN}`)]
  })
  const coversAll = patterns.some(pattern => pattern.length <= LONGEST && pattern.startsWith('*') && PATTERN_REGEX.test(pattern))
  return coversAll && patterns.length > 1
    ? [...errors, forbidden(path.child('items'), "if '*' is present, must not specify other sysctls")]
    : errors
}

/** A pattern or a name, by its prefix. */
interface SysctlPattern {
  readonly index: number
  /** Name, or the pattern without its `*`. */
  readonly prefix: string
  /** Whether the text ended with `*`. */
  readonly isPattern: boolean
}

/** Parses an entry, which may be invalid: a star elsewhere than at the end is part of the prefix. */
function entryOf(text: string, index: number): SysctlPattern {
  const isPattern = text.endsWith('*')
  return { index, prefix: isPattern ? text.slice(0, -1) : text, isPattern }
}

/** Index of forbidden entries, by the prefix of a pattern and in sorted order. */
class Forbidden {
  readonly #ordered: readonly SysctlPattern[]
  readonly #patterns = new Map<string, SysctlPattern[]>()
  readonly #lengths: readonly number[]

  constructor(ordered: readonly SysctlPattern[]) {
    this.#ordered = ordered
    for (const entry of ordered) {
      if (!entry.isPattern) continue
      const same = this.#patterns.get(entry.prefix)
      if (same) same.push(entry)
      else this.#patterns.set(entry.prefix, [entry])
    }
    this.#lengths = [...new Set([...this.#patterns.keys()].map(({ length }) => length))]
  }

  /** Returns the entries that match a sysctl which the other entry matches, too, in the order of the list. */
  overlapping({ prefix, isPattern }: SysctlPattern): SysctlPattern[] {
    const shorter = this.#lengths
      .filter(length => length < prefix.length)
      .flatMap(length => this.#patterns.get(prefix.slice(0, length)) ?? [])
    const found = [...shorter, ...this.#from(prefix, isPattern)]
    return found.sort((a, b) => a.index - b.index)
  }

  /** Yields the entries that begin with the text or equal it. */
  *#from(prefix: string, isPattern: boolean): Generator<SysctlPattern> {
    let low = 0
    let high = this.#ordered.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#ordered[middle]?.prefix ?? '') < prefix) low = middle + 1
      else high = middle
    }
    for (
      let entry = this.#ordered[low];
      entry && (isPattern ? entry.prefix.startsWith(prefix) : entry.prefix === prefix);
      entry = this.#ordered[++low]
    )
      yield entry
  }
}

const byPrefix = (a: SysctlPattern, b: SysctlPattern): number => (a.prefix < b.prefix ? -1 : a.prefix > b.prefix ? 1 : 0)

/**
 * Reports sysctls that both lists match. The error is for the more specific entry. Names that are too long are skipped,
 * since they are invalid anyway.
 */
export function* validateOverlap(
  { list: allowed, path: allowedPath }: { readonly list: readonly string[]; readonly path: FieldPath },
  { list: forbiddenList, path: forbiddenPath }: { readonly list: readonly string[]; readonly path: FieldPath },
): Steps<FieldError[]> {
  if (allowed.length === 0 || forbiddenList.length === 0) return []
  const lookup = new Forbidden(yield* sortInSteps(forbiddenList.map(entryOf), byPrefix))
  const errors: FieldError[] = []
  for (const [i, text] of allowed.entries()) {
    if (isStepDone()) yield
    if (text.length > LONGEST) continue
    const entry = entryOf(text, i)
    for (const other of lookup.overlapping(entry)) {
      const otherText = forbiddenList[other.index] ?? ''
      const saysMore = other.isPattern && entry.prefix.startsWith(other.prefix)
      errors.push(
        saysMore || !entry.isPattern
          ? invalid(allowedPath.index(i), text, `sysctl overlaps with ${otherText}`)
          : invalid(forbiddenPath.index(other.index), otherText, `sysctl overlaps with ${text}`),
      )
    }
  }
  return errors
}
