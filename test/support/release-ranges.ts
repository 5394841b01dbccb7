import { minorOf, PREVIEWS, RELEASES } from '../../src/lifecycle/release.ts'

/** Whether the minor release 1.x is in ranges as the reference writes them: `1.24-1.26,1.28`. */
export const isIn = (ranges: string, minor: number): boolean =>
  ranges.split(',').some(range => {
    const [first = '', last = first] = range.split('-').map(release => release.slice(2))
    return Number(first) <= minor && minor <= Number(last)
  })

/** Minor releases that the program can emulate, and that the reference has. It has no facts of previews. */
export const MINORS: readonly number[] = RELEASES.filter(release => PREVIEWS[release] === undefined).map(minorOf)

/**
 * Whether ranges of the reference name a release that the program can emulate: the reference has facts of later ones,
 * too.
 */
export const isKnown = (ranges: string): boolean => MINORS.some(minor => isIn(ranges, minor))
