import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLogger } from '../../src/lib/log.ts'
import { seededRandom } from '../../src/lib/seeded-random.ts'
import { PortSet } from '../../src/resources/core/service/allocation/port-set.ts'
import { openEmbedded } from '../../src/storage/embedded/open-embedded.ts'
import { key } from '../../src/storage/revision.ts'
import type { AnyObject } from '../support/any-object.ts'
import type { JsonClient } from '../support/json-client.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { withServer } from '../support/suite-server.ts'
import { eventually, patience } from '../support/waiting.ts'

const SERVICES = '/api/v1/namespaces/default/services'
const PORTS = { base: 30000, size: 64 }
/** Usable addresses of the /25. */
const ADDRESSES = 126
/** Repair runs at the start, and again once what it found then is older than any request. */
const REPAIR_MS = 120_000
const OUTAGE = [0, 503, 504]

describe('resilience: cluster IPs and node ports over kill -9', () => {
  let server: ServerProcess
  let client: JsonClient
  withServer(
    made => {
      ;({ server, client } = made)
    },
    ['--service-cluster-ip-range', '10.9.0.0/25', '--service-node-port-range', '30000-30063'],
  )

  const services = async (): Promise<AnyObject[]> => (await client.must('GET', '/api/v1/services')).items
  const addresses = async (): Promise<string[]> =>
    (await client.must('GET', '/apis/networking.k8s.io/v1/ipaddresses')).items
      .map(({ metadata, spec }: AnyObject) => `${metadata.name} ${spec.parentRef.namespace}/${spec.parentRef.name}`)
      .sort()

  it('keeps the address and port of each service, and assigns none twice', async () => {
    const unexpected: string[] = []
    let kills = 0
    for (const seed of [31, 32, 33]) {
      let stopping = false
      let created = 0
      const writers = Array.from({ length: 16 }, async (_, id) => {
        const random = seededRandom(seed * 100 + id)
        for (let n = 0; !stopping; n++) {
          const name = `s${seed}-${id}-${n}`
          const made = await client.ask('POST', SERVICES, { body: service(name, random() < 0.5 ? 'NodePort' : 'ClusterIP') })
          if (made.status === 201) created++
          if (![201, ...OUTAGE].includes(made.status)) unexpected.push(JSON.stringify(made.body))
          // Some stay, so that the next to come have neighbours; the rest makes place.
          const gone = made.status === 201 && n % 8 !== 0 ? await client.ask('DELETE', `${SERVICES}/${name}`) : undefined
          if (gone !== undefined && ![200, ...OUTAGE].includes(gone.status)) unexpected.push(JSON.stringify(gone.body))
          if (made.status === 0) return
        }
      })
      await sleep(500)
      await eventually('each writer has made some', () => created >= 4 * writers.length)
      await server.kill()
      stopping = true
      await Promise.all(writers)
      await server.start()
      kills++
      const there = await services()
      const taken = await addresses()
      for (const one of there.flatMap(owned)) expect(taken, `kill ${kills}`).to.include(one)
      expectDistinct(there)
    }
    expect(unexpected).to.deep.equal([])
  })

  it('frees the leftovers of kills', async () => {
    const wanted = (await services()).flatMap(owned).sort()
    for (const deadline = Date.now() + REPAIR_MS; (await addresses()).length !== wanted.length && Date.now() < deadline; ) await sleep(200)
    expect(await addresses()).to.deep.equal(wanted)
    const ports = (await services()).flatMap(portsOf).sort()
    let kept: number[] = []
    // The bitmap is no resource: it is read from the store. Ports are freed with the addresses, or by the run after.
    expect(await server.terminate()).to.equal(0)
    const store = await openEmbedded({ dir: server.storeDir }, systemClock, silentLogger)
    try {
      const { item } = await store.get(key('/registry/ranges/servicenodeports'), patience())
      const stored = JSON.parse((item?.value ?? Buffer.alloc(0)).toString())
      expect(stored.range).to.equal('30000-30063')
      kept = [...new PortSet(PORTS, Math.random, Buffer.from(stored.data, 'base64')).ports()]
    } finally {
      await store.close()
    }
    await server.start()
    expect(kept).to.deep.equal(ports)
  })

  it('allocates the whole range', async () => {
    for (const type of ['NodePort', 'ClusterIP'] as const) {
      let refused = ''
      for (let n = 0; refused === ''; n++) {
        const made = await client.ask('POST', SERVICES, { body: service(`fill-${type.toLowerCase()}-${n}`, type) })
        if (made.status !== 201) refused = `${made.status} ${made.body.message}`
      }
      expect(refused).to.match(/range is full/)
      if (type === 'NodePort') expect((await services()).flatMap(portsOf).length).to.equal(PORTS.size)
    }
    const there = await services()
    expectDistinct(there)
    expect(await addresses()).to.deep.equal(there.flatMap(owned).sort())
    expect(there.length).to.equal(ADDRESSES)
  })
})

const service = (name: string, type: string): AnyObject => ({
  kind: 'Service',
  apiVersion: 'v1',
  metadata: { name },
  spec: { type, ports: [{ port: 80 }] },
})

const owned = ({ metadata, spec }: AnyObject): string[] =>
  (spec.clusterIPs ?? []).map((ip: string) => `${ip} ${metadata.namespace}/${metadata.name}`)
const portsOf = ({ spec }: AnyObject): number[] => spec.ports.flatMap(({ nodePort }: { nodePort?: number }) => nodePort ?? [])

function expectDistinct(services: readonly AnyObject[]): void {
  const ips = services.flatMap(({ spec }) => spec.clusterIPs ?? [])
  const ports = services.flatMap(portsOf)
  expect(new Set(ips).size, 'distinct addresses').to.equal(ips.length)
  expect(new Set(ports).size, 'distinct ports').to.equal(ports.length)
}
