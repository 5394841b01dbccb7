import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { expect } from 'chai'
import type { ResolveService } from '../../../../src/admission/webhooks/target.ts'
import { CertificateMetrics } from '../../../../src/clients/certificate-metrics.ts'
import type { Backend, Registration } from '../../../../src/extensions/aggregation/registration.ts'
import { passOn } from '../../../../src/extensions/aggregation/request-proxy.ts'
import { Transports } from '../../../../src/extensions/aggregation/transports.ts'
import { Via } from '../../../../src/extensions/aggregation/via.ts'
import { silentLogger } from '../../../../src/lib/log.ts'
import { issueCa, issueServing } from '../../../../src/server/tls/issue.ts'
import { FakeExchange } from '../../../support/exchange.ts'
import { rejection } from '../../../support/filter-context.ts'
import { eventually } from '../../../support/waiting.ts'

const PATH = '/apis/foo/v1/things'
type Act = Parameters<Server['on']>[1]

/** Upstream's table: handler_proxy_test.go of kube-aggregator. */
describe('passOn', () => {
  let ca: Awaited<ReturnType<typeof issueCa>>
  const servers: Server[] = []
  const sockets = new Set<Socket>()
  const transports = new Transports(undefined)
  before(async () => {
    ca = await issueCa('backends')
  })
  after(() => {
    transports.close()
    for (const server of servers) server.close()
    for (const socket of sockets) socket.destroy()
  })

  async function backendFor(dns: string, act: Act): Promise<number> {
    const server = createServer(await issueServing(ca, dns, { dns: [dns], ips: [] }))
    servers.push(server.on('request', act).on('connection', (socket: Socket) => sockets.add(socket)))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }

  let count = 0
  function world(port: number, backend: Partial<Backend> = {}, registration: Partial<Registration> = {}) {
    const whole: Backend = {
      namespace: 'ns',
      name: 'api',
      port: 443,
      insecureSkipTLSVerify: false,
      certificateAuthority: ca.cert,
      ...backend,
    }
    const of: Registration = {
      name: `v1.foo${count++}`,
      group: 'foo',
      version: 'v1',
      groupPriority: 1,
      versionPriority: 1,
      isAvailable: true,
      backend: whole,
      ...registration,
    }
    const resolve: ResolveService = async () => {
      if (port === 0) throw new Error('no such service')
      return { host: '127.0.0.1', port }
    }
    const env = {
      resolve,
      transports,
      via: new Via('a'),
      logger: silentLogger,
      sendsUid: true,
      refusesRedirects: true,
      certificates: new CertificateMetrics('kube_aggregator'),
    }
    return (exchange = new FakeExchange(PATH)) => passOn(env, exchange, of, whole).then(() => exchange)
  }
  const told = async (asked: Promise<FakeExchange>): Promise<string> => {
    const { status, text } = await asked
    return `${status} ${text}`
  }
  const ok: Act = (_req: unknown, res: { end(text: string): void }) => res.end('hello')

  it('proxies a request', async () => expect(await told(world(await backendFor('api.ns.svc', ok))())).to.equal('200 hello'))
  it('returns 503 if the APIService is unavailable', async () =>
    expect(await told(world(1, {}, { isAvailable: false })())).to.equal('503 service unavailable\n'))
  it('returns 503 if the service cannot be resolved', async () => expect(await told(world(0)())).to.equal('503 service unavailable\n'))
  it('returns 500 if the CA bundle contains no certificate', async () =>
    expect(await told(world(1, { certificateAuthority: 'nonsense' })())).to.equal(
      '500 unable to load root certificates: unable to parse bytes as PEM block\n',
    ))
  it('returns 503 if the certificate is for another name', async () =>
    expect(await told(world(await backendFor('other.ns.svc', ok))())).to.equal(
      '503 error trying to reach service: tls: failed to verify certificate: x509: certificate is valid for other.ns.svc, not api.ns.svc\n',
    ))
  it('does not verify the certificate with insecureSkipTLSVerify', async () =>
    expect(await told(world(await backendFor('other.ns.svc', ok), { insecureSkipTLSVerify: true })())).to.equal('200 hello'))
  it('returns 503 if the connection breaks', async () => {
    const port = await backendFor('api.ns.svc', (req: { socket: Socket }) => void req.socket.destroy())
    expect(await told(world(port)(new FakeExchange(PATH, { method: 'POST', body: 'x' })))).to.equal(
      '503 error trying to reach service: EOF\n',
    )
  })
  it('opens a new connection if the kept one was closed', async () => {
    const served = new Set<Socket>()
    let closed = 0
    const port = await backendFor('api.ns.svc', (req: { socket: Socket }, res: { end(text: string): void }) => {
      if (served.has(req.socket)) {
        closed++
        return req.socket.destroy()
      }
      served.add(req.socket)
      res.end('hello')
    })
    const ask = world(port)
    // A connection is kept once its response has been read, until when another request opens one of its own.
    await eventually('a request finds a kept connection', async () => {
      expect(await told(ask())).to.equal('200 hello')
      return closed > 0
    })
  })
  it('rejects requests beyond the limit per server, without using local seats', async () => {
    const waiting: { end(text: string): void }[] = []
    const port = await backendFor('api.ns.svc', (_req: unknown, res: { end(text: string): void }) => void waiting.push(res))
    const ask = world(port)
    const exchanges = Array.from({ length: 1000 }, () => new FakeExchange(PATH))
    const asked = exchanges.map(exchange => ask(exchange))
    expect(await rejection(ask())).to.include({ code: 429, message: 'Too many requests, please try again later.' })
    expect(exchanges.every(({ delegated }) => delegated)).to.equal(true)
    for (const exchange of exchanges) exchange.client.abort(new Error('gone'))
    await Promise.allSettled(asked)
    const later = ask()
    await eventually('it is asked', () => waiting.length > 0)
    const answering = setInterval(() => {
      for (const res of waiting.splice(0)) res.end('hello')
    }, 1)
    expect(await told(later)).to.equal('200 hello')
    clearInterval(answering)
  })
})
