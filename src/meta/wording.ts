/**
 * Releases that changed the messages of errors, oldest first. The first one stands for all releases before the second.
 */
export const WORDINGS = ['1.24', '1.34', '1.35', '1.37', '1.38'] as const

/**
 * The messages of a release: those of the last release that changed them. `wordingOf` in `lifecycle` returns that of a
 * release.
 */
export type Wording = (typeof WORDINGS)[number]

/** Messages of the oldest releases, in which errors are created. */
export const FIRST_WORDING: Wording = '1.24'

/** Reports whether a wording is `since` or later. */
export const isWordedSince = (wording: Wording, since: Wording): boolean => WORDINGS.indexOf(wording) >= WORDINGS.indexOf(since)

/** A text that differs since a release. In template strings it is that of the oldest releases. */
export class Words {
  readonly before: string
  readonly since: string
  readonly release: Wording

  constructor(before: string, since: string, release: Wording) {
    this.before = before
    this.since = since
    this.release = release
  }

  toString(): string {
    return this.before
  }
}

/** Detail of a message, after the value. */
export type Detail = string | Words

/** Creates a text that differs since a release. */
export const words = (before: string, since: string, release: Wording = '1.34'): Words => new Words(before, since, release)

/** Returns a text as a release words it. */
export const textIn = (detail: Detail, wording: Wording): string =>
  typeof detail === 'string' ? detail : isWordedSince(wording, detail.release) ? detail.since : detail.before

/** Puts a text before a detail. */
export const withPrefix = (prefix: string, detail: Detail): Detail =>
  typeof detail === 'string' ? prefix + detail : words(prefix + detail.before, prefix + detail.since, detail.release)

/** Joins details. All that differ do so since the same release. */
export function joined(details: readonly Detail[], separator: string): Detail {
  const release = details.find(detail => typeof detail !== 'string')?.release
  if (release === undefined) return details.join(separator)
  return words(details.join(separator), details.map(detail => textIn(detail, release)).join(separator), release)
}
