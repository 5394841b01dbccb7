import { ArgumentError } from '../lib/arguments.ts'
import { minorOf, NEWEST_FINAL_RELEASE, previewWarning, RELEASES, type Release } from '../lifecycle/release.ts'

/** Oldest and newest minor release that the tables cover. */
const MINORS = [16, Math.max(...RELEASES.map(minorOf))] as const

/** Parses `1.33` or `v1.33.2`. Throws ArgumentError. */
export function readRelease(flag: string, text: string | undefined): Release {
  const minor = Number(/^v?1\.(\d{1,2})(?:\.\d+)?$/.exec(text ?? '')?.[1] ?? Number.NaN)
  if (text === undefined) throw new ArgumentError(`--${flag} is needed: a release such as ${NEWEST_FINAL_RELEASE}`)
  if (!(minor >= MINORS[0] && minor <= MINORS[1]))
    throw new ArgumentError(`--${flag} ${text}: not a release from 1.${MINORS[0]} to 1.${MINORS[1]}`)
  return `1.${minor}`
}

/**
 * Parses the target release of a command, and reports if it is a preview. Throws ArgumentError. @param say prints a
 * line for users
 */
export function readTarget(text: string | undefined, say: (line: string) => void): Release {
  const release = readRelease('to', text)
  const warning = previewWarning(release)
  if (warning !== undefined) say(`--to: ${warning}\n`)
  return release
}
