import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import { errorMessage } from '../../src/lib/error-message.ts'
import { issueCa, issueServing, type KeyPair } from '../../src/server/tls/issue.ts'
import { connectWorld, ownAddress, type World } from '../support/connect-world.ts'
import { ASKS } from '../support/hostile-asks.ts'
import {
  answering,
  type Behaviour,
  HOSTILE_JSON,
  HOSTILE_PAGES,
  HOSTILE_PROTOCOL,
  HOSTILE_SILENCE,
  HostilePeer,
} from '../support/hostile-peer.ts'
import { eventually, turns } from '../support/waiting.ts'

describe('hostile servers that a request or a webhook calls', () => {
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

  const peerOf = (name: keyof typeof ASKS): HostilePeer => (ASKS[name].isSecure ? secure : plain)
  /** Settles with what came of a request; that no connection is left is part of it. */
  const outcome = async (name: keyof typeof ASKS, act: Behaviour, signal = new AbortController().signal): Promise<string> => {
    const peer = peerOf(name)
    peer.act = act
    const said = await ASKS[name].asks(peer.port, signal).catch(errorMessage)
    await eventually('the connection is closed', () => peer.sockets.size === 0)
    return said
  }

  for (const name of Object.keys(ASKS) as (keyof typeof ASKS)[]) {
    for (const [what, act] of Object.entries(HOSTILE_PROTOCOL))
      it(`${name} that sends ${what} ends its request`, async () => {
        expect(await outcome(name, act)).to.be.a('string')
      })

    if (name !== 'a component')
      for (const [what, act] of Object.entries(HOSTILE_SILENCE))
        it(`${name} that sends ${what} is disconnected when the request is cancelled`, async () => {
          const given = new AbortController()
          setTimeout(() => given.abort(new Error('given up')), 100)
          const tunnel = name === 'a proxy'
          const peer = peerOf(name)
          peer.act = act
          const said = await ASKS[name].asks(peer.port, given.signal).catch(errorMessage)
          expect(said).to.be.a('string')
          if (tunnel) for (const socket of peer.sockets) socket.destroy()
          await eventually('the connection is closed', () => peer.sockets.size === 0)
        })
  }

  it("end requests with Go's error messages", async () => {
    const tooMany = 'net/http: HTTP/1.x transport connection broken: net/http: too many 1xx informational responses'
    for (const what of ['endless 100 Continue', 'endless 103 Early Hints', 'informational responses with large heads'])
      expect(await outcome('an aggregated server', HOSTILE_PROTOCOL[what] as Behaviour), what).to.equal(tooMany)
    expect(await outcome('a webhook', HOSTILE_PROTOCOL['chunks of one byte without end'] as Behaviour)).to.equal(
      'chunked encoding contains too much non-data',
    )
  })

  for (const [what, body] of Object.entries(HOSTILE_JSON))
    for (const name of ['a webhook', 'an issuer'] as const)
      it(`${name} whose body is ${what} is read or rejected`, async () => {
        expect(await outcome(name, answering(Buffer.from(body, 'latin1')))).to.be.a('string')
        expect(await outcome(name, answering(Buffer.from(body, 'latin1'), 'HTTP/1.1 500 No\r\n'))).to.be.a('string')
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
      it(`end only their own request through the proxy by ${what}`, async () => {
        inPod.act = act
        const answers = await Promise.all([asked(), asked(), asked()])
        for (const answer of answers) if (typeof answer !== 'string') expect(answer.status).to.be.oneOf([200, 503])
        await eventually('the connections are closed', () => inPod.sockets.size === 0)
        expect((await world.server.plain(`${pods}/one`)).status).to.equal(200)
      })

    it('end a request with 503 after too many informational responses', async () => {
      inPod.act = HOSTILE_PROTOCOL['endless 103 Early Hints'] as Behaviour
      const { status, body } = await world.server.plain(`${pods}/one:${inPod.port}/proxy/`)
      expect(status).to.equal(503)
      expect(JSON.parse(body.toString()).message).to.equal(
        'error trying to reach service: net/http: HTTP/1.x transport connection broken: net/http: too many 1xx informational responses',
      )
    })

    for (const [what, act] of Object.entries(HOSTILE_PAGES))
      it(`serve a page of ${what} without delaying other requests`, async () => {
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
      'data of unopened streams': Buffer.from('00000063000000017800000063000000017800000063', 'hex'),
      'pings without end': Buffer.from('800300060000000400000002', 'hex'),
      'empty frames': Buffer.from('0000000100000000', 'hex'),
    }))
      it(`are disconnected when the client of a command leaves, whatever the kubelet sends: ${what}`, async () => {
        world.kubelet.upgradeAct = (_req, socket) => {
          socket.on('error', () => {}).resume()
          socket.write(
            'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n',
          )
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
        client.write(
          `POST ${pods}/one/exec?command=x&stdout=1 HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n`,
        )
        await once(client, 'data')
        expect((await world.server.plain(`${pods}/one`)).status).to.equal(200)
        client.destroy()
        await eventually('the kubelet is left', () => world.kubelet.sockets.size === 0)
      })
  })
})
