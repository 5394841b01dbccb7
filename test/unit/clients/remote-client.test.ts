import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { webhookBackoff, withBackoff } from '../../../src/clients/backoff.ts'
import { readKubeconfig } from '../../../src/clients/kubeconfig.ts'
import { RemoteCallError, type RemoteClient, remoteClient } from '../../../src/clients/remote-client.ts'
import { WebhookServer } from '../../support/webhooks/webhook-server.ts'

const never = new AbortController().signal

describe('remoteClient', () => {
  let hook: WebhookServer
  let folder: string
  let now = 0
  const clients: RemoteClient[] = []
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'binnacle-remote-'))
    hook = await WebhookServer.start()
    hook.acts.set('/echo', review => ({ got: review }))
    hook.acts.set('/401', (_review, res) => void res.writeHead(401).end())
    hook.acts.set('/500', (_review, res) => void res.writeHead(500, { 'content-type': 'text/plain' }).end('broken'))
    hook.acts.set('/wordy', (_review, res) => void res.writeHead(500, { 'content-type': 'text/plain' }).end('x'.repeat(100_000)))
    hook.acts.set('/endless', (_review, res) => void res.writeHead(200).end(Buffer.alloc((1 << 20) + 1)))
    hook.acts.set('/403', (_review, res) => void res.writeHead(403).end('no'))
    hook.acts.set('/silent', () => undefined)
    hook.acts.set('/reset', (_review, res) => void res.socket?.destroy())
  })
  after(() => {
    for (const client of clients) client.close()
    hook.close()
    rmSync(folder, { recursive: true })
  })

  async function clientAt(path: string, user = '{}', timeoutMs = 30_000): Promise<RemoteClient> {
    const file = join(folder, 'config')
    const cluster = `{server: "https://127.0.0.1:${hook.port}${path}", certificate-authority-data: ${hook.caBundle}}`
    writeFileSync(
      file,
      `current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: ${cluster}}]\nusers: [{name: u, user: ${user}}]\n`,
    )
    const client = remoteClient(await readKubeconfig(file), { clock: { now: () => now }, timeoutMs })
    clients.push(client)
    return client
  }
  const fault = async (client: RemoteClient, signal = never): Promise<RemoteCallError> => {
    try {
      await client.post('{}', signal)
    } catch (error) {
      if (error instanceof RemoteCallError) return error
      throw error
    }
    throw new Error('it was answered')
  }

  it('posts JSON with its timeout and token', async () => {
    const client = await clientAt('/echo', '{token: t}')
    const { status, body } = await client.post('{"a":1}', never)
    expect([status, JSON.parse(body.toString())]).to.deep.equal([200, { got: { a: 1 } }])
    const { path, headers } = hook.requests.at(-1) ?? {}
    expect([path, headers?.authorization, headers?.['user-agent']]).to.deep.equal(['/echo?timeout=30s', 'Bearer t', 'kube-apiserver'])
  })

  it('reloads a token file after a minute, and after a rejection', async () => {
    const token = join(folder, 'token')
    writeFileSync(token, 'one')
    const client = await clientAt('/echo', '{tokenFile: token}')
    const sent = async () => {
      await client.post('{}', never)
      return hook.requests.at(-1)?.headers.authorization
    }
    writeFileSync(token, 'two\n')
    expect(await sent()).to.equal('Bearer one')
    now += 60_000
    expect(await sent()).to.equal('Bearer two')
    rmSync(token)
    now += 60_000
    expect(await sent(), 'a token whose file has gone').to.equal('Bearer two')

    writeFileSync(token, 'three')
    const refused = await clientAt('/401', '{tokenFile: token}')
    writeFileSync(token, 'four')
    expect((await fault(refused)).message).to.equal('the server has asked for the client to provide credentials')
    await fault(refused)
    expect(hook.requests.at(-1)?.headers.authorization).to.equal('Bearer four')
  })

  it('reports an unsuccessful response, and a missing one', async () => {
    const broken = await fault(await clientAt('/500'))
    expect([broken.message, broken.statusCode, broken.status?.reason]).to.deep.equal([
      'an error on the server ("broken") has prevented the request from succeeding',
      500,
      'InternalError',
    ])
    expect((await fault(await clientAt('/wordy'))).message).to.contain(`("${'x'.repeat(2048)}")`)
    expect((await fault(await clientAt('/endless'))).message).to.match(/http: response body too large$/)
    const silent = await fault(await clientAt('/silent', '{}', 50))
    expect([silent.message, silent.statusCode, silent.end]).to.deep.equal([
      `Post "https://127.0.0.1:${hook.port}/silent?timeout=0.05s": context deadline exceeded`,
      0,
      'timeout',
    ])
    const canceled = await fault(await clientAt('/silent'), AbortSignal.abort())
    expect([canceled.message, canceled.end]).to.deep.equal([
      `Post "https://127.0.0.1:${hook.port}/silent?timeout=30s": context canceled`,
      'canceled',
    ])
  })

  describe('withBackoff', () => {
    const waits: number[] = []
    const environment = { random: () => 0.5, wait: async (ms: number) => void waits.push(Math.round(ms)) }
    beforeEach(() => waits.splice(0))
    const calls = async (path: string): Promise<[number, string]> => {
      const client = await clientAt(path)
      const before = hook.requests.length
      const message = await withBackoff(webhookBackoff(500), never, () => client.post('{}', never), environment).then(
        () => '',
        (error: Error) => error.message,
      )
      return [hook.requests.length - before, message]
    }

    it('retries transient failures with increasing delays', async () => {
      expect((await calls('/500'))[0]).to.equal(5)
      expect(waits).to.deep.equal([550, 825, 1238, 1856])
      expect((await calls('/reset'))[0]).to.equal(5)
    })

    it('does not retry other failures', async () => {
      expect(await calls('/403')).to.deep.equal([1, 'no'])
      expect(waits).to.deep.equal([])
    })

    it('makes no call if the request is already canceled', async () => {
      const aborted = AbortSignal.abort()
      const message = await withBackoff(webhookBackoff(1), aborted, async () => 1, environment).catch((error: Error) => error.message)
      expect(message).to.equal('webhook call failed: context canceled')
    })
  })
})
