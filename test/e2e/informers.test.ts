import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { CHURN_SELECTOR } from '../support/churn.ts'
import { type Client, goClient, javaClient, javascriptClient, pythonClient } from '../support/clients.ts'
import { findEtcd } from '../support/etcd.ts'
import { type Followed, type FollowingClient, startFollowing } from '../support/following-client.ts'
import { createFollowingWorld, differences, type FollowingWorld } from '../support/following-world.ts'
import { eventually } from '../support/waiting.ts'

/** A disturbance of clients that follow a collection during writes. */
interface Fault {
  readonly name: string
  /** Lists that an informer may make for it. 0: it goes on from the version that it had. */
  readonly relists: number
  /** Every informer has to list again: the version that it had is gone. */
  readonly gone?: true
  /** No watch ends for it. */
  readonly unnoticed?: true
  act(world: FollowingWorld): Promise<void>
}

interface Chapter {
  readonly store: 'embedded' | 'etcd'
  readonly name: string
  /** Flags of the servers. */
  readonly flags?: readonly string[]
  readonly faults: readonly Fault[]
}

/**
 * Before a fault, and after it, there are writes for so long. A watch that ends within a second of its start is listed
 * for anew by client-go.
 */
const WRITING_MS = 1100
const AFTERWARDS_MS = 300
/** client-go lets more and more time pass between its attempts: up to 13 s after three of them. */
const CAUGHT_UP_MS = 120_000
/** How long it takes client-go to tell that a connection is dead, with the settings below. */
const SILENT_MS = 5000
const GO_ENV = { HTTP2_READ_IDLE_TIMEOUT_SECONDS: '2', HTTP2_PING_TIMEOUT_SECONDS: '2' }

const CUTS: readonly Fault[] = [
  { name: 'their connections are reset', relists: 0, act: async ({ proxy }) => proxy.reset() },
  { name: 'their connections are closed', relists: 0, act: async ({ proxy }) => proxy.halfClose() },
  { name: 'their connections break in the middle of an event', relists: 0, act: async ({ proxy }) => proxy.tear() },
]

const COMPACTION: Fault = {
  name: 'the store is compacted while they are away',
  relists: 2,
  gone: true,
  async act(world) {
    const release = world.proxy.hold()
    world.proxy.reset()
    await sleep(300)
    await world.compact()
    release()
  },
}

const CHAPTERS: readonly Chapter[] = [
  {
    store: 'embedded',
    name: 'connections',
    faults: [
      ...CUTS,
      {
        name: 'their connections fall silent',
        relists: 0,
        async act({ proxy }) {
          const end = proxy.stall()
          await sleep(SILENT_MS)
          end()
        },
      },
    ],
  },
  { store: 'embedded', name: 'a restart', faults: [{ name: 'the server restarts', relists: 0, act: world => world.restart('terminate') }] },
  {
    store: 'embedded',
    name: 'a kill, without streamed lists and lists from the cache',
    flags: ['--feature-gates=WatchList=false,ListFromCacheSnapshot=false,ConsistentListFromCache=false'],
    faults: [{ name: 'the server is killed', relists: 0, act: world => world.restart('kill') }],
  },
  { store: 'embedded', name: 'compaction', faults: [COMPACTION] },
  { store: 'etcd', name: 'compaction', faults: [COMPACTION] },
  {
    store: 'etcd',
    name: 'etcd',
    faults: [
      {
        name: 'etcd is killed',
        relists: 0,
        unnoticed: true,
        async act({ etcd }) {
          await etcd?.kill()
          await sleep(1500)
          await etcd?.start()
        },
      },
      {
        name: 'etcd does not respond for a while',
        relists: 0,
        unnoticed: true,
        async act({ etcd }) {
          await etcd?.freeze()
          await sleep(3000)
          etcd?.thaw()
        },
      },
    ],
  },
  {
    store: 'etcd',
    name: 'two servers',
    faults: [
      { name: 'they are moved to another server', relists: 0, act: async world => world.moveTo(1) },
      { name: 'they are moved back', relists: 0, act: async world => world.moveTo(0) },
      {
        name: 'their server is terminated, and new connections go to another',
        relists: 0,
        async act({ proxy, servers }) {
          proxy.direct(servers[1]?.secureUrl ?? '')
          await servers[0]?.terminate()
          await servers[0]?.start()
          proxy.direct(servers[0]?.secureUrl ?? '')
          await servers[1]?.terminate()
          await servers[1]?.start()
        },
      },
      {
        name: 'their server is killed, and they are moved',
        relists: 0,
        async act(world) {
          await world.servers[0]?.kill()
          world.moveTo(1)
        },
      },
    ],
  },
]

/**
 * client-go takes a reset that it meets while writing, and a connection that has fallen silent, for a failure of the
 * watch, and lists again.
 */
const EXCUSE = /watch ended with error.*(?:broken pipe|client connection lost)/g

/** Watches of this one last for two seconds. */
const BY_THE_CLOCK = ['Python, dynamic']

const CLIENTS: Readonly<Record<string, Client>> = {
  'client-go': goClient(),
  Python: pythonClient('follow.py'),
  JavaScript: javascriptClient('follow.mjs'),
  fabric8: javaClient('Follow'),
}
const missing = Object.entries(CLIENTS).flatMap(([name, client]) => ('missing' in client ? [`${name} is ${client.missing}`] : []))
const etcdFound = findEtcd() !== undefined

describe(`informers of client libraries during faults${missing.length > 0 ? ` (skipped: ${missing.join(', ')})` : ''}`, () => {
  const commands = new Map<string, readonly string[]>()
  before(() => {
    for (const [name, client] of Object.entries(CLIENTS)) if ('ready' in client) commands.set(name, client.ready())
  })
  const here = missing.length < Object.keys(CLIENTS).length
  for (const [index, chapter] of CHAPTERS.entries()) {
    const possible = here && (chapter.store === 'embedded' || etcdFound)
    ;(possible ? describe : describe.skip)(`${chapter.name}, ${chapter.store}`, () => tell(chapter, index + 1, commands))
  }
})

function tell({ store, flags, faults }: Chapter, seed: number, commands: ReadonlyMap<string, readonly string[]>): void {
  let world: FollowingWorld
  const clients = new Map<string, FollowingClient>()
  before(async () => {
    world = await createFollowingWorld(store, seed, flags)
    await Promise.all(
      [...commands].map(async ([name, command]) => {
        clients.set(
          name,
          await startFollowing(command, ['follow', world.namespace, CHURN_SELECTOR].slice(name === 'client-go' ? 0 : 1), {
            ...GO_ENV,
            KUBECONFIG: world.kubeconfig,
          }),
        )
      }),
    )
  })
  after(async () => {
    for (const client of clients.values()) client.kill()
    await world?.stop()
  })

  const states = async (): Promise<Map<string, Followed>> => {
    const all = new Map<string, Followed>()
    for (const [client, { state }] of clients)
      for (const [name, followed] of Object.entries(await state())) all.set(`${client}, ${name}`, followed)
    return all
  }

  const excuses = (who: string): number =>
    clients
      .get(who.split(',')[0] ?? '')
      ?.log()
      .match(EXCUSE)?.length ?? 0

  for (const { name, relists, gone, unnoticed, act } of faults)
    it(`match the server, with events in order, when ${name}`, async () => {
      world.write()
      await sleep(WRITING_MS)
      const before = await states()
      const excused = new Map([...before.keys()].map(who => [who, excuses(who)]))
      await act(world)
      await sleep(AFTERWARDS_MS)
      const { all, selected } = await world.settle()
      expect(Object.keys(all).length).to.be.above(5)
      let now = new Map<string, Followed>()
      let wrong: string[] = []
      for (const deadline = Date.now() + CAUGHT_UP_MS; ; await sleep(50)) {
        now = await states()
        wrong = [...now].flatMap(([who, followed]) =>
          differences(followed, who.includes('selected') ? selected : all).map(what => `${who}: ${what}`),
        )
        if (wrong.length === 0 || Date.now() > deadline) break
      }
      const asked = [...now]
        .map(([who, { lists, watches, refused }]) => `${who}: ${lists} lists, ${watches} watches, refused ${JSON.stringify(refused)}`)
        .join('\n')
      expect(wrong, asked).to.deep.equal([])
      for (const [who, { lists, watches, faults }] of now) {
        if (unnoticed && !BY_THE_CLOCK.includes(who)) expect(watches, `watches of ${who}\n${asked}`).to.equal(before.get(who)?.watches)
        const more = lists - (before.get(who)?.lists ?? 0)
        expect(faults, who).to.deep.equal([])
        const allowed = relists + (excuses(who) > (excused.get(who) ?? 0) ? 1 : 0)
        expect(more, `lists of ${who}\n${asked}\n${clients.get(who.split(',')[0] ?? '')?.log()}`).to.be.within(gone ? 1 : 0, allowed)
      }
    })

  it('leave no connections or watches behind', async () => {
    // Threads of the Python client look whether they are to end when something comes.
    world.write()
    const left = await Promise.all([...clients].map(async ([name, client]) => `${name}: ${await client.end()}`))
    expect(left).to.deep.equal([...clients.keys()].map(name => `${name}: 0`))
    await world.settle()
    await eventually('all watches are closed', async () => (await world.openWatches()) === 0)
  })
}
