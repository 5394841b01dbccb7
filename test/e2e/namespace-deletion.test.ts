import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { AnyObject } from '../support/any-object.ts'
import type { JsonAnswer, JsonClient } from '../support/json-client.ts'
import { configMap } from '../support/load.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { withServer } from '../support/suite-server.ts'

const NAMESPACE = '/api/v1/namespaces/doomed'
const PATIENCE_MS = 120_000

const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
const content: readonly [string, AnyObject][] = [
  ...Array.from({ length: 20 }, (_, n): [string, AnyObject] => [`${NAMESPACE}/configmaps`, configMap(`c${n}`, {})]),
  [
    `${NAMESPACE}/services`,
    { kind: 'Service', apiVersion: 'v1', metadata: { name: 's' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } },
  ],
  [`${NAMESPACE}/secrets`, { kind: 'Secret', apiVersion: 'v1', metadata: { name: 's' } }],
  [`${NAMESPACE}/pods`, { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'unscheduled' }, spec: template.spec }],
  [
    '/apis/apps/v1/namespaces/doomed/deployments',
    { kind: 'Deployment', apiVersion: 'apps/v1', metadata: { name: 'd' }, spec: { selector: { matchLabels: { app: 'a' } }, template } },
  ],
]

describe('deletion of a namespace', () => {
  let server: ServerProcess
  let client: JsonClient
  withServer(made => {
    ;({ server, client } = made)
  })

  /** Repeats a request until the response is as wanted. Returns the last response in any case. */
  async function until(path: string, wanted: (answer: JsonAnswer) => boolean): Promise<JsonAnswer> {
    for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(50)) {
      const answer = await client.ask('GET', path)
      if (wanted(answer) || Date.now() > deadline) return answer
    }
  }

  it('deletes its content', async () => {
    await client.must('POST', '/api/v1/namespaces', { kind: 'Namespace', metadata: { name: 'doomed' } })
    for (const [path, object] of content) await client.must('POST', path, object)
    expect((await client.must('DELETE', NAMESPACE)).status.phase).to.equal('Terminating')
    expect((await until(NAMESPACE, ({ status }) => status === 404)).status).to.equal(404)
    for (const path of new Set(content.map(([collection]) => collection)))
      expect((await client.must('GET', path)).items, path).to.deep.equal([])
    const { items } = await client.must('GET', '/apis/networking.k8s.io/v1/ipaddresses')
    expect(items.filter(({ spec }: AnyObject) => spec.parentRef.namespace === 'doomed')).to.deep.equal([])
  })

  it('reports its blockers, rejects new objects, and continues after a restart', async () => {
    const held = { ...configMap('held', {}), metadata: { name: 'held', finalizers: ['example.com/hold'] } }
    await client.must('POST', '/api/v1/namespaces', { kind: 'Namespace', metadata: { name: 'doomed' } })
    await client.must('POST', `${NAMESPACE}/configmaps`, held)
    await client.must('POST', `${NAMESPACE}/configmaps`, configMap('free', {}))
    await client.must('DELETE', NAMESPACE)
    const conditions = (answer: JsonAnswer): { type: string; status: string; reason: string; message: string }[] =>
      answer.body.status?.conditions ?? []
    const stuck = await until(
      NAMESPACE,
      answer => conditions(answer).length > 0 && !JSON.stringify(conditions(answer)).includes('2 resource instances'),
    )
    expect(conditions(stuck).map(({ type, status, reason, message }) => [type, status, reason, message])).to.deep.equal([
      ['NamespaceDeletionDiscoveryFailure', 'False', 'ResourcesDiscovered', 'All resources successfully discovered'],
      ['NamespaceDeletionGroupVersionParsingFailure', 'False', 'ParsedGroupVersions', 'All legacy kube types successfully parsed'],
      ['NamespaceDeletionContentFailure', 'False', 'ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
      ['NamespaceContentRemaining', 'True', 'SomeResourcesRemain', 'Some resources are remaining: configmaps. has 1 resource instances'],
      [
        'NamespaceFinalizersRemaining',
        'True',
        'SomeFinalizersRemain',
        'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
      ],
    ])
    const refused = await client.ask('POST', `${NAMESPACE}/configmaps`, { body: configMap('new', {}) })
    expect([refused.status, refused.body.reason, refused.body.message]).to.deep.equal([
      403,
      'Forbidden',
      'configmaps "new" is forbidden: unable to create new content in namespace doomed because it is being terminated',
    ])
    expect(refused.body.details.causes[0].reason).to.equal('NamespaceTerminating')
    await server.kill()
    await server.start()
    expect((await client.must('GET', NAMESPACE)).status.phase).to.equal('Terminating')
    const released = await client.ask('PATCH', `${NAMESPACE}/configmaps/held`, {
      body: { metadata: { finalizers: null } },
      contentType: 'application/merge-patch+json',
    })
    expect(released.status).to.equal(200)
    expect((await until(NAMESPACE, ({ status }) => status === 404)).status).to.equal(404)
    expect((await client.ask('GET', `${NAMESPACE}/configmaps/held`)).status).to.equal(404)
    await client.must('POST', '/api/v1/namespaces', { kind: 'Namespace', metadata: { name: 'doomed' } })
    expect(
      (await client.must('GET', `${NAMESPACE}/configmaps`)).items.filter(({ metadata }: AnyObject) => metadata.name !== 'kube-root-ca.crt'),
    ).to.deep.equal([])
  })
})
