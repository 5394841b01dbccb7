import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { EtcdConfig } from '../config/etcd-config.ts'
import { FlagError } from '../config/parse-flags.ts'
import type { OtherStore } from '../control-plane/control-plane-options.ts'
import { systemClock } from '../lib/clock.ts'
import type { ConnectProxy } from '../lib/connect-proxy.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { Logger } from '../lib/log.ts'
import { makePrivateDirectory } from '../lib/private-file.ts'
import type { Spans } from '../lib/spans.ts'
import type { Backend } from '../storage/backend.ts'
import { openEmbedded, openInMemory } from '../storage/embedded/open-embedded.ts'
import { openEtcd } from '../storage/etcd/open-etcd.ts'
import type { Encryption } from '../storage/value/encryption.ts'
import { preparedBackend } from '../storage/value/prepared-backend.ts'
import { warnOfMissingStore } from './missing-store.ts'
import { etcdOptionsOf } from './shared-store.ts'

/** Optional dependencies of the stores. */
interface StoreGiven {
  /** Replaces the store that the flags configure. */
  readonly given?: Backend | undefined
  /** Records calls of etcd. */
  readonly spans?: Spans | undefined
  /** Proxy for connections to etcd. */
  readonly proxy?: ConnectProxy | undefined
}

/** The stores of a server. */
export interface OpenedStores {
  readonly backend: Backend
  /** Stores of single resources, by `--etcd-servers-overrides`. */
  readonly otherStores: readonly OtherStore[]
}

/**
 * Opens the stores that the flags configure, or uses the given one, with encryption at rest if it is configured. Throws
 * a FlagError if the data directory cannot be created.
 */
export async function openBackends(config: Config, encryption: Encryption, log: Logger, store: StoreGiven = {}): Promise<OpenedStores> {
  const prepared = (backend: Backend): Backend =>
    config.storage.encryption === undefined ? backend : preparedBackend(backend, stored => encryption.prepare(stored))
  const others = store.given === undefined ? await openOtherStores(config, log, store) : []
  return {
    backend: prepared(store.given ?? (await openStore(config, log, store))),
    otherStores: others.map(other => ({ ...other, backend: prepared(other.backend) })),
  }
}

/**
 * Opens one store for each distinct list of servers in `--etcd-servers-overrides`, except the list of `--etcd-servers`.
 * As in kube-apiserver, the last entry of a resource counts.
 */
async function openOtherStores(config: Config, log: Logger, store: StoreGiven): Promise<OtherStore[]> {
  const { etcd } = config.storage
  if (etcd === undefined) return []
  const identity = (servers: readonly string[]): string => servers.toSorted().join(';')
  const serversOf = new Map(etcd.overrides.map(({ resource, servers }) => [resource, identity(servers)]))
  const resourcesOf = new Map<string, Set<string>>()
  for (const [resource, servers] of serversOf)
    if (servers !== identity(etcd.servers)) resourcesOf.set(servers, (resourcesOf.get(servers) ?? new Set()).add(resource))
  return Promise.all(
    [...resourcesOf].map(async ([servers, resources], i) => ({
      name: `etcd-${i + 1}`,
      resources,
      backend: await openServers({ ...etcd, servers: servers.split(';') }, config, log, store),
    })),
  )
}

/** Opens a store in etcd. */
const openServers = (
  etcd: EtcdConfig,
  { storage: { etcdPrefix: prefix }, release: { gates } }: Config,
  log: Logger,
  { spans, proxy }: StoreGiven,
): Promise<Backend> => openEtcd({ ...etcdOptionsOf(etcd, proxy), prefix, spans, rangeStream: gates.enabled('EtcdRangeStream') }, log)

/**
 * Opens etcd, the store in the data directory, or one in memory if there is none. Throws FlagError for flags that the
 * store cannot follow.
 */
async function openStore(config: Config, log: Logger, store: StoreGiven): Promise<Backend> {
  const { etcd, history, servesDamagedStore } = config.storage
  const { dataDir } = config.files
  if (etcd !== undefined) {
    if (history !== undefined)
      throw new FlagError(`--history needs the embedded store: ${etcd.servers.join(',')} is not a stand-in for etcd`)
    return openServers(etcd, config, log, store)
  }
  const keepsHistory = history !== undefined
  if (dataDir === undefined) return openInMemory(systemClock, log, { keepsHistory })
  try {
    makePrivateDirectory(dataDir)
  } catch (error) {
    throw new FlagError(`--data-dir: ${errorMessage(error)}`)
  }
  warnOfMissingStore(dataDir, log)
  return openEmbedded({ dir: join(dataDir, 'store'), keepsHistory, servesDamaged: servesDamagedStore }, systemClock, log)
}
