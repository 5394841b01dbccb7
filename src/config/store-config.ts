import { trimBoth } from '../lib/trim.ts'
import { parseQuantity, QuantityError, quantityValue } from '../meta/quantity.ts'
import type { Reader } from './flag-reader.ts'
import { FlagError } from './parse-flags.ts'

/** Of encryption at rest. With `automaticReload` the file is followed while the server runs. */
export interface EncryptionFile {
  readonly file: string
  readonly automaticReload: boolean
}

/** How much of the past the embedded store keeps. */
export interface HistoryConfig {
  readonly keptMs: number
  readonly maxBytes: number
}

/** How the store is asked beside requests, in milliseconds. */
export interface StoreProbes {
  /** Time that the health checks give it to answer. */
  readonly healthMs: number
  /** Time that the check of readiness gives it. */
  readonly readyMs: number
  /** Time between two questions for the size of its database; 0: it is not asked. */
  readonly sizeEveryMs: number
}

/** What --watch-cache-sizes leaves of upstream's meaning: 0 turns a cache off, other sizes do nothing since caches adapt. */
export interface WatchCacheSizes {
  /** Resources that are read from the store even so: `pods`, `deployments.apps`. */
  readonly withoutWatchCache: ReadonlySet<string>
  /** Resources for which a size was given that has no effect. */
  readonly droppedWatchCacheSizes: readonly string[]
}

const DEFAULT_CHECK_MS = 2_000

/** Undefined: nothing is encrypted. Throws FlagError where reloading is asked for without a file. */
export function encryptionOf(read: Reader): EncryptionFile | undefined {
  const file = read.text('encryption-provider-config')
  const automaticReload = read.bool('encryption-provider-config-automatic-reload')
  if (file !== undefined) return { file, automaticReload }
  if (automaticReload) throw new FlagError('--encryption-provider-config-automatic-reload must be set with --encryption-provider-config')
  return undefined
}

/** Undefined: it keeps what others need. Throws FlagError. */
export function historyOf(read: Reader): HistoryConfig | undefined {
  const keptMs = read.duration('history')
  const maxBytes = bytesOf(read, 'history-max-bytes')
  return keptMs === 0 ? undefined : { keptMs, maxBytes }
}

/** Settings of the embedded store. Throws FlagError. */
export const embeddedStoreOf = (read: Reader): { readonly history: HistoryConfig | undefined; readonly servesDamagedStore: boolean } => ({
  history: historyOf(read),
  servesDamagedStore: read.bool('serve-damaged-store'),
})

/** As upstream, a time of 0 for a check is the default of it. Throws FlagError. */
export const storeProbesOf = (read: Reader): StoreProbes => ({
  healthMs: read.duration('etcd-healthcheck-timeout') || DEFAULT_CHECK_MS,
  readyMs: read.duration('etcd-readycheck-timeout') || DEFAULT_CHECK_MS,
  sizeEveryMs: read.duration('etcd-db-metric-poll-interval'),
})

function bytesOf(read: Reader, name: 'history-max-bytes'): number {
  const text = read.text(name) ?? ''
  try {
    const bytes = Number(quantityValue(parseQuantity(text).canonical))
    if (bytes > 0) return bytes
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error
  }
  throw new FlagError(`--${name}: ${JSON.stringify(text)} is not a number of bytes such as 512Mi`)
}

/** With one slash before it, and none behind. Throws FlagError for the empty prefix, below which everything in etcd would be. */
export function prefixOf(text: string): string {
  const trimmed = trimBoth(text, '/')
  if (trimmed === '') throw new FlagError('--etcd-prefix must not be empty')
  return `/${trimmed}`
}

/** Upstream's `resource[.group]#size`. */
export function watchCacheSizesOf(sizes: readonly string[]): WatchCacheSizes {
  // The last size of a resource counts.
  const given = new Map<string, number>()
  for (const text of sizes) {
    const [resource = '', size, ...more] = text.split('#')
    if (size === undefined || more.length > 0) throw new FlagError(`--watch-cache-sizes: invalid value of watch cache size: ${text}`)
    if (!/^[+-]?\d+$/.test(size)) throw new FlagError(`--watch-cache-sizes: invalid size of watch cache size: ${text}`)
    if (Number(size) < 0) throw new FlagError(`--watch-cache-sizes: watch cache size cannot be negative: ${text}`)
    given.set(resource, Number(size))
  }
  const having = (is: (size: number) => boolean) => [...given].filter(([, size]) => is(size)).map(([resource]) => resource)
  return { withoutWatchCache: new Set(having(size => size === 0)), droppedWatchCacheSizes: having(size => size > 0) }
}

/** Of what is written; both forms are always read. Throws FlagError. */
export function storedFormOf(mediaType: string): 'json' | 'protobuf' {
  if (mediaType === 'application/json') return 'json'
  if (mediaType === 'application/vnd.kubernetes.protobuf') return 'protobuf'
  throw new FlagError(
    `--storage-media-type: ${JSON.stringify(mediaType)} is not implemented; it may be application/json or application/vnd.kubernetes.protobuf`,
  )
}
