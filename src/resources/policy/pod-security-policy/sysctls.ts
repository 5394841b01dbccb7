import { isStepDone, type Steps, sorted } from '../../../lib/steps.ts'
import { type FieldError, forbidden, invalid } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'

const SEGMENT = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?'
/** A sysctl, or the beginning of some with `*` at its end. */
const PATTERN = `(${SEGMENT}\\.)*([a-z0-9][-_a-z0-9]*)?[a-z0-9*]`
const PATTERN_REGEX = new RegExp(`^${PATTERN}$`)
const LONGEST = 253

/** Names and patterns of sysctls. `*` stands alone. */
export function validateSysctlPatterns(patterns: readonly string[], path: FieldPath): FieldError[] {
  const errors = patterns.flatMap((pattern, i) => {
    if (pattern === '') return [invalid(path.index(i), pattern, 'empty sysctl not allowed')]
    if (pattern.length <= LONGEST && PATTERN_REGEX.test(pattern)) return []
    return [invalid(path.index(i), pattern, `must have at most ${LONGEST} characters and match regex ${PATTERN}`)]
  })
  const coversAll = patterns.some(pattern => pattern.length <= LONGEST && pattern.startsWith('*') && PATTERN_REGEX.test(pattern))
  return coversAll && patterns.length > 1 ? [...errors, forbidden(path.child('items'), "if '*' is present, must not specify other sysctls")] : errors
}

/** A pattern, or a name, by what it begins with. */
interface Entry {
  readonly index: number
  readonly prefix: string
  readonly isPattern: boolean
}

function entryOf(text: string, index: number): Entry {
  const isPattern = text.endsWith('*')
  return { index, prefix: isPattern ? text.slice(0, -1) : text, isPattern }
}

/** The forbidden ones as they are looked up: by what a name begins with, and in order. */
class Forbidden {
  private readonly ordered: readonly Entry[]
  private readonly patterns = new Map<string, Entry[]>()
  private readonly lengths: readonly number[]

  constructor(ordered: readonly Entry[]) {
    this.ordered = ordered
    for (const entry of ordered) {
      if (!entry.isPattern) continue
      const same = this.patterns.get(entry.prefix)
      if (same) same.push(entry)
      else this.patterns.set(entry.prefix, [entry])
    }
    this.lengths = [...new Set([...this.patterns.keys()].map(({ length }) => length))]
  }

  /** Those that are for some sysctl that the other is for, too, in their order in the list. */
  overlapping({ prefix, isPattern }: Entry): Entry[] {
    const shorter = this.lengths.filter(length => length < prefix.length).flatMap(length => this.patterns.get(prefix.slice(0, length)) ?? [])
    const found = [...shorter, ...this.from(prefix, isPattern)]
    return found.sort((a, b) => a.index - b.index)
  }

  /** Those that begin with the text, or are the text. */
  private *from(prefix: string, isPattern: boolean): Generator<Entry> {
    let low = 0
    let high = this.ordered.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.ordered[middle]?.prefix ?? '') < prefix) low = middle + 1
      else high = middle
    }
    for (let entry = this.ordered[low]; entry && (isPattern ? entry.prefix.startsWith(prefix) : entry.prefix === prefix); entry = this.ordered[++low])
      yield entry
  }
}

const byPrefix = (a: Entry, b: Entry): number => (a.prefix < b.prefix ? -1 : a.prefix > b.prefix ? 1 : 0)

/** Where both lists have something to say of one sysctl; the error is at the entry that says more. Names that are too long are passed over: they are wrong anyway. */
export function* validateOverlap(
  { list: allowed, path: allowedPath }: { readonly list: readonly string[]; readonly path: FieldPath },
  { list: forbiddenList, path: forbiddenPath }: { readonly list: readonly string[]; readonly path: FieldPath },
): Steps<FieldError[]> {
  if (allowed.length === 0 || forbiddenList.length === 0) return []
  const lookup = new Forbidden(yield* sorted(forbiddenList.map(entryOf), byPrefix))
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
