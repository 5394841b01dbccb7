import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { ClusterClient, ClusterError } from '../../../src/clients/cluster-client.ts'
import { listPages } from '../../../src/clients/cluster-lists.ts'

interface Answer {
  readonly status: number
  readonly body: unknown
  readonly retryAfter?: string
}

const page = (name: string, next = ''): Answer => ({
  status: 200,
  body: { metadata: { resourceVersion: '7', continue: next }, items: [{ metadata: { name } }] },
})
const failed = (status: number, retryAfter?: string): Answer => ({
  status,
  body: { message: 'no' },
  ...(retryAfter !== undefined && { retryAfter }),
})

describe('listPages', () => {
  let server: Server
  let client: ClusterClient
  let answers: Answer[] = []
  let asked: string[] = []
  let waits: number[] = []
  before(async () => {
    server = createServer((request, response) => {
      asked.push(request.url ?? '')
      const { status, body, retryAfter } = answers.shift() ?? failed(404)
      response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end(JSON.stringify(body))
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    client = new ClusterClient({ server: new URL(`http://127.0.0.1:${port}`), headers: {}, tls: {} })
  })
  after(() => server.close())

  async function listed(...given: Answer[]): Promise<string> {
    ;[answers, asked, waits] = [given, [], []]
    const found: string[] = []
    try {
      for await (const { items, isAnew } of listPages(client, '/pods', async ms => waits.push(ms)))
        found.push(...(isAnew ? ['anew'] : []), ...items.map(({ metadata }) => (metadata as { name: string }).name))
    } catch (error) {
      expect(error).to.be.instanceOf(ClusterError)
      found.push(String((error as ClusterError).status))
    }
    return found.join(' ')
  }

  it('yields pages', async () => {
    expect(await listed(page('a', 'x y'), page('b'))).to.equal('a b')
    expect(asked).to.deep.equal(['/pods?limit=250', '/pods?limit=250&continue=x%20y'])
  })

  it('restarts the list if the continue token has expired', async () => {
    expect(await listed(page('a', 'x'), failed(410), page('c', 'y'), page('d'))).to.equal('a anew c d')
    expect(await listed(failed(410))).to.equal('410')
    const expiring = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? page('a', 'x') : failed(410)))
    expect(await listed(...expiring), 'not for ever').to.match(/410$/)
  })

  it('retries while the server is busy or fails', async () => {
    expect(await listed(failed(429, '3'), failed(429), failed(503), page('a'))).to.equal('a')
    expect(waits).to.deep.equal([3000, 1000, 2000])
    expect(await listed(failed(429, '999999999'), page('a'))).to.equal('a')
    expect(waits, 'a minute at most').to.deep.equal([60_000])
    expect(await listed(...Array.from({ length: 20 }, () => failed(500)))).to.equal('500')
    expect(waits).to.deep.equal([500, 1000, 2000, 4000, 8000])
    expect(await listed(failed(403))).to.equal('403')
    expect(waits).to.deep.equal([])
  })
})
