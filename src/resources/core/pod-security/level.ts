import { parseInteger } from '../../../lib/integer.ts'

/** Pod Security Standards, least strict first. https://kubernetes.io/docs/concepts/security/pod-security-standards/ */
const LEVELS = ['privileged', 'baseline', 'restricted'] as const
/** Name of a standard, as in labels. */
export type Level = (typeof LEVELS)[number]

/** `latest`, or a minor release such as `v1.33`. */
export type PolicyVersion = 'latest' | `v1.${number}`

/** Standard for the pods of a namespace. */
export interface LevelVersion {
  /** Standard to meet. */
  readonly level: Level
  /** Release whose form of the standard applies. */
  readonly version: PolicyVersion
}

/** Texts of errors about labels and about the configuration. */
export const LEVEL_FAULT = `must be one of ${LEVELS.join(', ')}`
/** Companion of LEVEL_FAULT for versions. */
export const VERSION_FAULT = 'must be "latest" or "v1.x"'

/** Largest int64. Larger minor versions are no versions. */
const MOST = 2n ** 63n - 1n
/** Leading zeros are not allowed. */
const MINOR_VERSION = /^v1\.(0|[1-9][0-9]*)$/

/** Whether the text is a level. The comparison is exact: upper case is not accepted. */
export const isLevel = (text: string): text is Level => LEVELS.some(level => level === text)

/** Minor versions are bounded as in Go. */
export const isPolicyVersion = (text: string): text is PolicyVersion =>
  text === 'latest' || (MINOR_VERSION.test(text) && parseInteger(text.slice(3)) <= MOST)

/** Returns 33 for `v1.33`, and Infinity for `latest`. */
export const minorOfVersion = (version: PolicyVersion): number =>
  version === 'latest' ? Number.POSITIVE_INFINITY : Number(version.slice(3))

/** Prints a level and its version, as in `restricted:v1.33`. */
export const levelText = ({ level, version }: LevelVersion): string => `${level}:${version}`

/** Compares two levels. Positive if `a` is stricter than `b`. */
export const compareLevels = (a: Level, b: Level): number => LEVELS.indexOf(a) - LEVELS.indexOf(b)

/** Whether both have the same level and version. `latest` differs from the version that it stands for. */
export const isSameLevel = (a: LevelVersion, b: LevelVersion): boolean => a.level === b.level && a.version === b.version
