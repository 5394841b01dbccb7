import { expect } from 'chai'
import type { KubeObject } from '../../../src/api/meta/object.ts'
import { builtinRegistry } from '../../support/builtin-registry.ts'
import { serverOver } from '../../support/connect-world.ts'
import type { TestServer } from '../../support/server.ts'
import type { TestRegistry } from '../../support/test-registry.ts'

const pods = '/api/v1/namespaces/ns/pods'

describe('evictions over HTTP', () => {
  let t: TestRegistry
  let server: TestServer
  before(async () => {
    t = builtinRegistry()
    server = await serverOver(t, { addressTypes: [], port: 1 })
  })
  after(() => server.close())

  const make = async (group: string, resource: string, object: object, status: object): Promise<void> => {
    const { metadata } = object as KubeObject
    await t.access().create({ group, resource }, 'ns', object as KubeObject)
    await t
      .access()
      .update({ group, resource }, 'ns', metadata.name as string, found => Object.assign(found, { status }), { subresource: 'status' })
  }
  const pod = (name: string, app: string) =>
    make(
      '',
      'pods',
      {
        kind: 'Pod',
        apiVersion: 'v1',
        metadata: { name, namespace: 'ns', labels: { app } },
        spec: { containers: [{ name: 'c', image: 'i:1' }] },
      },
      { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    )
  const budget = (name: string, app: string, disruptionsAllowed: number, observedGeneration = 1) =>
    make(
      'policy',
      'poddisruptionbudgets',
      {
        kind: 'PodDisruptionBudget',
        apiVersion: 'policy/v1',
        metadata: { name, namespace: 'ns' },
        spec: { minAvailable: 1, selector: { matchLabels: { app } } },
      },
      { observedGeneration, disruptionsAllowed, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
    )
  const evict = async (name: string, apiVersion = 'policy/v1') => {
    const body = JSON.stringify({ kind: 'Eviction', apiVersion, metadata: { name, namespace: 'ns' } })
    const answer = await server.plain(`${pods}/${name}/eviction`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    return { status: answer.status, retryAfter: answer.headers['retry-after'], body: JSON.parse(answer.body.toString()) as object }
  }
  const refused = (message: string, details: object) => ({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: 'TooManyRequests',
    details,
    code: 429,
  })
  const DENIED = "Cannot evict pod as it would violate the pod's disruption budget."

  for (const apiVersion of ['policy/v1', 'policy/v1beta1'])
    it(`accept a body of ${apiVersion}`, async () => {
      await pod('free', 'free')
      expect(await evict('free', apiVersion)).to.deep.equal({
        status: 201,
        retryAfter: undefined,
        body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
      })
      expect((await server.plain(`${pods}/free`)).status).to.equal(404)
    })

  it('refuse other bodies', async () => {
    await pod('other', 'other')
    expect((await evict('other', 'policy/v2')).status).to.equal(400)
  })

  it('get 429 while the budget allows none', async () => {
    await pod('held', 'held')
    await budget('held', 'held', 0)
    const causes = [{ reason: 'DisruptionBudget', message: 'The disruption budget held needs 1 healthy pods and has 1 currently' }]
    expect(await evict('held')).to.deep.equal({ status: 429, retryAfter: undefined, body: refused(DENIED, { causes }) })
  })

  it('get 429 with Retry-After while the budget is not observed yet', async () => {
    await pod('fresh', 'fresh')
    await budget('fresh', 'fresh', 1, 0)
    const causes = [{ reason: 'DisruptionBudget', message: 'The disruption budget fresh is still being processed by the server.' }]
    expect(await evict('fresh')).to.deep.equal({ status: 429, retryAfter: '10', body: refused(DENIED, { causes, retryAfterSeconds: 10 }) })
  })

  it('get 500 if budgets overlap', async () => {
    await pod('both', 'both')
    await budget('one', 'both', 1)
    await budget('two', 'both', 1)
    const { status, body } = await evict('both')
    expect(status).to.equal(500)
    expect(body).to.include({ message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.' })
  })

  it('never exceed the budget, however many are requested concurrently', async () => {
    for (let i = 0; i < 6; i++) await pod(`many-${i}`, 'many')
    await budget('many', 'many', 2)
    const answers = await Promise.all(Array.from({ length: 6 }, (_, i) => evict(`many-${i}`)))
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 201, 429, 429, 429, 429])
  })
})
