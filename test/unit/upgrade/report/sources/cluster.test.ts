import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Json } from '../../../../../src/api/meta/object.ts'
import { readKubeconfig } from '../../../../../src/clients/cluster-access.ts'
import { ArgumentError } from '../../../../../src/lib/arguments.ts'
import { runReport } from '../../../../../src/upgrade/report-command.ts'

const budget = (name: string, apiVersion: string): Json => ({
  metadata: {
    name,
    namespace: 'shop',
    managedFields: [{ manager: 'helm', operation: 'Update', apiVersion, time: '2024-01-01T00:00:00Z' }],
  },
  spec: { selector: { matchLabels: { a: 'b' } } },
})

const resource = (name: string, kind: string): Json => ({ name, kind, namespaced: true, verbs: ['get', 'list'] })

/** Responses of a server of 1.24, by path and query. */
const ANSWERS: Readonly<Record<string, Json>> = {
  '/version': { gitVersion: 'v1.24.17-eks' },
  '/apis': {
    groups: [
      { preferredVersion: { groupVersion: 'policy/v1' }, versions: [{ groupVersion: 'policy/v1' }, { groupVersion: 'policy/v1beta1' }] },
      { preferredVersion: { groupVersion: 'apps/v1' }, versions: [{ groupVersion: 'apps/v1' }] },
    ],
  },
  '/api/v1': {
    resources: [resource('pods', 'Pod'), resource('pods/log', 'Pod'), resource('events', 'Event'), resource('secrets', 'Secret')],
  },
  '/apis/policy/v1': { resources: [resource('poddisruptionbudgets', 'PodDisruptionBudget')] },
  '/apis/policy/v1beta1': {
    resources: [resource('poddisruptionbudgets', 'PodDisruptionBudget'), resource('podsecuritypolicies', 'PodSecurityPolicy')],
  },
  '/apis/apps/v1': { resources: [resource('deployments', 'Deployment')] },
  // A list whose continue token leads in a circle.
  '/apis/apps/v1/deployments?limit=250': { metadata: { continue: 'x' }, items: [] },
  '/apis/apps/v1/deployments?limit=250&continue=x': { metadata: { continue: 'x' }, items: [] },
  '/api/v1/pods?limit=250': {
    items: [
      {
        metadata: {
          name: 'web-1',
          ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u', controller: true }],
        },
        spec: { nodeSelector: { 'beta.kubernetes.io/os': 'linux' }, containers: [] },
      },
    ],
  },
  '/apis/policy/v1/poddisruptionbudgets?limit=250': { metadata: { continue: 'a b' }, items: [budget('one', 'policy/v1')] },
  '/apis/policy/v1/poddisruptionbudgets?limit=250&continue=a%20b': { items: [budget('two', 'policy/v1beta1')] },
  '/apis/policy/v1beta1/podsecuritypolicies?limit=250': { items: [{ metadata: { name: 'restricted' }, spec: {} }] },
}

const METRICS = `# TYPE apiserver_requested_deprecated_apis gauge
apiserver_requested_deprecated_apis{group="policy",removed_release="1.25",resource="poddisruptionbudgets",subresource="",version="v1beta1"} 1
apiserver_requested_deprecated_apis{group="",removed_release="",resource="componentstatuses",subresource="",version="v1"} 1
`

describe('upgrade report of a server', () => {
  let folder: string
  let server: Server
  let kubeconfig: string
  const asked: string[] = []
  before(async () => {
    server = createServer((request, response) => {
      asked.push(`${request.headers.authorization} ${request.url}`)
      const answer = ANSWERS[request.url ?? '']
      if (request.url === '/metrics') response.end(METRICS)
      else if (answer !== undefined) response.end(JSON.stringify(answer))
      else response.writeHead(403).end('{"kind":"Status","message":"secrets is forbidden"}')
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    folder = mkdtempSync(join(tmpdir(), 'binnacle-cluster-'))
    kubeconfig = join(folder, 'config')
    writeFileSync(join(folder, 'token'), 'secret\n')
    writeFileSync(
      kubeconfig,
      `current-context: a
contexts: [{name: a, context: {cluster: c, user: u}}, {name: exec, context: {cluster: c, user: x}}]
clusters: [{name: c, cluster: {server: "http://127.0.0.1:${port}"}}]
users: [{name: u, user: {tokenFile: token}}, {name: x, user: {exec: {command: aws}}}]
`,
    )
  })
  after(() => {
    server.close()
    rmSync(folder, { recursive: true })
  })

  it('reads every resource in pages, and reports which clients wrote removed versions', async () => {
    const out: string[] = []
    const status = await runReport(['--kubeconfig', kubeconfig, '--to', '1.25', '-o', 'json'], {
      out: text => void out.push(text),
      err: () => {},
    })
    const { from, objects, findings } = JSON.parse(out.join(''))
    expect({ status, from, objects }).to.deep.equal({ status: 1, from: '1.24', objects: 3 })
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    type Row = { level: string; rule: string; subject: string; place: { source: string }; usages?: unknown }
    expect(
      findings.map(({ level, rule, subject, place: { source }, usages }: Row) => [
        level,
        rule,
        subject,
        source.replace(origin, ''),
        ...(usages ? [usages] : []),
      ]),
    ).to.deep.equal([
      [
        'blocking',
        'removed-version',
        'PodDisruptionBudget shop/two',
        '/apis/policy/v1/namespaces/shop/poddisruptionbudgets/two',
        [{ by: 'helm', apiVersion: 'policy/v1beta1', time: '2024-01-01T00:00:00Z' }],
      ],
      ['blocking', 'removed-version', 'PodSecurityPolicy restricted', '/apis/policy/v1beta1/podsecuritypolicies/restricted'],
      ['blocking', 'requested-version', 'policy/v1beta1/poddisruptionbudgets', '/metrics'],
      ['warning', 'unreadable', '/api/v1/secrets', ''],
      ['warning', 'unreadable', '/apis/apps/v1/deployments', ''],
      ['warning', 'requested-version', 'v1/componentstatuses', '/metrics'],
    ])
    expect(asked.every(each => each.startsWith('Bearer secret '))).to.equal(true)
    expect(asked.some(each => each.includes('/events'))).to.equal(false)
  })

  it('replaces counts of the metrics with the callers of an audit log', async () => {
    const log = join(folder, 'audit.log')
    const objectRef = { apiGroup: 'policy', apiVersion: 'v1beta1', resource: 'poddisruptionbudgets' }
    const annotations = { 'k8s.io/deprecated': 'true', 'k8s.io/removed-release': '1.25' }
    writeFileSync(
      log,
      `${JSON.stringify({ kind: 'Event', stage: 'ResponseComplete', user: { username: 'jane' }, userAgent: 'helm', objectRef, annotations })}\n`,
    )
    const out: string[] = []
    await runReport(['--kubeconfig', kubeconfig, '--to=1.25', '--audit-log', log, '-o=json'], {
      out: text => void out.push(text),
      err: () => {},
    })
    type Row = { rule: string; subject: string; usages?: readonly { by: string }[] }
    const asked = (JSON.parse(out.join('')).findings as Row[]).filter(({ rule }) => rule === 'requested-version')
    expect(asked.map(({ subject, usages = [] }) => [subject, ...usages.map(({ by }) => by)])).to.deep.equal([
      ['policy/v1beta1/poddisruptionbudgets', 'jane with helm (1 request)'],
      ['v1/componentstatuses'],
    ])
  })

  it('reports unsupported settings of a kubeconfig', () => {
    expect(() => readKubeconfig(kubeconfig, 'exec')).to.throw(ArgumentError, /credential plugins are not supported/)
    expect(() => readKubeconfig(kubeconfig, 'none')).to.throw(ArgumentError, /context "none" does not exist/)
    expect(() => readKubeconfig(join(folder, 'missing'))).to.throw(ArgumentError, /--kubeconfig .*missing: ENOENT/)
  })
})
