import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiClient, ClientUser } from '../clients/api-client.ts'
import type { Origin } from '../control-plane/origin.ts'
import { WorkQueues } from '../controllers/work-queues.ts'
import { FaultRules } from '../faults/rules.ts'
import { systemClock } from '../lib/clock.ts'
import { parseDuration } from '../lib/duration.ts'
import { hasMembers } from '../meta/equal.ts'
import { type InProcessServer, openInProcess, type ServeCommand } from '../process/in-process.ts'
import { kubeconfig } from '../process/kubeconfig.ts'
import { type AdminAccess, adminAccess } from '../process/serving-files.ts'
import type { ConnectionSource } from '../server/connections/connection-source.ts'
import { listenEarly } from '../server/connections/early-listener.ts'
import { gitVersion } from '../server/version.ts'
import type { Backend } from '../storage/backend.ts'
import { decodeKey, decodeLatest } from '../storage/embedded/layout.ts'
import type { MemoryTables } from '../storage/embedded/memory-tables.ts'
import { openInMemory } from '../storage/embedded/open-embedded.ts'
import { changeAt } from '../storage/embedded/reader.ts'
import { metaRevision } from '../storage/embedded/tables.ts'
import type { Why } from '../why/types.ts'
import { applyAll, parseManifests } from './apply.ts'
import { type Client, openClient } from './client.ts'
import type { Lineage } from './lineage.ts'
import type { MovedClock } from './moved-clock.ts'
import { OwnFaults } from './own-faults.ts'
import { quiet } from './quiet.ts'
import { readyClient, writesInTurn } from './ready-client.ts'
import { RecordedRequests, WHY_PATH } from './recorded-requests.ts'
import { restoreTables, type StoreState } from './restore.ts'
import { Simulation } from './simulation.ts'
import type { Applied, ControlPlane, Manifest, Manifests, RecordedLevel, Snapshot, User } from './types.ts'

/** Poll interval and timeout of `until` and `settled`, in milliseconds. */
const LOOK_MS = 10
/** Measured by the machine's clock, which also runs if that of the control plane stands still. */
const WAIT_MS = 30_000

/** Configuration shared by control planes that are forks of one another. */
export interface Begin {
  /** Keys and certificates, which forks share so that clients of one can be used for another. */
  readonly lineage: Lineage
  readonly command: ServeCommand
  readonly recordedLevel: RecordedLevel
  /** Undefined if nothing is logged. */
  readonly log: ((line: string) => void) | undefined
  /** Undefined for the machine's clock. */
  readonly clock: MovedClock | undefined
  /** Undefined if the control plane is not deterministic. */
  readonly seed: string | undefined
}

/** Content of snapshots, which their holders cannot see. */
const contents = new WeakMap<Snapshot, StoreState>()

/** Options beside the initial tables. */
export interface OpenOptions {
  /** Aborts the start. */
  readonly signal?: AbortSignal
  /** The control plane of which it is a copy. */
  readonly origin?: Origin | undefined
}

/** Parts of a control plane that `explore` uses. */
export interface PlaneParts {
  /** Faults of the control plane, those of Fault objects included. */
  readonly rules: FaultRules
  /** Current revision of the store. */
  revision(): number
  /** Whether no controller of the server works or has work. */
  isIdle(): boolean
  /** Returns the stored objects as JSON, by key. */
  objects(): ReadonlyMap<string, string>
  /** Makes the current content the one that `reset` restores. */
  markBeginning(): void
}

const parts = new WeakMap<ControlPlane, PlaneParts>()

/** Returns the parts of a control plane. Throws a TypeError for any other object. */
export function partsOf(plane: ControlPlane): PlaneParts {
  const found = parts.get(plane)
  if (found === undefined) throw new TypeError('not a control plane of startControlPlane')
  return found
}

/**
 * Opens a control plane on tables, which it owns from then on. Resolves when its port is open; requests wait until it
 * is ready.
 */
export async function openControlPlane(begin: Begin, tables: MemoryTables, options: OpenOptions = {}): Promise<RunningControlPlane> {
  const { lineage, command, clock } = begin
  const { config } = command
  const port = await listenEarly(config.listening.bindAddress, config.listening.securePort)
  const rules = new FaultRules(clock ?? systemClock)
  const recorded = new RecordedRequests(begin.recordedLevel)
  const simulation = begin.seed === undefined ? undefined : new Simulation(begin.seed, () => metaRevision(tables, 'revision'))
  const queues = simulation?.queues ?? new WorkQueues()
  const opened = openLater(begin, { tables, port, rules, recorded, simulation, queues }, options)
  opened.catch(() => port.close())
  const access = await adminAccess(config, await lineage.credentials(config), { securePort: port.port, insecurePort: undefined })
  const plane = new RunningControlPlane(begin, access, { simulation, tables, recorded, queues, faults: new OwnFaults(rules), opened })
  parts.set(plane, {
    rules,
    revision: () => metaRevision(tables, 'revision'),
    isIdle: () => queues.isIdle,
    objects: storedObjects(tables),
    markBeginning: () => plane.markBeginning(),
  })
  return plane
}

/**
 * Returns a function that returns the current objects of a store by key. It reads only those that have changed since
 * its last call.
 */
function storedObjects(tables: MemoryTables): () => ReadonlyMap<string, string> {
  let objects = new Map<string, string>()
  let revisions = new Map<string, number>()
  let readAt = -1
  return () => {
    const revision = metaRevision(tables, 'revision')
    if (revision === readAt) return objects
    const [before, revisionsBefore] = [objects, revisions]
    objects = new Map()
    revisions = new Map()
    readAt = revision
    for (const { key: id, value } of tables.latest.getRange({})) {
      const { live, modRevision } = decodeLatest(value)
      if (!live) continue
      const key = decodeKey(id)
      const text = revisionsBefore.get(key) === modRevision ? before.get(key) : changeAt(tables, key, modRevision)?.value?.toString()
      if (text === undefined) continue
      objects.set(key, text)
      revisions.set(key, modRevision)
    }
    return objects
  }
}

/** Parts of a server. */
interface Made {
  /** Content of the store. It belongs to the control plane. */
  readonly tables: MemoryTables
  /** Listening port, opened before the server so that its URL is known. */
  readonly port: ConnectionSource
  readonly rules: FaultRules
  readonly recorded: RecordedRequests
  /** Undefined if the control plane is not deterministic. */
  readonly simulation: Simulation | undefined
  /** Queues of the server's controllers, by which it is known if they have work. */
  readonly queues: WorkQueues
}

/** Parts that exist only once the server is ready. */
interface Opened {
  readonly server: InProcessServer
  /** Store of the server, which `restore` writes to. */
  readonly backend: Backend
}

/** Opens the server in a later turn, so that the caller can continue, and waits until it is ready. */
async function openLater(
  begin: Begin,
  { tables, port, rules, recorded, simulation, queues }: Made,
  { signal = NEVER, origin }: OpenOptions,
): Promise<Opened> {
  const { lineage, command, log: write, clock } = begin
  await new Promise(setImmediate)
  let backend: Backend | undefined
  const server = await openInProcess({
    command,
    log: write,
    signal,
    runtime: { clock, faults: rules, queues, ...(simulation && { random: simulation.random, settled: simulation.settled }) },
    give(config, log) {
      backend = openInMemory(clock ?? systemClock, log, { tables, keepsHistory: config.storage.history !== undefined })
      return { backend, origin, port, credentials: lineage.credentials(config), agreed: lineage.agreed, observer: recorded.observer }
    },
  })
  if (backend === undefined) throw new Error('the server has no store')
  await simulation?.begin()
  return { server, backend }
}

const NEVER = new AbortController().signal

/** Parts of a running control plane. */
interface Parts {
  readonly queues: WorkQueues
  readonly tables: MemoryTables
  readonly recorded: RecordedRequests
  readonly faults: OwnFaults
  readonly simulation: Simulation | undefined
  /** Rejects if the server could not be started. Every method that needs it rejects then, too. */
  readonly opened: Promise<Opened>
}

class RunningControlPlane implements ControlPlane {
  readonly name = 'kubernetes-admin'
  readonly url: string
  readonly version: string
  readonly kubeconfig: string
  readonly certificateAuthority: string
  readonly clientCertificate: string
  readonly clientKey: string
  readonly request: ControlPlane['request']
  readonly #begin: Begin
  readonly #parts: Parts
  readonly #client: Client
  readonly #clients: Client[] = []
  #first: Snapshot
  /** Undefined until the server is ready. */
  #server: InProcessServer | undefined
  #forks = 0

  constructor(begin: Begin, access: AdminAccess, parts: Parts) {
    this.#begin = begin
    this.#parts = parts
    this.url = access.url
    this.version = gitVersion(begin.command.config.release.emulatedVersion)
    this.kubeconfig = access.kubeconfig
    this.certificateAuthority = access.certificateAuthority
    this.clientCertificate = access.clientCertificate
    this.clientKey = access.clientKey
    this.#client = openClient(this)
    this.#clients.push(this.#client)
    this.request = async (...asked) => {
      await this.ready()
      return this.#client.request(...asked)
    }
    this.#first = this.snapshot()
    parts.opened.then(
      ({ server }) => {
        this.#server = server
      },
      () => {},
    )
  }

  /** Resolves when it is ready. Rejects if it could not be started. */
  async ready(): Promise<void> {
    await this.#parts.opened
  }

  get requests(): ControlPlane['requests'] {
    return this.#parts.recorded.all()
  }

  get faults(): ControlPlane['faults'] {
    return this.#parts.faults
  }

  /** Makes the current content the one that `reset` restores. */
  markBeginning(): void {
    this.#first = this.snapshot()
    this.#parts.recorded.clear()
  }

  async apply<M extends readonly Manifests[]>(...manifests: M): Promise<Applied<M>> {
    // The server has stored an object for each manifest.
    return (await applyAll(this.#client, parseManifests(manifests))) as readonly Manifest[] as Applied<M>
  }

  async why(request: Parameters<ControlPlane['why']>[0]): Promise<Why> {
    const id = typeof request === 'string' ? request : 'auditId' in request ? request.auditId : String(request.headers['audit-id'])
    const { body } = await this.request('GET', `${WHY_PATH}/${encodeURIComponent(id)}`)
    if (isWhy(body)) return body
    throw new Error(`request ${id} is not kept: start the control plane with the flag why`)
  }

  async user(name: string, groups: readonly string[] = []): Promise<User> {
    const { cert, key } = await this.#begin.lineage.issue(name, groups)
    const client = openClient({ ...this, clientCertificate: cert, clientKey: key })
    this.#clients.push(client)
    const text = kubeconfig({ server: this.url, ca: this.certificateAuthority, user: name, cert, key })
    return { name, kubeconfig: text, clientCertificate: cert, clientKey: key, request: client.request }
  }

  client(user?: ClientUser): ApiClient {
    const { opened, simulation } = this.#parts
    const client = readyClient(opened.then(({ server }) => server.client(user)))
    return simulation ? writesInTurn(client, simulation.settled) : client
  }

  /** Copy of the current content. */
  tables(): MemoryTables {
    return this.#parts.tables.fork()
  }

  async fork(): Promise<ControlPlane> {
    const { clock, seed } = this.#begin
    const begin = { ...this.#begin, clock: clock?.fork(), seed: seed === undefined ? undefined : `${seed}/${++this.#forks}` }
    return openControlPlane(begin, this.tables(), { origin: this.#server?.origin() })
  }

  snapshot(): Snapshot {
    const tables = this.tables()
    const snapshot = { revision: metaRevision(tables, 'revision') }
    contents.set(snapshot, { tables, at: this.now.getTime() })
    return snapshot
  }

  async restore(snapshot: Snapshot): Promise<void> {
    const kept = contents.get(snapshot)
    if (kept === undefined) throw new TypeError('not a snapshot of a control plane')
    const { backend } = await this.#parts.opened
    await restoreTables(backend, this.#parts.tables, kept)
  }

  async reset(): Promise<void> {
    this.#parts.faults.clear()
    await this.restore(this.#first)
    this.#parts.recorded.clear()
  }

  get now(): Date {
    return new Date((this.#begin.clock ?? systemClock).now())
  }

  async advance(duration: string | number): Promise<void> {
    const { clock } = this.#begin
    if (clock === undefined) throw new Error('this control plane uses the clock of the machine: start it with the option clock')
    const milliseconds = millisecondsOf(duration)
    await this.ready()
    const { simulation, queues } = this.#parts
    await simulation?.rest()
    const settled = (): Promise<void> =>
      quiet(
        () => this.#revision(),
        () => queues.isIdle,
      )
    await clock.advance(milliseconds, simulation?.work ?? settled)
    await simulation?.pass(milliseconds)
  }

  async until(condition: () => Promise<boolean> | boolean): Promise<void> {
    const deadline = performance.now() + WAIT_MS
    while (!(await condition())) {
      if (performance.now() > deadline) throw new Error(`timed out after ${WAIT_MS / 1000} seconds`)
      await sleep(LOOK_MS)
    }
  }

  async settled(quietMs = 100): Promise<void> {
    await this.ready()
    const { queues, simulation } = this.#parts
    await simulation?.rest()
    let last = this.#revision()
    let since = performance.now()
    let looks = 0
    return this.until(async () => {
      // Work that came after the rest, such as that of a part which was still starting, is done now.
      if (!queues.isIdle) await simulation?.rest()
      if (this.#revision() !== last || !queues.isIdle) {
        since = performance.now()
        looks = 0
      }
      last = this.#revision()
      // On a busy machine time passes without a turn in which a controller could react.
      return performance.now() - since >= quietMs && ++looks > quietMs / LOOK_MS
    })
  }

  #revision(): number {
    return metaRevision(this.#parts.tables, 'revision')
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.close()
    const opened = await this.#parts.opened.catch(() => undefined)
    await opened?.server.stop()
  }
}

/** Checks the kind. The shape is the documented one. */
const isWhy = (body: unknown): body is Why => hasMembers(body) && body.kind === 'Why'

/** Parses a duration. Throws an Error if it is malformed. */
function millisecondsOf(duration: string | number): number {
  const milliseconds = typeof duration === 'number' ? duration : Number(parseDuration(duration)) / 1e6
  if (!(milliseconds >= 0)) throw new RangeError(`time cannot go back: ${duration}`)
  return milliseconds
}
