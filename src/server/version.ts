import type { Features } from '../lifecycle/gates.ts'
import { minorOf, PREVIEWS, type Release } from '../lifecycle/release.ts'

/** version.Info, the body of `/version`. */
export interface VersionInfo {
  readonly major: string
  /** Without a `+`, which some distributions of Kubernetes append. */
  readonly minor: string
  /** Release whose API is served. Since 1.33. */
  readonly emulationMajor?: string
  readonly emulationMinor?: string
  /** Oldest release whose components the server supports (KEP-4330). Since 1.33. */
  readonly minCompatibilityMajor?: string
  readonly minCompatibilityMinor?: string
  /** Version that clients compare, as in `v1.33.0+binnacle`. */
  readonly gitVersion: string
  /** Empty, because the program is not built from a commit of Kubernetes. */
  readonly gitCommit: string
  /** Empty, for the same reason. */
  readonly gitTreeState: string
  /** RFC 3339. */
  readonly buildDate: string
  /** The Node runtime, for clients that show it. */
  readonly goVersion: string
  /** Engine of JavaScript instead of Go's compiler. */
  readonly compiler: string
  /** `linux/amd64`, as Go names it. */
  readonly platform: string
}

/** The Node runtime. */
export interface Runtime {
  /** With a leading `v`: process.version. */
  readonly version: string
  /** process.platform, such as `linux`. */
  readonly platform: string
  /** process.arch, such as `x64`. */
  readonly arch: string
}

/**
 * Returns the gitVersion: the first patch of the release or the version of its preview, which clients can compare, with
 * the program as build metadata.
 */
export const gitVersion = (release: Release): string => `${PREVIEWS[release] ?? `v${release}.0`}+binnacle`

/** Returns the version information. Releases before 1.33 have no emulation and compatibility versions. */
export const versionInfo = (
  { version, platform, arch }: Runtime,
  { release, compatibility }: Pick<Features, 'release' | 'compatibility'>,
): VersionInfo => ({
  major: '1',
  minor: `${minorOf(release)}`,
  ...(minorOf(release) >= 33 && {
    emulationMajor: '1',
    emulationMinor: `${minorOf(release)}`,
    minCompatibilityMajor: '1',
    minCompatibilityMinor: `${minorOf(compatibility)}`,
  }),
  gitVersion: gitVersion(release),
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: `node${version}`,
  compiler: 'v8',
  platform: `${platform}/${arch === 'x64' ? 'amd64' : arch}`,
})
