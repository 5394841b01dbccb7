/** version.Info, as `/version` and `kubectl version` tell it. */
export interface VersionInfo {
  readonly major: string
  readonly minor: string
  readonly emulationMajor: string
  readonly emulationMinor: string
  readonly minCompatibilityMajor: string
  readonly minCompatibilityMinor: string
  readonly gitVersion: string
  readonly gitCommit: string
  readonly gitTreeState: string
  readonly buildDate: string
  readonly goVersion: string
  readonly compiler: string
  readonly platform: string
}

const MINOR = 33

/** What the server runs on. */
export interface Runtime {
  readonly version: string
  readonly platform: string
  readonly arch: string
}

export const GIT_VERSION = `v1.${MINOR}.0+binnacle`

/** What the server is: the release whose behaviour it has, and what it is built of. `gitVersion` is a release that clients know how to compare. */
export const versionInfo = ({ version, platform, arch }: Runtime): VersionInfo => ({
  major: '1',
  minor: `${MINOR}`,
  emulationMajor: '1',
  emulationMinor: `${MINOR}`,
  minCompatibilityMajor: '1',
  minCompatibilityMinor: `${MINOR - 1}`,
  gitVersion: GIT_VERSION,
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: `node${version}`,
  compiler: 'v8',
  platform: `${platform}/${arch === 'x64' ? 'amd64' : arch}`,
})
