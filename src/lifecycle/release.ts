import { FIRST_WORDING, WORDINGS, type Wording } from '../meta/wording.ts'

/** A minor release of the API: `1.33`. Releases are ordered by number, not by text. */
export type Release = `${number}.${number}`

/** Release that is emulated by default. */
export const DEFAULT_RELEASE: Release = '1.33'

/** Oldest release that can be emulated. */
export const OLDEST_RELEASE: Release = '1.24'

/** Newest release that can be emulated. `hack/add-release` writes it. */
export const NEWEST_RELEASE: Release = '1.38'

/**
 * Versions of releases that are emulated before they are final. Parts that are not published yet may differ in the
 * release, as docs/releases.md says. `hack/add-release` writes them.
 */
export const PREVIEWS: Readonly<Partial<Record<Release, string>>> = { '1.38': 'v1.38.0-beta.0' }

/** Cache of the numbers by which releases are ordered: validating an object compares a dozen times. */
const ordinals = new Map<Release, number>()

function ordinalOf(release: Release): number {
  let ordinal = ordinals.get(release)
  if (ordinal === undefined) {
    const [major = 0, minor = 0] = release.split('.').map(Number)
    ordinal = major * 10_000 + minor
    ordinals.set(release, ordinal)
  }
  return ordinal
}

/** Compares two releases; negative if `a` is older than `b`. */
export const compareReleases = (a: Release, b: Release): number => ordinalOf(a) - ordinalOf(b)

/** Returns 33 for `1.33`. */
export const minorOf = (release: Release): number => Number(release.slice(release.indexOf('.') + 1))

/** Releases that can be emulated, oldest first. docs/releases.md describes the differences. */
export const RELEASES: readonly Release[] = Array.from(
  { length: minorOf(NEWEST_RELEASE) - minorOf(OLDEST_RELEASE) + 1 },
  (_, i): Release => `1.${minorOf(OLDEST_RELEASE) + i}`,
)

/** Newest release that is no preview. */
export const NEWEST_FINAL_RELEASE: Release = RELEASES.findLast(release => PREVIEWS[release] === undefined) ?? OLDEST_RELEASE

/** Releases that can be emulated, for users: `1.24 to 1.37`, with the preview if there is one. */
export const RELEASE_RANGE =
  NEWEST_RELEASE === NEWEST_FINAL_RELEASE
    ? `${OLDEST_RELEASE} to ${NEWEST_RELEASE}`
    : `${OLDEST_RELEASE} to ${NEWEST_FINAL_RELEASE}, and ${NEWEST_RELEASE} as a preview`

/** Returns the warning about a preview, or undefined for other releases. */
export function previewWarning(release: Release): string | undefined {
  const version = PREVIEWS[release]
  return version === undefined ? undefined : `${release} is a preview of ${version}: what is not published yet may differ in the release`
}

/** Returns the minor release before. */
export const previousRelease = (release: Release): Release => `1.${minorOf(release) - 1}`

/** Reports whether a release is `since` or later. */
export const isSince = (release: Release, since: Release): boolean => compareReleases(release, since) >= 0

/** Returns the messages of a release. */
export const wordingOf = (release: Release): Wording => WORDINGS.findLast(since => isSince(release, since)) ?? FIRST_WORDING
