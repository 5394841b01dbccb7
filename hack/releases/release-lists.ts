/** Text of `src/lifecycle/release.ts` with a newest release. A preview has its version: `v1.38.0-beta.0`. */
export const withNewestRelease = (text: string, release: string, preview: string | undefined): string =>
  text
    .replace(/(NEWEST_RELEASE: Release = ')[\d.]+'/, `$1${release}'`)
    .replace(/(PREVIEWS\b[^=]*= \{)[^}]*\}/, preview === undefined ? '$1}' : `$1 '${release}': '${preview}' }`)

/** Text of `src/api/packages.ts` with a package: `{ id: 'core', path: 'core/v1' }`. */
export function withPackage(text: string, { id, path }: { readonly id: string; readonly path: string }): string {
  if (text.includes(`'${path}'`)) return text
  const group = path.slice(0, path.indexOf('/') + 1)
  const lines = text.split('\n')
  const last = lines.findLastIndex(line => line.includes(`: '${group}`))
  const end = lines.findIndex(line => line.startsWith('} as const'))
  lines.splice(last < 0 ? end : last + 1, 0, `  ${id}: '${path}',`)
  return lines.join('\n')
}

/** Text of `src/api/packages.ts` without a package. */
export const withoutPackage = (text: string, path: string): string =>
  text
    .split('\n')
    .filter(line => !line.endsWith(`: '${path}',`))
    .join('\n')

/**
 * Returns the name of a new package: that of its group for the first version, or that with the version,
 * `schedulingV1alpha3`.
 */
export function packageIdOf(path: string, known: readonly string[]): string {
  const [group = '', version = ''] = path.split('/')
  return known.includes(group) ? `${group}V${version.slice(1)}` : group
}
