import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Metafile } from 'esbuild'

export interface EmbeddedPackage {
  readonly name: string
  readonly version: string
  /** Directory in which the package is installed. */
  readonly directory: string
}

/**
 * Packages of which something is in an executable: in bundles of dist, as their source maps tell, in the bundle of
 * packages, or as an addon. Sorted by name and version.
 */
export function embeddedPackages(root: string, maps: readonly string[], metafile: Metafile, addons: readonly string[]): EmbeddedPackage[] {
  const sources = maps.flatMap(map =>
    (JSON.parse(readFileSync(map, 'utf8')) as { readonly sources: readonly string[] }).sources.map(source => join(dirname(map), source)),
  )
  const inputs = Object.keys(metafile.inputs).map(input => join(root, input))
  const directories = new Set([...sources, ...inputs, ...addons].flatMap(directoryOf))
  const packages = [...directories].map(directory => {
    const { name, version } = createRequire(import.meta.url)(join(directory, 'package.json')) as {
      readonly name: string
      readonly version: string
    }
    return { name, version, directory }
  })
  return packages.sort((a, b) => `${a.name}@${a.version}`.localeCompare(`${b.name}@${b.version}`, 'en'))
}

function directoryOf(file: string): string[] {
  const [, directory] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file) ?? []
  return directory === undefined ? [] : [directory]
}
