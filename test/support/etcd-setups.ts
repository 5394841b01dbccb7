import { silentLogger } from '../../src/lib/log.ts'
import type { Backend } from '../../src/storage/backend.ts'
import { openEtcd } from '../../src/storage/etcd/open-etcd.ts'
import type { EtcdOptions } from '../../src/storage/etcd/options.ts'
import { type Key, key } from '../../src/storage/revision.ts'
import { type EtcdProgram, findEtcds, startEtcd } from './etcd.ts'
import { startKine } from './kine.ts'
import { KINE_DATABASES, type KineDatabase } from './kine-databases.ts'
import { type EtcdUse, programOf, setupId } from './setup-ids.ts'
import type { StoreProcess } from './store-process.ts'
import { startTenantEtcd } from './tenant-etcd.ts'

/** A store that speaks etcd's protocol. */
export interface RunningStore extends Pick<StoreProcess, 'start' | 'kill' | 'freeze' | 'thaw'> {
  /** Reaches the store as the server does: with `overrides`, the store of the single resources. */
  readonly options: EtcdOptions
  /** Optional. Reaches the store as its administrator. */
  readonly administrator?: EtcdOptions
  /** Flags of a server on it. */
  readonly flags: readonly string[]
  stop(): Promise<void>
}

/** A store as operators have it. */
export interface StoreSetup {
  /** For `$STORES`. */
  readonly id: string
  readonly name: string
  /** How a watch cache over it follows it. */
  readonly following: 'progress' | 'revisions' | 'events'
  /** Who writes and reads it. */
  readonly use: EtcdUse | 'kine'
  start(): Promise<RunningStore>
}

/** Resources that the setup with `--etcd-servers-overrides` has in a store of their own. */
export const OVERRIDDEN = ['events', 'configmaps']

/**
 * Etcds of their own, a prefix of one by a client certificate, one beside a writer, two of which one has single
 * resources, and kine: those that can run here. `$STORES=kine-sqlite,etcd-system` selects some of them, `all` is the
 * default. Throws an Error if one that is selected cannot run.
 */
export function storeSetups(prefix = '/registry'): readonly StoreSetup[] {
  const found = [...findEtcds().flatMap(program => etcdSetups(program, prefix)), ...kineSetups(prefix)]
  const ids = selectedIds()
  if (ids === undefined) return found
  for (const id of ids)
    if (!found.some(setup => setup.id === id))
      throw new Error(`STORES: ${id} cannot run here; there are ${found.map(setup => setup.id).join(', ')}`)
  return found.filter(({ id }) => ids.includes(id))
}

/** Undefined if all are selected. */
function selectedIds(): readonly string[] | undefined {
  const { STORES: stores = '' } = process.env
  return stores === '' || stores === 'all' ? undefined : stores.split(',')
}

/**
 * The setups of `make test`, which must end soon. Without `$STORES`: every use of the newest etcd, an older etcd by one
 * server or one user, and kine on SQLite.
 */
export function usualStoreSetups(prefix?: string): readonly StoreSetup[] {
  const found = storeSetups(prefix)
  if (process.env.STORES) return found
  const newest = found[0]?.id ?? ''
  return found.filter(({ id, use }) => (use === 'kine' ? id === 'kine-sqlite' : use === 'own' || use === 'tenant' || id.startsWith(newest)))
}

/** The setups of tests that take a minute each: without `$STORES` an etcd of its own and kine on SQLite. */
export function fewStoreSetups(prefix?: string): readonly StoreSetup[] {
  const found = storeSetups(prefix)
  if (process.env.STORES) return found
  return [found.find(({ use }) => use === 'own'), found.find(({ id }) => id === 'kine-sqlite')].filter(setup => setup !== undefined)
}

/**
 * Defines a suite for each setup, or one that is skipped if there is none: a file without a test fails. `title`: as `a
 * server on`.
 */
export function describeOn(setups: readonly StoreSetup[], title: string, suite: (this: Mocha.Suite, setup: StoreSetup) => void): void {
  for (const setup of setups)
    describe(`${title} ${setup.name}`, function () {
      suite.call(this, setup)
    })
  if (setups.length === 0) describe.skip(`${title} a store (skipped: ${missingStore()})`, () => it('passes', () => {}))
}

const missingStore = (): string =>
  selectedIds() === undefined ? 'there is no etcd here; hack/etcd installs one' : '$STORES selects none on which it runs'

/** Flags by which a server reaches the store. */
export function flagsOf({ servers, prefix, caFile, certFile, keyFile }: EtcdOptions): string[] {
  const files = { 'etcd-prefix': prefix, 'etcd-cafile': caFile, 'etcd-certfile': certFile, 'etcd-keyfile': keyFile }
  return [
    `--etcd-servers=${servers.join(',')}`,
    ...Object.entries(files).flatMap(([flag, value]) => (value === undefined ? [] : [`--${flag}=${value}`])),
  ]
}

function etcdSetups(program: EtcdProgram, prefix: string): StoreSetup[] {
  const { version, path } = program
  // Of the versions that are found, one is older than 3.4.31 and one newer than 3.6.
  const isOld = version.startsWith('3.4.')
  const following = isOld ? 'revisions' : 'progress'
  const setup = (use: EtcdUse, name: string, start: () => Promise<RunningStore>): StoreSetup => ({
    id: setupId(programOf(version), use),
    name,
    use,
    following: use === 'tenant' && isOld ? 'events' : following,
    start,
  })
  return [
    setup('own', `etcd ${version}`, () => startOwn(path, prefix)),
    setup('tenant', `a prefix of etcd ${version} by certificate`, async () => {
      const server = await startTenantEtcd(path, prefix)
      return { ...server, options: server.tenant, flags: flagsOf(server.tenant) }
    }),
    setup('shared', `etcd ${version} beside a writer`, () => startShared(path, prefix)),
    setup('overrides', `etcd ${version} with ${OVERRIDDEN.join(' and ')} in another`, () => startWithOverrides(path, prefix)),
  ]
}

function kineSetups(prefix: string): StoreSetup[] {
  return KINE_DATABASES.filter(database => database.missing() === undefined).map(database => ({
    use: 'kine',
    following: 'progress',
    id: database.id,
    name: `kine on ${database.name}`,
    start: () => startKineOn(database, prefix),
  }))
}

async function startOwn(path: string, prefix: string): Promise<RunningStore> {
  const server = await startEtcd([], path)
  const options = { servers: [server.url], prefix }
  return { ...server, options, flags: flagsOf(options) }
}

async function startWithOverrides(path: string, prefix: string): Promise<RunningStore> {
  const both = [await startOwn(path, prefix), await startOwn(path, prefix)] as const
  const [main, other] = both
  const overrides = OVERRIDDEN.map(resource => `/${resource}#${other.options.servers[0]}`)
  const each = async (work: (store: RunningStore) => Promise<void>) => void (await Promise.all(both.map(work)))
  return {
    options: other.options,
    flags: [...main.flags, `--etcd-servers-overrides=${overrides.join(',')}`],
    start: () => each(store => store.start()),
    kill: () => each(store => store.kill()),
    freeze: () => each(store => store.freeze()),
    thaw: () => void both.map(store => store.thaw()),
    stop: () => each(store => store.stop()),
  }
}

async function startKineOn({ start, program }: KineDatabase, prefix: string): Promise<RunningStore> {
  const database = await start?.()
  const server = await startKine(database?.url, program?.())
  const options = { servers: [server.url], prefix }
  return {
    ...server,
    options,
    flags: flagsOf(options),
    async stop() {
      await server.stop()
      await database?.stop()
    },
  }
}

/** Milliseconds between writes of the other program. */
const FOREIGN_MS = 3

async function startShared(path: string, prefix: string): Promise<RunningStore> {
  const server = await startOwn(path, prefix)
  const writer = await openEtcd(server.options, silentLogger)
  const over = new AbortController()
  const writing = (async () => {
    for (let i = 0; !over.signal.aborted; i++) {
      const at = key(`/foreign/${i % 100}`)
      // It goes on after the store was away.
      await put(writer, at, String(i), over.signal).catch(() => {})
      await new Promise(resolve => setTimeout(resolve, FOREIGN_MS))
    }
  })()
  return {
    ...server,
    async stop() {
      over.abort()
      await writing
      await writer.close()
      await server.stop()
    },
  }
}

async function put(store: Backend, at: Key, value: string, signal: AbortSignal): Promise<void> {
  const { item } = await store.get(at, signal)
  await store.write({ key: at, expected: item?.modRevision ?? 0, value: Buffer.from(value) }, signal)
}
