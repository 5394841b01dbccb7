import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import type { WebhookCallError } from '../../../../src/admission/webhooks/call-error.ts'
import { WebhookClients } from '../../../../src/admission/webhooks/client.ts'
import type { WebhookClientConfig } from '../../../../src/api/admissionregistration/v1.types.ts'
import { keptConnections } from '../../../../src/clients/post.ts'
import { redirected } from '../../../../src/clients/redirect.ts'
import { ResponseBudget } from '../../../../src/clients/response-budget.ts'
import { eventually } from '../../../support/waiting.ts'
import { WebhookServer } from '../../../support/webhooks/webhook-server.ts'

const never = new AbortController().signal

describe('WebhookClients', () => {
  let hook: WebhookServer
  let clients: WebhookClients
  before(async () => {
    hook = await WebhookServer.start({ dns: ['localhost', 'hook.ns.svc'], ips: ['127.0.0.1'] })
    clients = new WebhookClients(async (namespace, name) => {
      if (name !== 'hook') throw new Error(`service "${name}" not found`)
      return { host: namespace === 'ns' ? '127.0.0.1' : '127.0.0.2', port: hook.port }
    })
    hook.acts.set('/echo', review => ({ got: review }))
    hook.acts.set('/', () => ({ root: true }))
    hook.acts.set('/silent', () => undefined)
    hook.acts.set('/stops', (_review, res) => void res.writeHead(200, { 'content-length': '10' }).write('{'))
    const zipped = (path: string, body: Buffer | string, encoding = 'gzip') =>
      hook.acts.set(path, (_review, res) => void res.writeHead(200, { 'content-encoding': encoding }).end(body))
    const text = gzipSync('{"zipped":true}')
    zipped('/zipped', text)
    zipped('/ZIPPED', text, 'GZIP')
    zipped('/x-zipped', text, 'x-gzip')
    zipped('/not-zipped', '{"zipped":false}')
    zipped('/cut', text.subarray(0, 20))
    zipped('/nothing', '')
    zipped('/bomb', gzipSync(Buffer.alloc(7 << 20)))
    const status = (path: string, code: number, body: string, headers: Record<string, string> = {}) =>
      hook.acts.set(path, (_review, res) => void res.writeHead(code, headers).end(body))
    status('/500', 500, 'broken\n', { 'content-type': 'text/plain' })
    status('/json', 500, '{"a":1}', { 'content-type': 'application/json' })
    status('/404', 404, '')
    status('/400', 400, 'no')
    status('/304', 304, '')
    status('/302-nowhere', 302, '')
    status('/302-to-400', 302, '', { location: '/400' })
    status('/307-to-500', 307, '', { location: at('/500') })
    status('/307', 307, '', { location: '/echo' })
    status('/308', 308, '', { location: at('/307') })
    status('/303', 303, '', { location: '/how' })
    status('/loop', 307, '', { location: '/loop' })
    status('/malformed', 307, '', { location: 'http://[::1' })
    status('/other-scheme', 307, '', { location: 'ftp://127.0.0.1/x' })
    status('/closed', 307, '', { location: 'https://127.0.0.1:1/x?y=z' })
    status('/204', 204, '', { 'content-type': 'text/plain' })
    hook.acts.set('/how', (_review, _res, { method, headers }) => ({ method, length: headers['content-length'] ?? '' }))
    status('/status', 500, JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'own words', code: 418 }))
  })
  after(() => {
    clients.close()
    hook.close()
  })
  const post = async (config: WebhookClientConfig, timeoutMs = 10_000, signal = never) =>
    JSON.parse((await clients.post(config, '{"a":1}', { timeoutMs, signal })).toString()) as unknown
  const fault = async (config: WebhookClientConfig, timeoutMs = 10_000, signal = never): Promise<WebhookCallError> => {
    try {
      await post(config, timeoutMs, signal)
    } catch (error) {
      return error as WebhookCallError
    }
    throw new Error('it was answered')
  }
  const at = (path: string): string => `https://127.0.0.1:${hook.port}${path}`

  it('posts JSON with its timeout, and keeps the connection alive', async () => {
    const before = hook.requests.length
    expect(await post(hook.clientConfig('/echo'), 1500)).to.deep.equal({ got: { a: 1 } })
    expect(await post(hook.clientConfig('/echo'))).to.deep.equal({ got: { a: 1 } })
    const [first, second] = hook.requests.slice(before)
    expect([first?.path, second?.path]).to.deep.equal(['/echo?timeout=2s', '/echo?timeout=10s'])
    expect(first?.headers['content-type']).to.equal('application/json')
    expect(hook.sockets.size).to.equal(1)
  })

  it('accepts responses up to the shared limit', async () => {
    const few = new WebhookClients(async () => ({ host: '127.0.0.1', port: hook.port }), { room: new ResponseBudget(19) })
    const ended = new AbortController()
    let began: (() => void) | undefined
    const isSent = new Promise<void>(resolve => {
      began = resolve
    })
    hook.acts.set('/half', (_review, res) => void res.writeHead(200, { 'content-length': '20' }).write('0123456789', () => began?.()))
    const ask = (path: string, signal = never): Promise<string> =>
      few.post(hook.clientConfig(path), '{}', { timeoutMs: 10_000, signal }).then(String, (error: Error) => error.message)
    const half = ask('/half', ended.signal)
    await isSent
    await eventually('there is no room', async () =>
      /: the responses to other calls take up all memory for responses$/.test(await ask('/echo')),
    )
    ended.abort()
    expect(await half).to.match(/context canceled$/)
    expect(await ask('/echo')).to.equal('{"got":{}}')
    few.close()
  })

  it('connects to the resolved address of a service, by its name', async () => {
    const service = { namespace: 'ns', name: 'hook', path: '/echo/', port: 8443 }
    expect(await post({ service, caBundle: hook.caBundle })).to.deep.equal({ got: { a: 1 } })
    expect(hook.requests.at(-1)?.headers.host).to.equal('hook.ns.svc:8443')
    expect(await post({ service: { namespace: 'ns', name: 'hook' }, caBundle: hook.caBundle })).to.deep.equal({ root: true })
    expect((await fault({ service: { ...service, name: 'none' } })).message).to.equal(
      'Post "https://none.ns.svc:8443/echo?timeout=10s": service "none" not found',
    )
  })

  it('opens a new connection if the kept one was closed', async () => {
    await post(hook.clientConfig('/echo'))
    for (const socket of hook.sockets) socket.destroy()
    expect(await post(hook.clientConfig('/echo'))).to.deep.equal({ got: { a: 1 } })
  })

  it('reports why a connection failed', async () => {
    const untrusted = await fault({ url: at('/echo') })
    expect(untrusted.message).to.equal(
      `Post "${at('/echo?timeout=10s')}": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
    )
    expect((await fault({ url: 'https://127.0.0.1:1/x' }, 2000)).message).to.equal(
      'Post "https://127.0.0.1:1/x?timeout=2s": dial tcp 127.0.0.1:1: connect: connection refused',
    )
    expect((await fault({ service: { namespace: 'other', name: 'hook' }, caBundle: hook.caBundle })).message).to.match(
      /^Post "https:\/\/hook\.other\.svc:443\/\?timeout=10s": dial tcp 127\.0\.0\.2:\d+: connect: connection refused$/,
    )
    expect((await fault({ url: 'https://127.0.0.1:1', caBundle: Buffer.from('x').toString('base64') })).message).to.equal(
      'unable to load root certificates: unable to parse bytes as PEM block',
    )
    expect((await fault({})).message).to.equal('webhook configuration must have either service or URL')
  })

  it('trusts a CA bundle that contains the serving certificate itself', async () => {
    expect(await post({ url: at('/echo'), caBundle: hook.ownBundle })).to.deep.equal({ got: { a: 1 } })
    const other = await WebhookServer.start()
    try {
      const untrusted = await fault({ url: at('/echo'), caBundle: other.ownBundle })
      expect(untrusted.message).to.match(/x509: certificate signed by unknown authority$/)
    } finally {
      other.close()
    }
  })

  it('reports the names of a certificate that does not match', async () => {
    const other = await WebhookServer.start({ dns: ['a.example', 'b.example'], ips: [] })
    try {
      const fromIp = await fault(other.clientConfig('/'))
      expect(fromIp.message).to.match(/x509: cannot validate certificate for 127\.0\.0\.1 because it doesn't contain any IP SANs$/)
      const fromName = await fault({ url: `https://localhost:${other.port}/`, caBundle: other.caBundle })
      expect(fromName.message).to.match(/x509: certificate is valid for a\.example, b\.example, not localhost$/)
    } finally {
      other.close()
    }
  })

  it('ends at the timeout, and when the request is canceled', async () => {
    expect((await fault(hook.clientConfig('/silent'), 50)).message).to.equal(
      `Post "${at('/silent?timeout=1s')}": context deadline exceeded`,
    )
    expect((await fault(hook.clientConfig('/stops'), 50)).message).to.match(/context deadline exceeded$/)
    const gone = new AbortController()
    const before = hook.requests.length
    const failing = fault(hook.clientConfig('/silent'), 5000, gone.signal)
    await eventually('it is asked', () => hook.requests.length > before)
    gone.abort()
    const error = await failing
    expect([error.message, error.canceled]).to.deep.equal([`Post "${at('/silent?timeout=5s')}": context canceled`, true])
  })

  const STATUSES: [path: string, message: string, code: number][] = [
    ['/500', 'an error on the server ("broken") has prevented the request from succeeding', 500],
    ['/json', 'an error on the server ("unknown") has prevented the request from succeeding', 500],
    ['/404', 'the server could not find the requested resource', 404],
    ['/400', 'the server rejected our request for an unknown reason', 400],
    ['/304', 'the server responded with the status code 304 but did not return more information', 304],
    ['/302-nowhere', 'the server responded with the status code 302 but did not return more information', 302],
    ['/302-to-400', 'the server rejected our request for an unknown reason', 400],
    ['/307-to-500', 'an error on the server ("broken") has prevented the request from succeeding', 500],
    ['/status', 'own words', 418],
  ]
  for (const [path, message, code] of STATUSES)
    it(`reports an unsuccessful response: ${path}`, async () => {
      const error = await fault(hook.clientConfig(path))
      expect([error.message, error.code]).to.deep.equal([message, code])
    })

  it('follows redirects as Go does, with the body or by GET', async () => {
    expect(await post(hook.clientConfig('/308'))).to.deep.equal({ got: { a: 1 } })
    expect(await post(hook.clientConfig('/303'))).to.deep.equal({ method: 'GET', length: '' })
  })

  const LOST: [path: string, message: string][] = [
    ['/loop', 'Post "/loop": stopped after 10 redirects'],
    ['/malformed', `failed to parse Location header "http://[::1": parse "http://[::1": missing ']' in host`],
    ['/other-scheme', 'Post "ftp://127.0.0.1/x": unsupported protocol scheme "ftp"'],
    ['/closed', 'Post "https://127.0.0.1:1/x?y=z": dial tcp 127.0.0.1:1: connect: connection refused'],
    ['/204', '0-length response with status code: 204 and content type: text/plain'],
  ]
  for (const [path, message] of LOST)
    it(`reports an invalid redirect and an empty body: ${path}`, async () =>
      expect((await fault(hook.clientConfig(path))).message).to.include(message))

  it('does not send credentials to another server', () => {
    const agent = keptConnections({})
    const to = {
      agent,
      host: 'a',
      port: 443,
      authority: 'a',
      serverName: 'a',
      path: '/',
      headers: { authorization: 'Bearer x', 'user-agent': 'y' },
    }
    const following = (location: string) => redirected({ to }, { status: 307, headers: { location }, body: Buffer.alloc(0) })?.to
    expect(following('/other')?.headers).to.have.property('authorization')
    expect(following('https://b/other')).to.deep.include({ headers: { 'user-agent': 'y' }, host: 'b', port: 443, serverName: 'b' })
    expect(following('http://a/other')?.agent).not.to.equal(agent)
  })

  it('retries after Retry-After', async () => {
    let calls = 0
    hook.acts.set('/busy', (_review, res) => {
      if (++calls === 3) return { calls }
      res.writeHead(503, { 'retry-after': '0' }).end()
      return undefined
    })
    expect(await post(hook.clientConfig('/busy'))).to.deep.equal({ calls: 3 })
  })

  it('waits as long as Retry-After requests', async () => {
    let calls = 0
    hook.acts.set('/later', (_review, res) => {
      calls++
      res.writeHead(429, { 'retry-after': '99999999999' }).end()
      return undefined
    })
    const error = await fault(hook.clientConfig('/later'), 300)
    expect([error.message.endsWith('context deadline exceeded'), calls]).to.deep.equal([true, 1])
  })

  it('decompresses gzip, up to the limit', async () => {
    expect(await post(hook.clientConfig('/zipped'))).to.deep.equal({ zipped: true })
    expect(hook.requests.at(-1)?.headers['accept-encoding']).to.equal('gzip')
    expect(await post(hook.clientConfig('/ZIPPED'))).to.deep.equal({ zipped: true })
    const unread = (why: string): string => `unexpected error when reading response body. Please retry. Original error: ${why}`
    expect((await fault(hook.clientConfig('/not-zipped'))).message).to.equal(unread('gzip: invalid header'))
    expect((await fault(hook.clientConfig('/cut'))).message).to.equal(unread('unexpected EOF'))
    expect((await fault(hook.clientConfig('/nothing'))).message).to.match(/^0-length response with status code: 200/)
    const bomb = clients.post(hook.clientConfig('/bomb'), '{}', { timeoutMs: 10_000, signal: never, maxBytes: 6 << 20 })
    expect(await bomb.catch((error: Error) => error.message)).to.equal(unread('http: response body too large'))
    const untouched = await clients.post(hook.clientConfig('/x-zipped'), '{}', { timeoutMs: 10_000, signal: never })
    expect(untouched.subarray(0, 2)).to.deep.equal(Buffer.from([0x1f, 0x8b]))
  })
})
