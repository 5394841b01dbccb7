import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { seededRandom } from '../../src/lib/seeded-random.ts'
import { type ApiSession, apiSession } from '../support/api-session.ts'
import { encryptionFile, identityProvider, providerOf } from '../support/encryption-config.ts'
import { type EtcdServer, findEtcd, startEtcd } from '../support/etcd.ts'
import { findKubeApiserver, type KubeApiserver, startKubeApiserver } from '../support/kube-apiserver.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'
import { eventually } from '../support/waiting.ts'

const SEED = Number(process.env.SEED ?? 17)
const ROUNDS = Number(process.env.ROUNDS ?? 400)
const NAMES = ['a', 'b', 'c']

interface Kind {
  /** Paths of the collection. Objects are written through any of them. */
  readonly paths: readonly string[]
  readonly kind: string
  /** Returns the random part of an object, without metadata. */
  readonly body: (random: () => number) => Record<string, unknown>
  /** Returns the content of a merge patch. */
  readonly change: (random: () => number) => Record<string, unknown>
  readonly hasStatus?: Record<string, unknown>
}

const pick = <T>(random: () => number, items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
const template = (random: () => number) => ({
  metadata: { labels: { app: 'x' } },
  spec: {
    containers: [
      { name: 'a', image: `i:${Math.floor(random() * 9)}`, resources: { requests: { cpu: pick(random, ['100m', '0.1', '1']) } } },
    ],
  },
})

const KINDS: readonly Kind[] = [
  {
    paths: ['/api/v1/namespaces/default/configmaps'],
    kind: 'ConfigMap',
    body: random => ({ data: { a: `<ü ${random()}>`, b: '\u2028' }, binaryData: { c: 'AAEC' } }),
    change: random => ({ data: { a: null, [`k${Math.floor(random() * 5)}`]: String(random()) } }),
  },
  {
    paths: ['/api/v1/namespaces/default/secrets'],
    kind: 'Secret',
    body: random => ({ stringData: { a: String(random()) } }),
    change: random => ({ stringData: { b: String(random()) }, metadata: { annotations: { x: String(random()) } } }),
  },
  {
    paths: ['/apis/apps/v1/namespaces/default/deployments'],
    kind: 'Deployment',
    body: random => ({ spec: { replicas: Math.floor(random() * 9), selector: { matchLabels: { app: 'x' } }, template: template(random) } }),
    change: random => ({ spec: { replicas: Math.floor(random() * 9), template: template(random) } }),
    hasStatus: { observedGeneration: 1, replicas: 3 },
  },
  {
    paths: ['/api/v1/namespaces/default/services'],
    kind: 'Service',
    body: random => ({
      spec: { type: pick(random, ['ClusterIP', 'NodePort']), ports: [{ port: 80, name: 'a' }], selector: { a: String(random()) } },
    }),
    change: random => ({ spec: { ports: [{ port: 80 + Math.floor(random() * 9), name: 'a' }] } }),
  },
  {
    paths: [
      '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers',
      '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
    ],
    kind: 'HorizontalPodAutoscaler',
    body: random => ({
      spec: {
        maxReplicas: 9,
        minReplicas: 1 + Math.floor(random() * 5),
        scaleTargetRef: { kind: 'Deployment', name: 'a', apiVersion: 'apps/v1' },
      },
    }),
    change: random => ({ spec: { maxReplicas: 10 + Math.floor(random() * 9) } }),
  },
  {
    paths: ['/apis/coordination.k8s.io/v1/namespaces/default/leases'],
    kind: 'Lease',
    body: random => ({ spec: { holderIdentity: String(random()), renewTime: '2024-01-01T00:00:00.000001Z' } }),
    change: random => ({ spec: { leaseTransitions: Math.floor(random() * 9) } }),
  },
  {
    paths: ['/apis/shop.example.com/v1/namespaces/default/widgets', '/apis/shop.example.com/v2/namespaces/default/widgets'],
    kind: 'Widget',
    body: random => ({ spec: { size: Math.floor(random() * 9), any: { z: [1, 2.5, 'x'], a: { b: null } } } }),
    change: random => ({ spec: { size: Math.floor(random() * 99), any: { a: random() } } }),
    hasStatus: { phase: 'Ready' },
  },
]

const versionOf = (path: string): string => path.replace(/^\/apis?\/(.*)\/namespaces.*/, '$1')

const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.shop.example.com' },
  spec: {
    group: 'shop.example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: ['v1', 'v2'].map(name => ({
      name,
      served: true,
      storage: name === 'v1',
      subresources: { status: {} },
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: {
            spec: {
              type: 'object',
              properties: {
                size: { type: 'integer' },
                color: { type: 'string', default: 'red' },
                any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
              },
            },
            status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      },
    })),
  },
}

const program = findKubeApiserver()
const missing = program === undefined ? '$KUBE_APISERVER names none' : findEtcd() === undefined ? 'there is no etcd' : undefined

;(missing === undefined ? describe : describe.skip)(
  `an etcd shared with kube-apiserver${missing === undefined ? '' : ` (skipped: ${missing})`}`,
  function () {
    this.timeout(600_000)
    for (const storedAs of ['json', 'vnd.kubernetes.protobuf'])
      describe(`if this program writes ${storedAs}`, () => {
        let directory: string
        let etcd: EtcdServer
        let theirs: KubeApiserver
        let ours: ServerProcess
        let sessions: Record<'ours' | 'theirs', ApiSession>
        before(async () => {
          directory = mkdtempSync(join(tmpdir(), 'binnacle-'))
          const encryption = join(directory, 'encryption.json')
          writeFileSync(encryption, encryptionFile(['secrets', 'widgets.shop.example.com'], providerOf('aesgcm', 'key'), identityProvider))
          etcd = await startEtcd()
          const flags = ['--encryption-provider-config', encryption, '--service-cluster-ip-range', '10.0.0.0/16']
          theirs = await startKubeApiserver(program ?? '', etcd.url, flags)
          ours = await createServerProcess([
            '--profile=apiserver',
            '--etcd-servers',
            etcd.url,
            `--storage-media-type=application/${storedAs}`,
            ...flags,
          ])
          await ours.start()
          sessions = { ours: apiSession(ours.url), theirs: apiSession(theirs.url, theirs.access) }
          expect((await sessions.ours.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', DEFINITION)).status).to.equal(
            201,
          )
          for (const session of Object.values(sessions))
            for (const path of KINDS.flatMap(({ paths }) => paths)) while ((await session.ask('GET', path)).status !== 200) await sleep(100)
        })
        after(async () => {
          await ours?.stop()
          await theirs?.stop()
          await etcd?.stop()
          rmSync(directory, { recursive: true })
        })

        it(`shows each server the writes of the other (SEED=${SEED})`, async () => {
          const random = seededRandom(SEED)
          const paths = KINDS.flatMap(each => each.paths)
          const from = JSON.parse((await sessions.theirs.ask('GET', '/api/v1/configmaps')).text).metadata.resourceVersion
          const watches = paths.map(path => {
            const query = `${path}?watch=1&resourceVersion=${from}`
            return { path, ours: sessions.ours.watch(query), theirs: sessions.theirs.watch(query) }
          })
          const statuses = new Map<string, number>()
          for (let i = 0; i < ROUNDS; i++) {
            const who = pick(random, ['ours', 'theirs'] as const)
            const { status, what } = await writeSome(sessions[who], random)
            const key = `${who} ${what} ${status}`
            statuses.set(key, (statuses.get(key) ?? 0) + 1)
            // Conflicts may come of it, what is there or is not, and what does not go together.
            expect(status, `round ${i}: ${key}`).to.be.oneOf([200, 201, 404, 409, 422])
          }
          for (const path of paths) {
            const [one, other] = [await listed(sessions.ours, path), await listed(sessions.theirs, path)]
            expect(one, path).to.deep.equal(other)
          }
          for (const { path, ours: one, theirs: other } of watches) {
            await eventually(`as many events from both: ${path}`, () => one.lines.length === other.lines.length)
            expect(one.lines.length, path).to.be.greaterThan(5)
            expect(
              one.lines.map(line => JSON.parse(line)),
              path,
            ).to.deep.equal(other.lines.map(line => JSON.parse(line)))
            one.close()
            other.close()
          }
          expect([...statuses.keys()].filter(key => /20[01]$/.test(key)).length, 'kinds of writes that were done').to.be.greaterThan(10)
        })
      })
  },
)

/** The present list. */
async function listed(session: ApiSession, path: string): Promise<unknown> {
  const { items, kind, apiVersion } = JSON.parse((await session.ask('GET', path)).text)
  return { items, kind, apiVersion }
}

/** One write: which it was, and what came of it. */
async function writeSome(session: ApiSession, random: () => number): Promise<{ status: number; what: string }> {
  const kind = pick(random, KINDS)
  const path = pick(random, kind.paths)
  const name = pick(random, NAMES)
  const what = pick(random, ['create', 'create', 'update', 'patch', 'apply', 'apply', 'status', 'delete'])
  const identity = { apiVersion: versionOf(path), kind: kind.kind }
  const metadata = { name, labels: { n: String(Math.floor(random() * 5)) } }
  const own = `${path}/${name}`
  const answer = await (() => {
    switch (what) {
      case 'create':
        return session.ask('POST', path, {
          ...identity,
          metadata: { ...metadata, finalizers: random() < 0.1 ? ['example.com/keep'] : [] },
          ...kind.body(random),
        })
      case 'update':
        return session.ask('GET', own).then(({ status, text }) => {
          if (status !== 200) return { status, text }
          const read = JSON.parse(text)
          return session.ask('PUT', own, { ...read, metadata: { ...read.metadata, labels: metadata.labels, finalizers: [] } })
        })
      case 'patch':
        return session.ask('PATCH', own, kind.change(random), 'application/merge-patch+json')
      case 'apply': {
        const manager = pick(random, ['one', 'two'])
        return session.ask(
          'PATCH',
          `${own}?fieldManager=${manager}&force=${random() < 0.7}`,
          { ...identity, metadata, ...kind.body(random) },
          'application/apply-patch+yaml',
        )
      }
      case 'status':
        return session.ask(
          'PATCH',
          `${own}${kind.hasStatus ? '/status' : ''}`,
          { metadata: { annotations: { s: String(random()) } }, ...(kind.hasStatus && { status: kind.hasStatus }) },
          'application/merge-patch+json',
        )
      default:
        return session.ask('DELETE', own, random() < 0.3 ? { propagationPolicy: 'Orphan' } : undefined)
    }
  })()
  return { status: answer.status, what: `${what} ${kind.kind}${answer.status > 422 || answer.status === 400 ? ` ${answer.text}` : ''}` }
}
