import { expect } from 'chai'
import { parseForeignJson } from '../../src/codec/foreign-json.ts'
import { readDiscoveryList, readResourceList } from '../../src/extensions/aggregation/discovered-resources.ts'
import { errorMessage } from '../../src/lib/error-message.ts'
import { runInTurns } from '../../src/lib/steps.ts'
import { issueCa, issueServing } from '../../src/server/tls/issue.ts'
import { connectWorld, ownAddress, type World } from '../support/connect-world.ts'
import { ASKS } from '../support/hostile-asks.ts'
import { HOSTILE_JSON, HOSTILE_PAGES, HOSTILE_PROTOCOL } from '../support/hostile-peer.ts'
import { type Act, PeerProcess } from '../support/peer-process.ts'
import { longestTurn, mostTurnMs, threadMs } from '../support/turn-cost.ts'

/** The first time code is compiled, and a collection of garbage may fall into any. */
const ATTEMPTS = 4

interface Attack {
  readonly what: string
  act(): Promise<unknown>
}

/** The attack of a peer with the longest turn. */
interface Longest {
  readonly peer: string
  readonly what: string
  readonly ms: number
}

describe('turns of the event loop with hostile servers', function () {
  this.timeout(600_000)
  let plain: PeerProcess
  let secure: PeerProcess
  const found: Longest[] = []
  before(async () => {
    const ca = await issueCa('hostile')
    plain = await PeerProcess.start('127.0.0.1')
    secure = await PeerProcess.start('127.0.0.1', await issueServing(ca, 'hostile', { dns: ['localhost'], ips: ['127.0.0.1'] }))
  })
  after(() => {
    plain?.close()
    secure?.close()
    for (const { peer, what, ms } of found) console.info(`      ${ms.toFixed(1)} ms of the processor at most by ${peer}: ${what}`)
  })

  /** Fails if the longest turn of an attack is too long in every attempt. Attacks with too long a turn are repeated. */
  async function expectShortTurns(peer: string, attacks: readonly Attack[]): Promise<void> {
    const most = mostTurnMs()
    let longest: Longest = { peer, what: 'nothing', ms: 0 }
    for (const { what, act } of attacks) {
      let ms = Number.POSITIVE_INFINITY
      for (let attempt = 0; attempt < ATTEMPTS && ms > most / 2; attempt++) ms = Math.min(ms, await longestTurn(act, threadMs))
      if (ms > longest.ms) longest = { peer, what, ms }
      expect(ms, `${peer}: ${what}`).to.be.at.most(most)
    }
    found.push(longest)
  }

  const acts: readonly (readonly [what: string, act: Act])[] = [
    ...Object.keys(HOSTILE_PROTOCOL).map(name => [name, { table: 'protocol', name }] as const),
    ...Object.keys(HOSTILE_JSON).flatMap(json => [
      [json, { json }] as const,
      [`${json}, in a failure`, { json, isFailure: true }] as const,
    ]),
  ]

  for (const [peer, { asks, isSecure }] of Object.entries(ASKS))
    it(`are short, whatever ${peer} sends`, async () => {
      const at = isSecure ? secure : plain
      const attack = async (act: Act): Promise<void> => {
        await at.act(act)
        await asks(at.port, new AbortController().signal).catch(errorMessage)
        await at.isLeft()
      }
      await expectShortTurns(
        peer,
        acts.map(([what, act]) => ({ what, act: () => attack(act) })),
      )
    })

  it('are short, however long the discovery and OpenAPI of an aggregated server are', async () => {
    const resources = (count: number) =>
      Array.from({ length: count }, (_, i) => ({
        resource: `r${i}`,
        name: `r${i}`,
        singularName: '',
        namespaced: false,
        kind: 'A',
        scope: 'Cluster',
        verbs: ['get'],
      }))
    const list = (versions: readonly object[]) => Buffer.from(JSON.stringify({ items: [{ metadata: { name: 'g' }, versions }] }))
    const verbs = Array.from({ length: 4000 }, () => 'get')
    const large = list([{ version: 'v1', resources: [{ ...resources(1)[0], verbs }] }])
    const many = list([{ version: 'v1', resources: resources(10_000) }])
    const versions = list(Array.from({ length: 300 }, (_, i) => ({ version: `v${i}`, resources: resources(30) })))
    const legacy = Buffer.from(JSON.stringify({ resources: resources(10_000) }))
    const index = Buffer.from(
      `{"paths":{${Array.from({ length: 8000 }, (_, i) => `"apis/g${i}/v1":{"serverRelativeURL":"/openapi/v3/apis/g${i}/v1"}`).join(',')}}}`,
    )
    const read = (what: string, act: () => Promise<unknown>): Attack => ({ what, act: () => act().catch(errorMessage) })
    await expectShortTurns('an aggregated server', [
      read('a resource with very many verbs', () => readDiscoveryList(large)),
      read('a group with very many resources', () => readDiscoveryList(many)),
      read('a group with very many versions', () => readDiscoveryList(versions)),
      read('legacy discovery with very many resources', () => readResourceList(legacy)),
      read('an index of very many documents', () => runInTurns(parseForeignJson(index, 16_384))),
    ])
  })

  describe('in pods', () => {
    let world: World
    let inPod: PeerProcess
    before(async function () {
      if (ownAddress === undefined) this.skip()
      world = await connectWorld()
      inPod = await PeerProcess.start(ownAddress)
    })
    after(async () => {
      inPod?.close()
      await world?.close()
    })

    it('are short, whatever a pod sends through the proxy', async () => {
      const pages = Object.keys(HOSTILE_PAGES).map(name => [name, { table: 'pages', name }] as const)
      const attack = async (act: Act): Promise<void> => {
        await inPod.act(act)
        await world.server.plain(`/api/v1/namespaces/ns/pods/one:${inPod.port}/proxy/`).catch(errorMessage)
        await inPod.isLeft()
      }
      await expectShortTurns(
        'a pod',
        [...acts, ...pages].map(([what, act]) => ({ what, act: () => attack(act) })),
      )
    })
  })
})
