import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request as requestPlain } from 'node:http'
import { Agent, type RequestOptions, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { type Server, startServer } from '../../src/process/start-server.ts'
import { commandsCommand } from '../support/server-program.ts'

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

const JSON_TYPE = { 'content-type': 'application/json' }

describe('the console’s link', () => {
  let server: Server
  let directory: string
  let nobody: Agent
  let administrator: Agent
  const log: string[] = []
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'binnacle-'))
    server = await startServer({ flags: { console: true, 'cors-allowed-origins': '//evil\\.example$', v: 0 }, log: line => log.push(line) })
    writeFileSync(join(directory, 'kubeconfig'), server.kubeconfig)
    nobody = new Agent({ ca: server.certificateAuthority })
    administrator = new Agent({ ca: server.certificateAuthority, cert: server.clientCertificate, key: server.clientKey })
  })
  after(async () => {
    for (const agent of [nobody, administrator]) agent?.destroy()
    await server?.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  /** Sends a request to the console's port, or as the administrator to the secure port. */
  const ask = (
    path: string,
    {
      agent = nobody,
      body,
      ...options
    }: Pick<RequestOptions, 'method' | 'headers'> & { readonly agent?: Agent; readonly body?: string } = {},
    origin = agent === administrator ? server.url : new URL(server.consoleUrl ?? '').origin,
  ): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = request(`${origin}${path}`, { agent, ...options }, answer => {
        let text = ''
        answer.on('data', (part: Buffer) => {
          text += part.toString()
        })
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }))
      })
      sent.on('error', reject).end(body)
    })
  const open = (token: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    ask('/console/sessions', { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify({ token }) })
  const newLink = async (): Promise<string> => {
    const { status, text } = await ask('/binnacle/v1/console/links', { method: 'POST', agent: administrator })
    expect(status).to.equal(201)
    return (JSON.parse(text) as { readonly link: string }).link.replace('/console/#', '')
  }
  const newSession = async (): Promise<string> => (JSON.parse((await open(await newLink())).text) as { readonly token: string }).token
  const bearing = (token: string): Pick<RequestOptions, 'headers'> => ({ headers: { authorization: `Bearer ${token}` } })

  it('is printed at the start, and is valid once', async () => {
    const [, url = '', token = ''] = /to open the console.*: (https:\/\/\S+\/console\/#(\S+))/.exec(log.join('')) ?? []
    expect(url).to.equal(server.consoleUrl)
    const first = await open(token)
    expect(first.status).to.equal(200)
    const session = JSON.parse(first.text)
    expect(session.user).to.deep.equal({ name: 'kubernetes-admin', groups: ['system:masters'] })
    expect(Date.parse(session.expires) - Date.now()).to.be.within(11.9 * 3600e3, 12 * 3600e3)
    expect((await ask('/api/v1/namespaces', bearing(session.token))).status).to.equal(200)
    expect((await open(token)).status).to.equal(401)
    expect((await open('')).status).to.equal(401)
  })

  it('gives a session of its user, until the session is closed', async () => {
    const token = await newSession()
    const review = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' })
    const who = await ask('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      method: 'POST',
      headers: { ...JSON_TYPE, authorization: `Bearer ${token}` },
      body: review,
    })
    expect(JSON.parse(who.text).status.userInfo).to.deep.include({
      username: 'kubernetes-admin',
      groups: ['system:masters', 'system:authenticated'],
    })
    const close = (): Promise<Answer> => ask('/console/sessions', { method: 'DELETE', ...bearing(token) })
    expect((await close()).status).to.equal(200)
    expect((await close()).status).to.equal(401)
    expect((await ask('/api/v1/namespaces', bearing(token))).status).to.equal(401)
  })

  it('is created for the caller, if the caller has the right', async () => {
    expect((await ask('/binnacle/v1/console/links', { method: 'POST' }, server.url)).status).to.equal(403)
    expect((await ask('/binnacle/v1/console/links', { method: 'POST' })).status).to.equal(401)
    expect((await ask('/binnacle/v1/console/links', { agent: administrator })).status).to.equal(405)
    const asked = await ask('/binnacle/v1/console/links', {
      method: 'POST',
      agent: administrator,
      headers: { 'impersonate-user': 'anna', 'impersonate-group': 'system:masters' },
    })
    const token = JSON.parse(asked.text).link.replace('/console/#', '')
    expect(JSON.parse((await open(token)).text).user).to.deep.equal({ name: 'anna', groups: ['system:masters', 'system:authenticated'] })
  })

  it('cannot be created by a session, which could then renew itself', async () => {
    const again = await ask('/binnacle/v1/console/links', { method: 'POST', ...bearing(await newSession()) })
    expect([again.status, again.text.includes('#')]).to.deep.equal([403, false])
  })

  it('is created by `binnacle console`', async () => {
    const [program, ...first] = await commandsCommand()
    const { stdout: made } = await promisify(execFile)(program, [...first, 'console', '--kubeconfig', join(directory, 'kubeconfig')])
    expect(made).to.match(/^https:\/\/127\.0\.0\.1:\d+\/console\/#[\w-]{43}\n$/)
    expect(new URL(made).origin).to.equal(new URL(server.consoleUrl ?? '').origin)
  })

  it('works only for pages of the server, whatever the CORS flags', async () => {
    const own = new URL(server.consoleUrl ?? '').origin
    for (const [headers, status] of [
      [{ origin: own, 'sec-fetch-site': 'same-origin' }, 200],
      [{ origin: 'https://evil.example' }, 403],
      [{ origin: 'null' }, 403],
      [{ origin: own.replace('https', 'http') }, 403],
      [{ origin: server.url }, 403],
      [{ origin: own, 'sec-fetch-site': 'same-site' }, 403],
      [{ 'sec-fetch-site': 'cross-site' }, 403],
    ] as const) {
      const answer = await open(await newLink(), headers)
      expect(answer.status, JSON.stringify(headers)).to.equal(status)
      expect(Object.keys(answer.headers).filter(name => name.startsWith('access-control'))).to.deep.equal([])
    }
    const preflight = await ask('/console/sessions', {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    })
    expect(preflight.status).to.equal(405)
  })

  it('uses an origin of its own, whose port accepts only sessions and proxies nothing', async () => {
    const origin = new URL(server.consoleUrl ?? '').origin
    expect(origin).to.not.equal(server.url)
    const token = await newSession()
    expect((await ask('/api/v1/namespaces', bearing(token), server.url)).status).to.equal(401)
    expect((await ask('/console/', {}, server.url)).status).to.equal(403)
    expect((await ask('/api/v1/namespaces', { agent: administrator }, server.url)).status).to.equal(200)
    expect((await ask('/api/v1/namespaces', { agent: administrator }, origin)).status).to.equal(401)
    expect((await ask('/version', {}, origin)).status).to.equal(401)
    expect((await ask('/openapi/v3/apis/apps/v1', bearing(token))).status).to.equal(403)
    for (const path of ['pods/a/proxy/', 'pods/a/log', 'pods/a/exec', 'services/a/proxy/x', 'pods/a/attach'])
      expect((await ask(`/api/v1/namespaces/default/${path}`, bearing(token))).status, path).to.equal(403)
    expect((await ask('/api/v1/nodes/a/proxy/', bearing(token))).status).to.equal(403)
  })

  it('uses a port whose responses cannot run as documents, and are not cached', async () => {
    for (const answer of [await ask('/api/v1/namespaces', bearing(await newSession())), await ask('/api/v1/namespaces')]) {
      expect(answer.headers).to.include({
        'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      })
      expect(answer.headers['cache-control']).to.include('no-store')
    }
  })

  it('is served by a server that rejects requests for service worker scripts', async () => {
    const headers = { 'service-worker': 'script' }
    for (const origin of [server.url, new URL(server.consoleUrl ?? '').origin])
      for (const path of ['/console/console.js', '/api/v1/namespaces/default/pods/a/proxy/worker.js', '/version'])
        expect((await ask(path, { headers }, origin)).status, `${origin}${path}`).to.equal(403)
  })

  it('serves files that can load nothing from other sites', async () => {
    for (const [path, type] of [
      ['/console', 'text/html; charset=utf-8'],
      ['/console/', 'text/html; charset=utf-8'],
      ['/console/console.js', 'text/javascript; charset=utf-8'],
      ['/console/console.css', 'text/css; charset=utf-8'],
      ['/console/icon.svg', 'image/svg+xml'],
    ] as const) {
      const { status, headers, text } = await ask(path)
      expect([path, status, headers['content-type']]).to.deep.equal([path, 200, type])
      expect(headers['content-security-policy']).to.equal(
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      )
      expect(headers['x-content-type-options']).to.equal('nosniff')
      expect(headers['referrer-policy']).to.equal('no-referrer')
      expect(headers['cross-origin-resource-policy']).to.equal('same-origin')
      expect(headers['cross-origin-opener-policy']).to.equal('same-origin')
      if (type.startsWith('text/html')) expect(text).to.not.match(/<script(?![^>]*src=)|<style|\son\w+=|\sstyle=/)
    }
  })

  it('serves no other files', async () => {
    for (const path of [
      '/console/x',
      '/console/LICENSE.preact.txt',
      '/console/..%2fmain.cjs',

      '/console/__proto__',
      '/console//console.js',
    ])
      expect((await ask(path)).status, path).to.equal(404)
    expect((await ask('/consoles')).status).to.equal(401)
    expect((await ask('/console/', { method: 'POST' })).status).to.equal(405)
    expect((await ask('/console/', { method: 'HEAD' })).text).to.equal('')
  })

  it('rejects long and malformed bodies', async () => {
    expect((await open('x'.repeat(2_000))).status).to.equal(413)
    for (const body of ['', 'x', '[]', '{"token":{}}', 'null'])
      expect((await ask('/console/sessions', { method: 'POST', headers: JSON_TYPE, body })).status, body).to.equal(401)
  })
})

describe('a server without a console', () => {
  it('serves no console, not even on the insecure port', async () => {
    const [off, on] = await Promise.all([
      startServer({ flags: {} }),
      startServer({ flags: { console: true, 'insecure-port': 18_000 + (process.pid % 10_000) } }),
    ])
    const codeOf = (url: string, ca: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const send = url.startsWith('https:') ? request(url, { ca }) : requestPlain(url)
        send
          .on('response', ({ statusCode = 0 }) => resolve(statusCode))
          .on('error', reject)
          .end()
      })
    try {
      expect(off.consoleUrl).to.equal(undefined)
      expect(await codeOf(`${off.url}/console/`, off.certificateAuthority)).to.equal(403)
      expect(await codeOf(`${on.insecureUrl}/console/`, '')).to.equal(404)
      expect(await codeOf(`${on.url}/console/`, on.certificateAuthority)).to.equal(403)
      expect(await codeOf(`${new URL(on.consoleUrl ?? '').origin}/console/`, on.certificateAuthority)).to.equal(200)
    } finally {
      await Promise.all([off.stop(), on.stop()])
    }
  })
})
