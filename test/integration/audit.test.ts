import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type InProcessServer, openInProcess, type SentRequest } from '../support/in-process-server.ts'
import { eventually } from '../support/waiting.ts'

interface AuditedRequest {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly body?: string
  readonly token: string
  readonly headers: Record<string, string>
  readonly events: readonly unknown[]
}

type Event = Record<string, unknown> & { readonly auditID: string; readonly stage: string }

const fixture = (name: string): string => readFileSync(join(import.meta.dirname, '../fixtures/audit', name), 'utf8')
const RECORDED: readonly AuditedRequest[] = JSON.parse(fixture('events-1.33.json'))
const BY_POLICY: readonly AuditedRequest[] = JSON.parse(fixture('events-by-policy-1.33.json'))
const TOKENS = 'admin,admin,admin,system:masters\nalice,alice,alice,dev\n'
const EVERYTHING = 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: RequestResponse\n'
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const CONFIG_MAPS = '/api/v1/namespaces/audited/configmaps'

/** Returns the members except those that depend on the speed of the machine. */
const membersOf = (value: object): [string, unknown][] =>
  Object.entries(value).filter(([name]) => name !== 'apiserver.latency.k8s.io/total')

/** Normalizes a value like the fixture. */
function normal(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map(item => normal(item, key))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(membersOf(value).map(([name, member]) => [name, normal(member, name)]))
  if (typeof value !== 'string') return value
  if (['resourceVersion', 'creationTimestamp', 'time'].includes(key) || key.endsWith('Timestamp')) return value === '1' ? value : '*'
  return value.replaceAll(UUID, 'UUID').replace(/gen-\w{5}$/, 'gen-*')
}

/** A server with an audit log, and what is in it. */
interface AuditedServer extends InProcessServer {
  ask(request: Pick<AuditedRequest, 'method' | 'path'> & Partial<AuditedRequest>, id: string): Promise<void>
  /** Lines of the log; every one of them is an event. */
  lines(): string[]
  eventsOf(id: string): Event[]
}

async function openAudited(policy: string, ...flags: string[]): Promise<AuditedServer> {
  const server = await openInProcess(['--audit-policy-file=DIR/policy', '--audit-log-path=DIR/logs/audit.log', ...flags], {
    policy,
    tokens: TOKENS,
  })
  const lines = (): string[] => readFileSync(join(server.directory, 'logs/audit.log'), 'utf8').split('\n').slice(0, -1)
  const ask: AuditedServer['ask'] = async ({ method, path, body, token = 'admin', headers = {} }, id) => {
    const sent: SentRequest = {
      method,
      token,
      headers: { 'user-agent': 'audited/1', 'audit-id': id, ...headers },
      ...(body !== undefined && { text: body }),
    }
    await server.send(path, sent)
  }
  await server.send('/api/v1/namespaces', {
    method: 'POST',
    body: { metadata: { name: 'audited' } },
    headers: { 'user-agent': 'audited/1' },
  })
  return {
    ...server,
    ask,
    lines,
    eventsOf: id =>
      lines()
        .map((line): Event => JSON.parse(line))
        .filter(({ auditID }) => auditID === id),
  }
}

const stop = async (server: AuditedServer): Promise<void> => {
  await server.stop()
  server.remove()
}

const create = (name: string, length = 0) => ({
  method: 'POST',
  path: CONFIG_MAPS,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ metadata: { name }, data: { filler: 'x'.repeat(length) } }),
})

describe('the audit log', () => {
  describe('with a policy of many levels', () => {
    let server: AuditedServer
    before(async () => {
      server = await openAudited(fixture('policy.yaml'))
      for (const name of ['none', 'meta', 'req', 'omit', 'late', 'rr'])
        await server.send('/api/v1/namespaces', { method: 'POST', body: { metadata: { name } }, headers: { 'user-agent': 'audited/1' } })
    })
    after(() => stop(server))

    for (const [index, request] of BY_POLICY.entries())
      it(`contains the events of kube-apiserver: ${request.name}`, async () => {
        const id = `by-policy-${index}`
        await server.ask(request, id)
        await eventually('all events', () => server.eventsOf(id).length >= request.events.length)
        const events = server.eventsOf(id).map(event => normal({ ...event, auditID: 'ID' }))
        expect(JSON.stringify(events, undefined, 1)).to.equal(JSON.stringify(request.events, undefined, 1))
      })
  })

  describe('with a policy for everything', () => {
    let server: AuditedServer
    before(async () => {
      server = await openAudited(EVERYTHING)
    })
    after(() => stop(server))

    for (const [index, request] of RECORDED.entries())
      it(`contains the events of kube-apiserver: ${request.name}`, async () => {
        const id = `recorded-${index}`
        await server.ask(request, id)
        await eventually('all events', () => server.eventsOf(id).length >= request.events.length)
        const events = server.eventsOf(id).map(event => normal({ ...event, auditID: 'ID' }))
        expect(JSON.stringify(events, undefined, 1)).to.equal(JSON.stringify(request.events, undefined, 1))
      })

    it('contains the event of a request before its response, in a file of mode 0600', async () => {
      await server.ask(create('order'), 'order')
      expect(server.eventsOf('order').map(({ stage }) => stage)).to.deep.equal(['RequestReceived', 'ResponseComplete'])
      expect(statSync(join(server.directory, 'logs/audit.log')).mode & 0o777).to.equal(0o600)
    })
    it('records a YAML patch as JSON, and omits one that cannot be parsed', async () => {
      const headers = { 'content-type': 'application/apply-patch+yaml' }
      const body = 'apiVersion: v1\nkind: ConfigMap\ndata:\n  q: "1"\n'
      await server.ask({ method: 'PATCH', path: `${CONFIG_MAPS}/yaml?fieldManager=x`, headers, body }, 'yaml')
      expect(server.eventsOf('yaml')[1]).to.deep.include({ requestObject: { apiVersion: 'v1', kind: 'ConfigMap', data: { q: '1' } } })
      const bad = {
        method: 'PATCH',
        path: `${CONFIG_MAPS}/yaml`,
        headers: { 'content-type': 'application/merge-patch+json' },
        body: '{"a":\n"b"',
      }
      await server.ask(bad, 'bad')
      expect(server.eventsOf('bad')[1]).to.include({ stage: 'ResponseComplete' }).and.not.to.have.property('requestObject')
    })
    it('records discovery in every form', async () => {
      await server.ask({ method: 'GET', path: '/apis', headers: { accept: 'application/vnd.kubernetes.protobuf' } }, 'apis')
      expect(server.eventsOf('apis')[1]).to.have.nested.property('responseObject.kind', 'APIGroupList')
    })
    it('records the use of deprecated versions', async () => {
      await server.ask({ method: 'GET', path: '/api/v1/componentstatuses' }, 'deprecated')
      expect(server.eventsOf('deprecated')[1]?.annotations).to.include({ 'k8s.io/deprecated': 'true' })
    })
    it('records the ids of issued tokens and of presented ones', async () => {
      const path = '/api/v1/namespaces/audited/serviceaccounts'
      await server.send(path, { method: 'POST', body: { metadata: { name: 'bot' } } })
      const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
      const answer = await server.send(`${path}/bot/token`, { method: 'POST', body, headers: { 'audit-id': 'issue' } })
      await server.ask({ method: 'GET', path: '/version', token: JSON.parse(answer.text).status.token }, 'bot')
      const id: unknown = (server.eventsOf('issue')[1]?.annotations as Record<string, string> | undefined)?.[
        'authentication.kubernetes.io/issued-credential-id'
      ]
      expect(id).to.match(/^JTI=[0-9a-f-]{36}$/)
      expect(server.eventsOf('bot')[1]).to.have.deep.nested.property('user.extra', { 'authentication.kubernetes.io/credential-id': [id] })
    })
    it('records the use of deprecated versions of custom resources, as the metrics do', async () => {
      const names = { plural: 'olds', singular: 'old', kind: 'Old', listKind: 'OldList' }
      const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
      const versions = [{ name: 'v1beta1', served: true, storage: true, deprecated: true, schema }]
      const definition = {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'olds.audited.example.com' },
        spec: { group: 'audited.example.com', scope: 'Namespaced', names, versions },
      }
      await server.send('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { method: 'POST', body: definition })
      const path = '/apis/audited.example.com/v1beta1/namespaces/audited/olds'
      await eventually('the kind is served', async () => (await server.send(path)).status === 200)
      await server.ask({ method: 'GET', path }, 'custom')
      expect(server.eventsOf('custom')[1]?.annotations)
        .to.include({ 'k8s.io/deprecated': 'true' })
        .and.not.to.have.property('k8s.io/removed-release')
      expect((await server.send('/metrics')).text).to.include(
        'apiserver_requested_deprecated_apis{group="audited.example.com",version="v1beta1",resource="olds",subresource="",removed_release=""} 1',
      )
    })
    it('contains one event per line, whatever the values', async () => {
      await server.ask({ method: 'GET', path: `${CONFIG_MAPS}?pretty=1`, headers: { 'user-agent': 'a {"kind":"Event"}' } }, 'lines')
      for (const line of server.lines()) expect(JSON.parse(line)).to.include({ kind: 'Event' })
    })
  })

  describe('with a policy of specific rules', () => {
    let server: AuditedServer
    before(async () => {
      server = await openAudited(`apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
omitManagedFields: true
rules:
- {level: None, verbs: [get], users: [admin]}
- {level: Metadata, resources: [{resources: [secrets]}]}
- {level: Request, verbs: [delete], omitStages: [ResponseComplete]}
- {level: RequestResponse, namespaces: [audited]}
`)
    })
    after(() => stop(server))

    it('omits events that no rule selects', async () => {
      await server.ask({ method: 'GET', path: CONFIG_MAPS.concat('/none') }, 'none')
      await server.ask({ method: 'GET', path: '/version', token: 'alice' }, 'unmatched')
      await server.ask({ method: 'DELETE', path: `${CONFIG_MAPS}/none` }, 'stages')
      expect([...server.eventsOf('none'), ...server.eventsOf('unmatched'), ...server.eventsOf('stages')]).to.deep.equal([])
    })
    it('contains no secret', async () => {
      const secret = {
        ...create('s'),
        path: '/api/v1/namespaces/audited/secrets',
        body: '{"metadata":{"name":"s"},"stringData":{"a":"hidden"}}',
      }
      await server.ask(secret, 'secret')
      const [event] = server.eventsOf('secret')
      expect(event).to.include({ level: 'Metadata' }).and.not.to.have.any.keys('requestObject', 'responseObject')
      expect(event).to.have.nested.property('objectRef.name', 's')
      expect(server.lines().join('\n')).not.to.include('hidden')
    })
    it('omits managed fields of objects and lists', async () => {
      await server.ask(create('unmanaged'), 'object')
      await server.ask({ method: 'GET', path: `${CONFIG_MAPS}?limit=500` }, 'list')
      const [object] = server.eventsOf('object')
      const [list] = server.eventsOf('list')
      expect(object).to.have.nested.property('responseObject.metadata.name', 'unmanaged')
      expect(list).to.have.nested.property('responseObject.items[0].metadata.name')
      expect(JSON.stringify([object, list])).not.to.include('managedFields')
    })
  })

  it('is rotated, and records lists of megabytes', async () => {
    const server = await openAudited(EVERYTHING, '--audit-log-maxsize=2', '--audit-log-maxbackup=1', '--audit-log-compress')
    for (let i = 0; i < 3; i++) await server.ask(create(`large-${i}`, 500_000), `large-${i}`)
    await server.ask({ method: 'GET', path: CONFIG_MAPS }, 'list')
    const event = server.eventsOf('list').find(({ stage }) => stage === 'ResponseComplete')
    expect(event).to.have.nested.property('responseObject.items').with.length(4)
    const directory = join(server.directory, 'logs')
    await eventually(
      'one log is kept, compressed',
      () => readdirSync(directory).filter(name => /^audit-[\dT.-]+\.log\.gz$/.test(name)).length === 1,
    )
    await server.stop()
    expect(readdirSync(directory)).to.have.length(2)
    server.remove()
  })

  for (const [mode, status] of [
    ['blocking', 200],
    ['blocking-strict', 500],
  ] as const)
    it(`${status === 200 ? 'fails no' : 'fails each'} request in mode ${mode} if it cannot be written`, async () => {
      const server = await openAudited(
        'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- {level: Metadata, verbs: [get]}\n',
        `--audit-log-mode=${mode}`,
        '--audit-log-maxsize=1',
      )
      // No file has room for an event of more than a megabyte.
      const answer = await server.send(`/version?${'<'.repeat(300_000)}`)
      expect(answer.status).to.equal(status)
      if (status === 500) expect(answer.text).to.match(/^Internal Server Error: .*: failed to store audit event\n$/)
      await stop(server)
    })
})
