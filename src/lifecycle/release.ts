/** A minor release of the API: `1.33`. Within a major release the order is by number, not by text. */
export type Release = `${number}.${number}`

/** Those that can be emulated, oldest first. */
export const RELEASES: readonly Release[] = ['1.33']

/** Negative where `a` is older than `b`. */
export function compareReleases(a: Release, b: Release): number {
  const [aMajor = 0, aMinor = 0] = a.split('.').map(Number)
  const [bMajor = 0, bMinor = 0] = b.split('.').map(Number)
  return aMajor - bMajor || aMinor - bMinor
}
