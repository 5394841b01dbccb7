import { trimBoth } from '../lib/trim.ts'
import { parseQuantity, QuantityError, quantityValue } from '../meta/quantity.ts'
import type { Reader } from './flag-reader.ts'
import { FlagError } from './parse-flags.ts'

/** Configuration of encryption at rest. With `automaticReload` the file is followed at runtime. */
export interface EncryptionFile {
  readonly file: string
  readonly automaticReload: boolean
}

/** Retention of the embedded store's history. */
export interface HistoryConfig {
  readonly keptMs: number
  readonly maxBytes: number
}

/** Health and size probes of the store. Times in milliseconds. */
export interface StoreProbes {
  /** Timeout of the health checks. */
  readonly healthMs: number
  /** Timeout of the readiness check. */
  readonly readyMs: number
  /** Interval between queries of the database size. 0 disables them. */
  readonly sizeEveryMs: number
}

/** Effect of --watch-cache-sizes: 0 disables a cache. Other sizes have no effect, because caches adapt. */
export interface WatchCacheSizes {
  /** Resources without watch cache, such as `pods` or `deployments.apps`. */
  readonly withoutWatchCache: ReadonlySet<string>
  /** Resources with a size that has no effect. */
  readonly droppedWatchCacheSizes: readonly string[]
}

const DEFAULT_CHECK_MS = 2_000

/** Parses the encryption flags. Undefined if encryption is off. Throws FlagError if reload is requested without a file. */
export function encryptionOf(read: Reader): EncryptionFile | undefined {
  const file = read.text('encryption-provider-config')
  const automaticReload = read.bool('encryption-provider-config-automatic-reload')
  if (file !== undefined) return { file, automaticReload }
  if (automaticReload) throw new FlagError('--encryption-provider-config-automatic-reload must be set with --encryption-provider-config')
  return undefined
}

/** Parses the history flags. Undefined if only the history that watches need is kept. Throws FlagError. */
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

/** Parses the probe flags. As upstream, a timeout of 0 means the default. Throws FlagError. */
export const storeProbesOf = (read: Reader): StoreProbes => ({
  healthMs: read.duration('etcd-healthcheck-timeout') || DEFAULT_CHECK_MS,
  readyMs: read.duration('etcd-readycheck-timeout') || DEFAULT_CHECK_MS,
  sizeEveryMs: read.duration('etcd-db-metric-poll-interval'),
})

/** Parses a quantity of bytes above 0. Throws FlagError. */
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

/** Normalizes the prefix to one leading slash and no trailing one. Throws FlagError if it is empty, which would cover everything in etcd. */
export function prefixOf(text: string): string {
  const trimmed = trimBoth(text, '/')
  if (trimmed === '') throw new FlagError('--etcd-prefix must not be empty')
  return `/${trimmed}`
}

/** Parses upstream's `resource[.group]#size`. */
export function watchCacheSizesOf(sizes: readonly string[]): WatchCacheSizes {
  // The last size of a resource wins.
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

/** Format of written objects. Both formats can be read. Throws FlagError. */
export function storedFormOf(mediaType: string): 'json' | 'protobuf' {
  if (mediaType === 'application/json') return 'json'
  if (mediaType === 'application/vnd.kubernetes.protobuf') return 'protobuf'
  throw new FlagError(
    `--storage-media-type: ${JSON.stringify(mediaType)} is not implemented; it may be application/json or application/vnd.kubernetes.protobuf`,
  )
}
