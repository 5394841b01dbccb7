/** A minor release of the API: `1.33`. */
export type Release = `${number}.${number}`

/** Those that can be emulated, oldest first. */
export const RELEASES: readonly Release[] = ['1.33']
