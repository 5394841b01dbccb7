import { trimBoth } from '../lib/trim.ts'
import { parseQuantity, QuantityError, quantityValue } from '../meta/quantity.ts'
import { type EtcdConfig, etcdOf } from './etcd-config.ts'
import type { FlagReader } from './flag-reader.ts'
import { FlagError } from './parse-flags.ts'

/** Configuration of encryption at rest. With `automaticReload` the file is followed at runtime. */
export interface EncryptionFile {
  /** EncryptionConfiguration, as YAML or JSON. */
  readonly file: string
  /** Whether changes of the file apply without a restart. */
  readonly automaticReload: boolean
}

/** Retention of the embedded store's history. */
export interface HistoryConfig {
  /** Age at which revisions are dropped. */
  readonly keptMs: number
  /** Size at which the oldest revisions are dropped, even if they are younger. */
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

/** Watch caches. They adapt their sizes. */
export interface WatchCacheConfig {
  /** Whether resources have watch caches unless they are listed in `without`. */
  readonly isEnabled: boolean
  /**
   * Resources without watch cache, such as `pods` or `deployments.apps`: those with a size of 0 in --watch-cache-sizes.
   */
  readonly without: ReadonlySet<string>
  /** Resources with another size, which has no effect. */
  readonly droppedSizes: readonly string[]
}

/** Past revisions and copies of the store that the server serves below paths of its own. */
export interface MountConfig {
  /** Maximum number of open moments. 0 disables them. */
  readonly moments: number
  /** Maximum number of branches. 0 disables them. */
  readonly branches: number
  /** Limit of the changes kept for each branch, in bytes. */
  readonly branchBytes: number
}

/** Objects and the stores that keep them. Times in milliseconds. */
export interface StorageConfig {
  /** Undefined for the embedded store. */
  readonly etcd: EtcdConfig | undefined
  /** Whether to probe if the server of `etcd` is a stand-in, which is then replaced by the embedded store. */
  readonly etcdStandIn: boolean
  /** Starts with a slash and does not end with one. */
  readonly etcdPrefix: string
  /** Format of new writes. Objects in the other format remain readable. */
  readonly storedAs: 'json' | 'protobuf'
  /** Undefined if encryption at rest is off. */
  readonly encryption: EncryptionFile | undefined
  /** Watch caches between requests and the store. */
  readonly watchCache: WatchCacheConfig
  readonly probes: StoreProbes
  /** 0 disables compaction by this server. */
  readonly compactionIntervalMs: number
  /** Undefined if only the history that watches need is kept. */
  readonly history: HistoryConfig | undefined
  /** Whether the readable part of a damaged embedded store is served. */
  readonly servesDamagedStore: boolean
  /** Retention of Event objects. */
  readonly eventTtlMs: number
  readonly mounts: MountConfig
}

/** Timeout of checks, as in kube-apiserver. */
const DEFAULT_CHECK_MS = 2_000
/** Default number of moments with --history: as many as can be compared side by side. */
const MOMENTS_OF_HISTORY = 4

/** Parses the flags of stores, caches and mounts. Throws FlagError. */
export function storageOf(read: FlagReader): StorageConfig {
  const history = historyOf(read)
  return {
    etcd: etcdOf(read),
    mounts: {
      // A server that keeps history serves it by default.
      moments: !read.isGiven('moments') && history !== undefined ? MOMENTS_OF_HISTORY : read.int('moments', 0),
      branches: read.int('branches', 0),
      branchBytes: read.int('branch-bytes', 1),
    },
    etcdStandIn: read.bool('etcd-stand-in'),
    storedAs: storedFormOf(read.text('storage-media-type') ?? 'application/json'),
    encryption: encryptionOf(read),
    etcdPrefix: prefixOf(read.text('etcd-prefix') ?? '/registry'),
    probes: storeProbesOf(read),
    watchCache: { isEnabled: read.bool('watch-cache'), ...watchCacheSizesOf(read.list('watch-cache-sizes')) },
    compactionIntervalMs: read.duration('etcd-compaction-interval'),
    history,
    servesDamagedStore: read.bool('serve-damaged-store'),
    eventTtlMs: read.duration('event-ttl'),
  }
}

/**
 * Parses the encryption flags. Undefined if encryption is off. Throws FlagError if reload is requested without a file.
 */
function encryptionOf(read: FlagReader): EncryptionFile | undefined {
  const file = read.text('encryption-provider-config')
  const automaticReload = read.bool('encryption-provider-config-automatic-reload')
  if (file !== undefined) return { file, automaticReload }
  if (automaticReload) throw new FlagError('--encryption-provider-config-automatic-reload must be set with --encryption-provider-config')
  return undefined
}

/** Parses the history flags. Undefined if only the history that watches need is kept. Throws FlagError. */
function historyOf(read: FlagReader): HistoryConfig | undefined {
  const keptMs = read.duration('history')
  const maxBytes = byteQuantity(read, 'history-max-bytes')
  return keptMs === 0 ? undefined : { keptMs, maxBytes }
}

/** Parses the probe flags. As upstream, a timeout of 0 means the default. Throws FlagError. */
const storeProbesOf = (read: FlagReader): StoreProbes => ({
  healthMs: read.duration('etcd-healthcheck-timeout') || DEFAULT_CHECK_MS,
  readyMs: read.duration('etcd-readycheck-timeout') || DEFAULT_CHECK_MS,
  sizeEveryMs: read.duration('etcd-db-metric-poll-interval'),
})

/** Parses a quantity of bytes above 0. Throws FlagError. */
function byteQuantity(read: FlagReader, name: 'history-max-bytes'): number {
  const text = read.text(name) ?? ''
  try {
    const bytes = Number(quantityValue(parseQuantity(text).canonical))
    if (bytes > 0) return bytes
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error
  }
  throw new FlagError(`--${name}: ${JSON.stringify(text)} is not a number of bytes such as 512Mi`)
}

/**
 * Normalizes the prefix to one leading slash and no trailing one. Throws FlagError if it is empty, which would cover
 * everything in etcd.
 */
function prefixOf(text: string): string {
  const trimmed = trimBoth(text, '/')
  if (trimmed === '') throw new FlagError('--etcd-prefix must not be empty')
  return `/${trimmed}`
}

/** Parses upstream's `resource[.group]#size`. Throws FlagError. */
function watchCacheSizesOf(sizes: readonly string[]): Omit<WatchCacheConfig, 'isEnabled'> {
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
  return { without: new Set(having(size => size === 0)), droppedSizes: having(size => size > 0) }
}

/** Format of written objects. Both formats can be read. Throws FlagError. */
function storedFormOf(mediaType: string): 'json' | 'protobuf' {
  if (mediaType === 'application/json') return 'json'
  if (mediaType === 'application/vnd.kubernetes.protobuf') return 'protobuf'
  throw new FlagError(
    `--storage-media-type: ${JSON.stringify(mediaType)} is not implemented; it may be application/json or application/vnd.kubernetes.protobuf`,
  )
}
