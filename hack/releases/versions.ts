/** Newest version of the modules of each release that `hack/play-release` reads. */
export const MODULE_VERSIONS: Readonly<Record<string, string>> = {
  '1.34': 'v0.34.10',
  '1.35': 'v0.35.7',
  '1.36': 'v0.36.3',
  '1.37': 'v0.37.2',
  '1.38': 'v0.38.0-beta.0',
}
