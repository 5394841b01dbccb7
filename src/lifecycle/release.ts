/** A minor release of the API: `1.33`. Within a major release the order is by number, not by text. */
export type Release = `${number}.${number}`

/** The release that is emulated where none is named. */
export const DEFAULT_RELEASE: Release = '1.33'

/** Those that can be emulated, oldest first. docs/releases.md says what differs. */
export const RELEASES: readonly Release[] = ['1.24', '1.25', '1.26', '1.27', '1.28', '1.29', '1.30', '1.31', '1.32', '1.33', '1.34', '1.35', '1.36']

/** Negative where `a` is older than `b`. */
export function compareReleases(a: Release, b: Release): number {
  const [aMajor = 0, aMinor = 0] = a.split('.').map(Number)
  const [bMajor = 0, bMinor = 0] = b.split('.').map(Number)
  return aMajor - bMajor || aMinor - bMinor
}

/** 33 of `1.33`. */
export const minorOf = (release: Release): number => Number(release.slice(release.indexOf('.') + 1))

/** The minor release before. */
export const previousRelease = (release: Release): Release => `1.${minorOf(release) - 1}`

/** Whether a release has what came with another. */
export const isSince = (release: Release, since: Release): boolean => release === since || compareReleases(release, since) >= 0
