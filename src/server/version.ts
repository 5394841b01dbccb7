import type { Features } from '../lifecycle/gates.ts'
import { minorOf, type Release } from '../lifecycle/release.ts'

/** version.Info, as `/version` and `kubectl version` show it. */
export interface VersionInfo {
  readonly major: string
  readonly minor: string
  readonly emulationMajor?: string
  readonly emulationMinor?: string
  readonly minCompatibilityMajor?: string
  readonly minCompatibilityMinor?: string
  readonly gitVersion: string
  readonly gitCommit: string
  readonly gitTreeState: string
  readonly buildDate: string
  readonly goVersion: string
  readonly compiler: string
  readonly platform: string
}

/** What the server runs on. */
export interface Runtime {
  readonly version: string
  readonly platform: string
  readonly arch: string
}

/** A version that clients know how to compare: the first patch of the release, and the program. */
export const gitVersion = (release: Release): string => `v${release}.0+binnacle`

/** What the server is: the release that it emulates, and what it is built of. Releases before 1.33 do not say beside which ones they run. */
export const versionInfo = ({ version, platform, arch }: Runtime, { release, compatibility }: Pick<Features, 'release' | 'compatibility'>): VersionInfo => ({
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
