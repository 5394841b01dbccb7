/**
 * Cost of the steps between a request and the store, beside the same server without them, in one run: RBAC with ten
 * thousand bindings, fifty policies, a webhook, a quota in every namespace. A row has p50, p99 and the CPU of the
 * server for an operation; ratios are to the row `nothing`. Run: node --import tsx test/bench/admission.ts (after make
 * build). BINDINGS, POLICIES, NAMESPACES, OPERATIONS (a round), ROUNDS; ONLY=quotas,all: some of the servers.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebhookServer } from '../support/webhooks/webhook-server.ts'
import { openClients } from './support/clients.ts'
import { type Cluster, readCluster } from './support/cluster.ts'
import { cpuOf, median, type Rate, rateOf } from './support/load.ts'
import { type StartedBinnacle, startBinnacle } from './support/processes.ts'
import { closeConnections, inFlight, pod, send } from './support/requests.ts'

const numberOf = (name: string, preset: number): number => Number(process.env[name] ?? preset)
const BINDINGS = numberOf('BINDINGS', 10_000)
const POLICIES = numberOf('POLICIES', 50)
const NAMESPACES = numberOf('NAMESPACES', 50)
const OPERATIONS = numberOf('OPERATIONS', 1500)
const ROUNDS = numberOf('ROUNDS', 3)
const ONLY = process.env.ONLY?.split(',')
const WIDTH = 64

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const REGISTRATION = '/apis/admissionregistration.k8s.io/v1'
const namespace = (i: number): string => `ns-${i % NAMESPACES}`
const configMap = (name: string): object => ({ metadata: { name }, data: { a: 'x'.repeat(1700) } })

const scratch = mkdtempSync(join(tmpdir(), 'binnacle-bench-'))
const tokens = join(scratch, 'tokens')
writeFileSync(tokens, 'bench,bench,bench,"team"\n')
const hook = await WebhookServer.start()
hook.acts.set('/', review => {
  hook.requests.length = 0
  return { ...review, response: { uid: (review.request as { uid: string }).uid, allowed: true } }
})

type Fill = (port: number) => Promise<unknown>

/** The last of so many bindings is the one that gives the user its rights: half of all are of namespaces. */
const bindings: Fill = async port => {
  await inFlight(BINDINGS, WIDTH, i => {
    const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: `user-${i}` }]
    const body = {
      metadata: { name: `binding-${i}` },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
      subjects,
    }
    return send(port, 'POST', i % 2 === 0 ? `${RBAC}/clusterrolebindings` : `${RBAC}/namespaces/${namespace(i)}/rolebindings`, body)
  })
}

/** Half of them are about other kinds. */
const policies: Fill = async port => {
  await inFlight(POLICIES, 8, async i => {
    const [group, resource] = i % 2 === 0 ? ['', 'configmaps'] : ['apps', 'deployments']
    const rules = [
      {
        apiGroups: [group],
        apiVersions: ['v1'],
        operations: ['CREATE', 'UPDATE'],
        resources: i % 2 === 0 ? [resource, 'pods'] : [resource],
      },
    ]
    const validations = [{ expression: `object.metadata.name.size() < 200 && !object.metadata.name.startsWith("forbidden-${i}-")` }]
    const spec = { failurePolicy: 'Fail', matchConstraints: { resourceRules: rules }, validations }
    await send(port, 'POST', `${REGISTRATION}/validatingadmissionpolicies`, { metadata: { name: `policy-${i}` }, spec })
    const binding = { metadata: { name: `policy-${i}` }, spec: { policyName: `policy-${i}`, validationActions: ['Deny'] } }
    await send(port, 'POST', `${REGISTRATION}/validatingadmissionpolicybindings`, binding)
  })
}

const webhook: Fill = port =>
  send(port, 'POST', `${REGISTRATION}/validatingwebhookconfigurations`, {
    metadata: { name: 'hook' },
    webhooks: [
      {
        name: 'hook.bench.example',
        clientConfig: hook.clientConfig('/'),
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps', 'pods'] }],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  })

const quotas: Fill = port =>
  inFlight(NAMESPACES, 8, i =>
    send(port, 'POST', `/api/v1/namespaces/${namespace(i)}/resourcequotas`, {
      metadata: { name: 'quota' },
      spec: { hard: { 'count/configmaps': '1000000', pods: '1000000', 'requests.cpu': '1000000' } },
    }),
  )

const SERVERS: readonly (readonly [name: string, fills: readonly Fill[]])[] = [
  ['nothing', []],
  [`${BINDINGS} bindings`, [bindings]],
  [`${POLICIES} policies`, [policies]],
  ['webhook', [webhook]],
  ['quotas', [quotas]],
  ['all', [bindings, policies, webhook, quotas]],
]

interface Side {
  readonly name: string
  readonly server: StartedBinnacle
  readonly cluster: Cluster
  readonly rates: Map<string, Rate[]>
  /** Names of objects that are made are used once. */
  made: number
}

async function open(name: string, fills: readonly Fill[]): Promise<Side> {
  const server = await startBinnacle([`--token-auth-file=${tokens}`])
  const { port } = server
  await inFlight(NAMESPACES, 8, async i => {
    await send(port, 'POST', '/api/v1/namespaces', { metadata: { name: namespace(i) } })
    await send(port, 'POST', `/api/v1/namespaces/${namespace(i)}/configmaps`, configMap('small'))
  })
  for (const fill of fills) await fill(port)
  await send(port, 'POST', `${RBAC}/clusterrolebindings`, {
    metadata: { name: 'team' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
    subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'team' }],
  })
  await new Promise(resolve => setTimeout(resolve, 2000))
  const { cert: _, key: __, ...cluster } = readCluster(server.kubeconfig, server.pid)
  return { name, server, cluster: { ...cluster, authorization: 'Bearer bench' }, rates: new Map(), made: 0 }
}

/** Does so many operations, `width` at once, and notes what they took. */
async function measure(
  side: Side,
  what: string,
  width: number,
  each: (path: string, i: number) => readonly [method: string, path: string, body?: object],
): Promise<void> {
  const times: number[] = []
  // Those of a while ago may have been closed as idle.
  const clients = await openClients(side.cluster, 'h1', width)
  const count = width === 1 ? OPERATIONS / 3 : OPERATIONS
  const before = cpuOf(side.server.pid)
  const begun = performance.now()
  let next = 0
  await Promise.all(
    clients.map(async client => {
      while (next++ < count) {
        const i = side.made++
        const [method, path, body] = each(`/api/v1/namespaces/${namespace(i)}`, i)
        const from = performance.now()
        await client.request(method, path, body && Buffer.from(JSON.stringify(body)))
        times.push(performance.now() - from)
      }
    }),
  )
  for (const client of clients) client.close()
  const rate = rateOf(times, (performance.now() - begun) / 1000, cpuOf(side.server.pid) - before)
  side.rates.set(what, [...(side.rates.get(what) ?? []), rate])
}

async function round(side: Side): Promise<void> {
  for (const width of [1, 16]) {
    const at = (what: string): string => `${what}, ${width} at once`
    await measure(side, at('get'), width, path => ['GET', `${path}/configmaps/small?resourceVersion=0`])
    await measure(side, at('create ConfigMap'), width, (path, i) => ['POST', `${path}/configmaps`, configMap(`map-${i}`)])
    await measure(side, at('update ConfigMap'), width, (path, i) => [
      'PUT',
      `${path}/configmaps/small`,
      { ...configMap('small'), data: { i: String(i) } },
    ])
    await measure(side, at('create Pod'), width, (path, i) => ['POST', `${path}/pods`, pod(i)])
  }
}

const middle = (rates: readonly Rate[], of: keyof Rate): number => median(rates.map(rate => rate[of]))
const cell = (value: number, base: number): string => `${value.toFixed(value < 10 ? 2 : 0)} (${(value / base).toFixed(2)})`.padStart(16)

const sides: Side[] = []
try {
  for (const [name, fills] of SERVERS)
    if (name === 'nothing' || (ONLY?.some(one => name.includes(one)) ?? true)) sides.push(await open(name, fills))
  for (const side of sides) await round(side)
  for (const side of sides) side.rates.clear()
  for (let i = 0; i < ROUNDS; i++) for (const side of sides) await round(side)
  const [base] = sides
  for (const [what, without] of base?.rates ?? []) {
    console.log(`${what.padEnd(32)} ${'p50 ms'.padStart(16)} ${'p99 ms'.padStart(16)} ${'CPU µs'.padStart(16)}`)
    for (const { name, rates } of sides) {
      const mine = rates.get(what) ?? []
      const cells = (['p50', 'p99', 'cpu'] as const).map(of => cell(middle(mine, of), middle(without, of)))
      console.log(`  ${name.padEnd(30)} ${cells.join(' ')}`)
    }
  }
} finally {
  for (const { server } of sides) await server.stop()
  closeConnections()
  hook.close()
  rmSync(scratch, { recursive: true })
}
