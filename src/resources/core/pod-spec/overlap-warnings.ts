import type { Volume, VolumeProjection } from '../../../api/core/v1.types.ts'
import { quote } from '../../../lib/go-quote.ts'
import { trimEndOf } from '../../../lib/trim.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'

/** File of a volume, and the source that it comes from. `source` is empty if the volume has a single source. */
interface Placed {
  readonly path: string
  readonly source: string
}

/** Limit on the paths of a volume that are compared with each other. A request body has room for a hundred thousand. */
const MOST_PATHS = 200

/** Limit on the text of the warnings for one path, in characters. A response carries 4,096 at most. */
const MOST_TEXT = 8192

/**
 * Warnings for files of a volume that overwrite each other: equal paths, and a file where another needs a directory.
 * Since 1.32.
 */
export function overlapWarnings(volumes: readonly Volume[], release: Release): string[] {
  if (!isSince(release, '1.32')) return []
  return volumes.flatMap(({ name, configMap, secret, downwardAPI, projected }) => [
    ...(configMap?.items ? overlapsWithin(name, `ConfigMap ${quote(configMap.name ?? '')}`, placed(configMap.items, '')) : []),
    ...(secret?.items ? overlapsWithin(name, `Secret ${quote(secret.secretName ?? '')}`, placed(secret.items, '')) : []),
    ...(downwardAPI?.items ? overlapsWithin(name, 'DownwardAPI', placed(downwardAPI.items, '')) : []),
    ...(projected?.sources ? projectedWarnings(name, projected.sources, release) : []),
  ])
}

const placed = (items: readonly { readonly path: string }[], source: string): Placed[] => items.map(({ path }) => ({ path, source }))

function overlapsWithin(volume: string, what: string, paths: readonly Placed[]): string[] {
  const known: Placed[] = []
  return paths.flatMap(path => overlapsOf(volume, what, known, path))
}

/** Compares the files of all sources of the volume with each other, in order. */
function projectedWarnings(volume: string, sources: readonly VolumeProjection[], release: Release): string[] {
  const known: Placed[] = []
  const warnings: string[] = []
  let paths: readonly Placed[] = []
  for (const source of sources) {
    if (Object.keys(source).length === 0) {
      warnings.push(`volume ${quote(volume)} (Projected) has no sources provided`)
      continue
    }
    // Before 1.34 a source without files repeats the paths of the source before it.
    paths = pathsOf(source, release) ?? (isSince(release, '1.34') ? [] : paths)
    for (const path of paths) warnings.push(...overlapsOf(volume, 'Projected', known, path))
  }
  return warnings
}

/** Returns undefined if the source names no files. */
function pathsOf(
  { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate }: VolumeProjection,
  release: Release,
): Placed[] | undefined {
  if (configMap?.items) return placed(configMap.items, `ConfigMap ${quote(configMap.name ?? '')}`)
  if (secret?.items) return placed(secret.items, `Secret ${quote(secret.name ?? '')}`)
  if (downwardAPI?.items) return placed(downwardAPI.items, 'DownwardAPI')
  if (serviceAccountToken) return [{ path: serviceAccountToken.path, source: 'ServiceAccountToken' }]
  if (clusterTrustBundle) {
    const { path, name, signerName } = clusterTrustBundle
    return [{ path, source: `ClusterTrustBundle ${quote(name ?? signerName ?? '')}` }]
  }
  if (!podCertificate || !isSince(release, '1.34')) return undefined
  const { certificateChainPath = '', keyPath = '', credentialBundlePath = '' } = podCertificate
  const files: [string, string][] = [
    [certificateChainPath, 'PodCertificate chain'],
    [keyPath, 'PodCertificate key'],
    [credentialBundlePath, 'PodCertificate credential bundle'],
  ]
  return files.filter(([path]) => path !== '').map(([path, source]) => ({ path, source }))
}

/**
 * Adds a path to the known ones, and returns the warnings for its overlaps. The text of the warnings is limited: each
 * of two hundred equal paths of some kilobytes overlaps all others.
 */
function overlapsOf(volume: string, what: string, known: Placed[], { path, source }: Placed): string[] {
  if (known.length >= MOST_PATHS) return []
  const added = { path: trimEndOf(path, '/'), source }
  const warnings: string[] = []
  let room = MOST_TEXT
  let text: string | undefined
  for (const other of added.path === '' ? [] : known) {
    if (room <= 0) break
    if (other.path === '' || !(isAt(other.path, added.path) || isAt(added.path, other.path))) continue
    text ??= quotedPath(added)
    const warning = `volume ${quote(volume)} (${what}): overlapping paths: ${text} with ${quotedPath(other)}`
    room -= warning.length
    warnings.push(warning)
  }
  known.push(added)
  return warnings
}

/** Reports whether a path equals another or lies below it. */
const isAt = (path: string, above: string): boolean =>
  path.startsWith(above) && (path.length === above.length || path[above.length] === '/')

const quotedPath = ({ path, source }: Placed): string => (source === '' ? quote(path) : `${quote(path)} (${source})`)
