import { once } from 'node:events'
import { Agent } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { expect } from 'chai'
import { issuerClient, jsonOf } from '../../src/auth/authn/jwt/issuer-client.ts'
import { failureOf, isSuccess, post } from '../../src/clients/post.ts'
import { readForeignReview } from '../../src/codec/foreign-review.ts'
import { askOver } from '../../src/endpoints/connect/ask.ts'
import { dialThrough } from '../../src/lib/connect-proxy.ts'
import { errorMessage } from '../../src/lib/error-message.ts'
import { checkHealth } from '../../src/resources/core/component-status/check-health.ts'
import { issueCa, issueServing, type KeyPair } from '../../src/server/tls/issue.ts'
import { connectWorld, ownAddress, type World } from '../support/connect-world.ts'
import { answering, type Behaviour, HOSTILE_JSON, HOSTILE_PAGES, HOSTILE_PROTOCOL, HOSTILE_SILENCE, HostilePeer } from '../support/hostile-peer.ts'
import { eventually, turns } from '../support/waiting.ts'

const REVIEW = JSON.stringify({ kind: 'Review' })

/** Asks a peer as one part of the server does, and gives what came of it: a text, or an error. */
type Asks = (peer: HostilePeer, signal: AbortSignal) => Promise<string>

const read = async (body: Readable): Promise<string> => {
  let length = 0
  for await (const part of body) length += (part as Buffer).length
  return `${length} bytes`
}

describe('hostile servers that a request or a webhook reaches', function () {
  this.timeout(30_000)
  let serving: KeyPair
  let plain: HostilePeer
  let secure: HostilePeer
  before(async () => {
    const ca = await issueCa('hostile')
    serving = await issueServing(ca, 'hostile', { dns: ['localhost'], ips: ['127.0.0.1'] })
    plain = await HostilePeer.start()
    secure = await HostilePeer.start(serving)
  })
  after(() => {
    plain?.close()
    secure?.close()
  })

  const webhook: Asks = async (peer, signal) => {
    const agent = new Agent()
    const to = { agent, host: '127.0.0.1', port: peer.port, authority: 'hook', serverName: 'hook', path: '/', headers: {} }
    const answer = await post(to, REVIEW, signal, { maxBytes: 1 << 20 })
    if (!isSuccess(answer)) return (await failureOf(answer)).message
    return JSON.stringify(await readForeignReview(answer.body))
  }
  const issuer: Asks = async (peer, signal) => {
    const ended = new AbortController()
    signal.addEventListener('abort', () => ended.abort())
    return JSON.stringify(await jsonOf(await issuerClient('', ended.signal).get(`http://127.0.0.1:${peer.port}/keys`)))
  }
  const aggregated: Asks = async (peer, signal) => {
    const tls = { rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] }
    const destination = { scheme: 'https', host: '127.0.0.1', port: String(peer.port), path: '/apis', query: '', trust: 'anything' } as const
    const { response } = await askOver({ tls }, destination, { method: 'GET', headers: [], signal })
    return read(response)
  }
  const component: Asks = async (peer, signal) => {
    const { isHealthy, message } = await checkHealth(peer.port, signal)
    return isHealthy ? 'healthy' : message
  }
  const proxy: Asks = (peer, signal) =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('given up')))
      dialThrough({ at: { host: '127.0.0.1', port: peer.port } })('10.0.0.1', 443, (error, socket?: Socket) => {
        socket?.destroy()
        if (error) reject(error)
        else resolve('connected')
      })
    })

  const peers: Readonly<Record<string, { readonly asks: Asks; peer(): HostilePeer }>> = {
    'a webhook': { asks: webhook, peer: () => plain },
    'an issuer': { asks: issuer, peer: () => plain },
    'an aggregated server': { asks: aggregated, peer: () => secure },
    'a component': { asks: component, peer: () => secure },
    'a proxy': { asks: proxy, peer: () => plain },
  }
  /** Settles with what came of a request; that no connection is left is part of it. */
  const outcome = async (asks: Asks, peer: HostilePeer, act: Behaviour, signal = new AbortController().signal): Promise<string> => {
    peer.act = act
    const said = await asks(peer, signal).catch(errorMessage)
    await eventually('the connection is closed', () => peer.sockets.size === 0)
    return said
  }

  for (const [name, { asks, peer }] of Object.entries(peers)) {
    for (const [what, act] of Object.entries(HOSTILE_PROTOCOL))
      it(`${name} that sends ${what} ends its request`, async () => {
        expect(await outcome(asks, peer(), act)).to.be.a('string')
      })

    if (name !== 'a component')
      for (const [what, act] of Object.entries(HOSTILE_SILENCE))
        it(`${name} that sends ${what} is left when the request is given up`, async () => {
          const given = new AbortController()
          setTimeout(() => given.abort(new Error('given up')), 100)
          const tunnel = name === 'a proxy'
          peer().act = act
          const said = await asks(peer(), given.signal).catch(errorMessage)
          expect(said).to.be.a('string')
          if (tunnel) for (const socket of peer().sockets) socket.destroy()
          await eventually('the connection is closed', () => peer().sockets.size === 0)
        })
  }

  it('end requests with errors in the words of Go', async () => {
    const tooMany = 'net/http: HTTP/1.x transport connection broken: net/http: too many 1xx informational responses'
    for (const what of ['endless 100 Continue', 'endless 103 Early Hints', 'informational responses with large heads'])
      expect(await outcome(aggregated, secure, HOSTILE_PROTOCOL[what] as Behaviour), what).to.equal(tooMany)
    expect(await outcome(webhook, plain, HOSTILE_PROTOCOL['chunks of one byte without end'] as Behaviour)).to.equal(
      'chunked encoding contains too much non-data',
    )
  })

  for (const [what, body] of Object.entries(HOSTILE_JSON))
    for (const name of ['a webhook', 'an issuer'] as const)
      it(`${name} whose body is ${what} is read or refused`, async () => {
        const { asks, peer } = peers[name] as (typeof peers)[string]
        expect(await outcome(asks, peer(), answering(Buffer.from(body, 'latin1')))).to.be.a('string')
        expect(await outcome(asks, peer(), answering(Buffer.from(body, 'latin1'), 'HTTP/1.1 500 No\r\n'))).to.be.a('string')
      })

  describe('in pods and kubelets', () => {
    let world: World
    let inPod: HostilePeer
    before(async function () {
      if (ownAddress === undefined) this.skip()
      world = await connectWorld()
      inPod = await HostilePeer.start(undefined, ownAddress)
    })
    after(async () => {
      inPod?.close()
      await world?.close()
    })
    const pods = '/api/v1/namespaces/ns/pods'
    const asked = (): Promise<{ status: number } | string> =>
      world.server.plain(`${pods}/one:${inPod.port}/proxy/`).catch(errorMessage) as Promise<{ status: number } | string>

    for (const [what, act] of Object.entries(HOSTILE_PROTOCOL))
      it(`end a request through the proxy by ${what}, and no other`, async () => {
        inPod.act = act
        const answers = await Promise.all([asked(), asked(), asked()])
        for (const answer of answers) if (typeof answer !== 'string') expect(answer.status).to.be.oneOf([200, 503])
        await eventually('the connections are closed', () => inPod.sockets.size === 0)
        expect((await world.server.plain(`${pods}/one`)).status).to.equal(200)
      })

    it('end a request by too many informational responses with 503', async () => {
      inPod.act = HOSTILE_PROTOCOL['endless 103 Early Hints'] as Behaviour
      const { status, body } = await world.server.plain(`${pods}/one:${inPod.port}/proxy/`)
      expect(status).to.equal(503)
      expect(JSON.parse(body.toString()).message).to.equal(
        'error trying to reach service: net/http: HTTP/1.x transport connection broken: net/http: too many 1xx informational responses',
      )
    })

    for (const [what, act] of Object.entries(HOSTILE_PAGES))
      it(`serve a page of ${what} while others are served`, async () => {
        inPod.act = act
        let over = false
        const page = asked().finally(() => {
          over = true
        })
        let others = 0
        while (!over) {
          expect((await world.server.plain(`${pods}/one`)).status).to.equal(200)
          others++
          await turns(20)
        }
        if (act === HOSTILE_PAGES['gzip that breaks off']) expect(await page).to.be.a('string')
        else {
          expect(await page).to.have.property('status', 200)
          // The page is longer in the making than one other request.
          expect(others).to.be.at.least(2)
        }
        inPod.sockets.forEach(socket => void socket.destroy())
      })

    for (const [what, frames] of Object.entries({
      'frames of another version': Buffer.from('80020001', 'hex'),
      'data of streams that nobody opened': Buffer.from('00000063000000017800000063000000017800000063', 'hex'),
      'pings without end': Buffer.from('800300060000000400000002', 'hex'),
      'empty frames': Buffer.from('0000000100000000', 'hex'),
    }))
      it(`are left when the client of a command goes, whatever the kubelet sends: ${what}`, async () => {
        world.kubelet.upgradeAct = (_req, socket) => {
          socket.on('error', () => {}).resume()
          socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n')
          const block = Buffer.concat(Array(2000).fill(frames))
          const more = (): void => {
            if (socket.destroyed) return
            if (socket.write(block)) setImmediate(more)
            else socket.once('drain', more)
          }
          more()
        }
        const client = connect(world.server.running.insecurePort as number, '127.0.0.1').on('error', () => {})
        await once(client, 'connect')
        client.write(`POST ${pods}/one/exec?command=x&stdout=1 HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n`)
        await once(client, 'data')
        expect((await world.server.plain(`${pods}/one`)).status).to.equal(200)
        client.destroy()
        await eventually('the kubelet is left', () => world.kubelet.sockets.size === 0)
      })
  })
})
