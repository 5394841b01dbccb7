import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { ownAddress } from '../support/connect-world.ts'
import { type Behaviour, HOSTILE_PAGES, HostilePeer } from '../support/hostile-peer.ts'
import type { JsonClient } from '../support/json-client.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { withServer } from '../support/suite-server.ts'

const PODS = '/api/v1/namespaces/default/pods'
/** Held as a whole, so many pages of 8 MiB take more than half a gigabyte, as bytes and as text. */
const AT_ONCE = 32
const MOST_MEGABYTES = 200

describe('hostile concurrent pages behind the proxy', () => {
  let server: ServerProcess
  let client: JsonClient
  let inPod: HostilePeer
  withServer(async made => {
    ;({ server, client } = made)
    await client.must('POST', PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'one' },
      spec: { containers: [{ name: 'c', image: 'i:1' }] },
    })
    const pod = await client.must('GET', `${PODS}/one`)
    await client.must('PUT', `${PODS}/one/status`, {
      ...pod,
      status: { phase: 'Running', podIP: ownAddress, podIPs: [{ ip: ownAddress }] },
    })
  })
  before(async function () {
    if (ownAddress === undefined) this.skip()
    inPod = await HostilePeer.start(undefined, ownAddress)
  })
  after(() => inPod?.close())

  for (const what of ['8 MiB of < in 8 KB of gzip', 'tags that do not end', 'very many links in one tag'])
    it(`are sent without being buffered: ${what}`, async () => {
      inPod.act = HOSTILE_PAGES[what] as Behaviour
      const before = server.residentMegabytes()
      let isOver = false
      const pages = Promise.all(Array.from({ length: AT_ONCE }, () => statusOf(`${server.url}${PODS}/one:${inPod.port}/proxy/`))).finally(
        () => {
          isOver = true
        },
      )
      let most = 0
      while (!isOver) {
        expect(await statusOf(`${server.url}/healthz`)).to.equal(200)
        most = Math.max(most, server.residentMegabytes())
        await sleep(5)
      }
      expect(new Set(await pages)).to.deep.equal(new Set([200]))
      expect(most - before).to.be.below(MOST_MEGABYTES)
    })
})

/** Reads the whole body and forgets it. */
const statusOf = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { agent: false, headers: { 'accept-encoding': 'identity' } }, answer => {
      answer.resume().on('error', reject)
      answer.on('end', () => resolve(answer.statusCode ?? 0))
    })
    sent.on('error', reject).end()
  })
