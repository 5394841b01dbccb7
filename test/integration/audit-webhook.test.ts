import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type InProcessServer, openInProcess } from '../support/in-process-server.ts'
import { eventually } from '../support/waiting.ts'
import { WebhookServer } from '../support/webhooks/webhook-server.ts'

const POLICY = 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- {level: RequestResponse, resources: [{resources: [configmaps]}]}\n'
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'

type Event = Record<string, unknown> & { readonly auditID: string; readonly stage: string }

describe('the audit webhook', () => {
  let hook: WebhookServer
  let isDown = false
  before(async () => {
    hook = await WebhookServer.start()
    hook.acts.set('/audit', (_list, res) => {
      if (isDown) return void res.writeHead(503).end()
      return {}
    })
  })
  beforeEach(() => {
    isDown = false
    hook.requests.length = 0
  })
  after(() => hook.close())

  const open = async (...flags: string[]): Promise<InProcessServer> => {
    const cluster = `{server: "https://127.0.0.1:${hook.port}/audit", certificate-authority-data: ${hook.caBundle}}`
    const kubeconfig = `current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: ${cluster}}]\nusers: [{name: u, user: {token: t}}]\n`
    const server = await openInProcess(['--audit-policy-file=DIR/policy', '--audit-webhook-config-file=DIR/audit', ...flags], {
      policy: POLICY,
      audit: kubeconfig,
    })
    await eventually('there is a namespace', async () => (await server.send('/api/v1/namespaces/default')).status === 200)
    return server
  }
  const events = (id: string): Event[] =>
    hook.requests.flatMap(({ review }) => review.items as Event[]).filter(({ auditID }) => auditID === id)
  const create = (server: InProcessServer, id: string) =>
    server.send(CONFIG_MAPS, { method: 'POST', body: { metadata: { name: id } }, headers: { 'audit-id': id, 'user-agent': 'audited/1' } })

  it('receives each event before the request continues, in blocking mode', async () => {
    const server = await open('--audit-webhook-mode=blocking')
    expect((await create(server, 'one')).status).to.equal(201)
    expect(events('one').map(({ stage }) => stage)).to.deep.equal(['RequestReceived', 'ResponseComplete'])
    expect(events('one')[1]).to.have.nested.property('responseObject.metadata.name', 'one')
    const { path, headers, review } = hook.requests[0] ?? { path: '', headers: {}, review: {} }
    expect([path, headers.authorization, review.kind, review.apiVersion]).to.deep.equal([
      '/audit?timeout=30s',
      'Bearer t',
      'EventList',
      'audit.k8s.io/v1',
    ])
    await server.stop()
    server.remove()
  })

  it('receives events in batches, the last one at shutdown, equal to those in the log', async () => {
    const server = await open('--audit-log-path=DIR/log')
    for (const id of ['a', 'b', 'c']) await create(server, id)
    expect(hook.requests).to.deep.equal([])
    await server.stop()
    expect(hook.requests).to.have.length(1)
    const lines = readFileSync(join(server.directory, 'log'), 'utf8').split('\n').slice(0, -1)
    for (const id of ['a', 'b', 'c']) {
      const logged = lines.map((line): Event => JSON.parse(line)).filter(({ auditID }) => auditID === id)
      expect(events(id)).to.have.length(2)
      expect(events(id).map(event => ({ kind: 'Event', apiVersion: 'audit.k8s.io/v1', ...event }))).to.deep.equal(logged)
    }
    server.remove()
  })

  it('receives events again after failures, without failing a request', async () => {
    isDown = true
    const server = await open(
      '--audit-webhook-initial-backoff=10ms',
      '--audit-webhook-batch-max-size=1',
      '--audit-webhook-batch-throttle-enable=false',
    )
    expect((await create(server, 'late')).status).to.equal(201)
    await eventually('it has been asked', () => events('late').length > 2)
    isDown = false
    await eventually('nothing is lost', async () => {
      const metrics = (await server.send('/metrics')).text
      return /apiserver_audit_event_total \d+/.test(metrics) && events('late').some(({ stage }) => stage === 'ResponseComplete')
    })
    await server.stop()
    server.remove()
  })

  it('fails requests whose first event is lost, in mode blocking-strict', async () => {
    const server = await open('--audit-webhook-mode=blocking-strict', '--audit-webhook-initial-backoff=1ms')
    isDown = true
    const { status, text } = await create(server, 'lost')
    expect(status).to.equal(500)
    expect(text).to.match(/failed to store audit event/)
    isDown = false
    expect((await server.send('/metrics')).text).to.match(/apiserver_audit_error_total\{plugin="webhook"\} 1\n/)
    await server.stop()
    server.remove()
  })

  it('prevents the start if its kubeconfig is invalid', async () => {
    const refused = await openInProcess(['--audit-policy-file=DIR/policy', '--audit-webhook-config-file=DIR/audit'], {
      policy: POLICY,
      audit: '{}',
    }).then(
      () => '',
      (error: Error) => error.message,
    )
    expect(refused).to.equal(
      'initializing audit webhook: invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable',
    )
  })
})
