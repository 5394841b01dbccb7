import { expect } from 'chai'
import { startControlPlane } from '../../src/testing/start-control-plane.ts'
import type { ControlPlane, User } from '../../src/testing/types.ts'
import type { AnyObject } from '../support/any-object.ts'
import { encryptionFile, providerOf } from '../support/encryption-config.ts'
import { openInProcess } from '../support/in-process-server.ts'
import { eventually } from '../support/waiting.ts'

const HISTORY = '/binnacle/v1/history'
const CONFIG_MAPS = 'api/v1/namespaces/default/configmaps'

const configMap = (name: string, colour: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data: { colour },
})
const reader = (name: string, user: string, rules: object[]) => [
  { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  },
]

describe('the history of an object', () => {
  let plane: ControlPlane
  before(async () => {
    plane = await startControlPlane({ flags: { history: '24h' } })
  })
  after(() => plane.stop())

  const ask = async (path: string, user: User = plane): Promise<AnyObject> => {
    const { status, body } = await user.request('GET', path)
    return { ...(body as AnyObject), code: status }
  }
  const must = async (method: string, path: string, body?: object): Promise<AnyObject> => {
    const answer = await plane.request(method, path, body && { body })
    expect(answer.status, path).to.be.within(200, 201)
    return answer.body as AnyObject
  }
  const told = (items: AnyObject[]) =>
    items.map(({ type, revision, object }) => `${type} ${revision}${object ? ` ${object.data.colour}` : ''}`)

  it('contains all incarnations, as they were returned', async () => {
    const first = await must('POST', `/${CONFIG_MAPS}`, configMap('a', 'red'))
    const second = await must('PUT', `/${CONFIG_MAPS}/a`, configMap('a', 'blue'))
    await must('DELETE', `/${CONFIG_MAPS}/a`)
    const third = await must('POST', `/${CONFIG_MAPS}`, configMap('a', 'green'))
    const { items, metadata, kind } = await ask(`${HISTORY}/${CONFIG_MAPS}/a`)
    expect([kind, metadata]).to.deep.equal(['History', {}])
    const revision = ({ metadata: { resourceVersion } }: AnyObject) => String(resourceVersion)
    const deleted = Number(revision(third)) - 1
    expect(told(items)).to.deep.equal([
      `created ${revision(third)} green`,
      `deleted ${deleted}`,
      `updated ${revision(second)} blue`,
      `created ${revision(first)} red`,
    ])
    expect(items.flatMap(({ object }: AnyObject) => object ?? [])).to.deep.equal([third, second, first])
    expect(items.every(({ time }: AnyObject) => Math.abs(Date.now() - Date.parse(time)) < 60_000)).to.equal(true)
  })

  it('is paged', async () => {
    await must('POST', `/${CONFIG_MAPS}`, configMap('paged', '0'))
    for (let i = 1; i < 25; i++) await must('PUT', `/${CONFIG_MAPS}/paged`, configMap('paged', String(i)))
    const seen: string[] = []
    let pages = 0
    for (let next = ''; next !== undefined; pages++) {
      const { items, metadata } = await ask(`${HISTORY}/${CONFIG_MAPS}/paged?limit=10&continue=${next}`)
      seen.push(...items.map(({ object }: AnyObject) => object.data.colour))
      next = Object(metadata).continue
    }
    expect(pages).to.equal(3)
    expect(seen).to.deep.equal(Array.from({ length: 25 }, (_, i) => String(24 - i)))
  })

  it('is returned in the version of the path', async () => {
    const scaler = {
      metadata: { name: 's', namespace: 'default' },
      spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' } },
    }
    await must('POST', '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers', scaler)
    for (const version of ['v1', 'v2']) {
      const path = `apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers/s`
      const { items } = await ask(`${HISTORY}/${path}`)
      expect(items.map(({ object }: AnyObject) => object)).to.deep.equal([await must('GET', `/${path}`)])
      expect(items[0].object.apiVersion).to.equal(`autoscaling/${version}`)
    }
  })

  it('exists for custom kinds and for cluster-scoped objects', async () => {
    await plane.apply(
      {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'shirts.example.com' },
        spec: {
          group: 'example.com',
          scope: 'Cluster',
          names: { plural: 'shirts', kind: 'Shirt' },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: {
                openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } } },
              },
            },
          ],
        },
      },
      { apiVersion: 'example.com/v1', kind: 'Shirt', metadata: { name: 'a' }, spec: { size: 1 } },
    )
    await plane.apply({ apiVersion: 'example.com/v1', kind: 'Shirt', metadata: { name: 'a' }, spec: { size: 2 } })
    const { items } = await ask(`${HISTORY}/apis/example.com/v1/shirts/a`)
    expect(items.map(({ object }: AnyObject) => object.spec.size)).to.deep.equal([2, 1])
    expect((await ask(`${HISTORY}/api/v1/namespaces/default`)).items[0].object.kind).to.equal('Namespace')
  })

  it('requires the right to get the object', async () => {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'hidden', namespace: 'default' },
      stringData: { password: 'hunter2' },
    }
    await plane.apply(
      secret,
      ...reader('past', 'ann', [{ nonResourceURLs: ['/binnacle/*'], verbs: ['get'] }]),
      ...reader('maps', 'ann', [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['a'], verbs: ['get'] }]),
      ...reader('secrets', 'bob', [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }]),
    )
    const [ann, bob] = [await plane.user('ann'), await plane.user('bob')]
    await plane.until(async () => (await ask(`${HISTORY}/${CONFIG_MAPS}/a`, ann)).code === 200)
    const refused = await ask(`${HISTORY}/api/v1/namespaces/default/secrets/hidden`, ann)
    expect([refused.code, refused.message]).to.deep.equal([
      403,
      'secrets "hidden" is forbidden: User "ann" cannot get resource "secrets" in API group "" in the namespace "default"',
    ])
    expect((await ask(`${HISTORY}/${CONFIG_MAPS}/paged`, ann)).code).to.equal(403)
    expect((await ask(`${HISTORY}/apis/no.such/v1/things/a`, ann)).code).to.equal(403)
    // Who may get the object, and nothing of the past.
    expect((await bob.request('GET', '/api/v1/namespaces/default/secrets/hidden')).status).to.equal(200)
    expect((await ask(`${HISTORY}/api/v1/namespaces/default/secrets/hidden`, bob)).code).to.equal(403)
    // A page of one object is none of another.
    const [{ revision }] = (await ask(`${HISTORY}/api/v1/namespaces/default/secrets/hidden`)).items
    expect((await ask(`${HISTORY}/${CONFIG_MAPS}/a?continue=${revision}`, ann)).items).to.deep.equal([])
  })

  it('rejects paths that name no object, and invalid numbers', async () => {
    const none = [
      '',
      'api',
      'api/v1',
      CONFIG_MAPS,
      `${CONFIG_MAPS}/a/status`,
      `${CONFIG_MAPS}//a`,
      `${CONFIG_MAPS}/a/`,
      'apis/apps/v1/deployments/a',
      'api/v1/configmaps/a',
    ]
    none.push(
      'api/v1/namespaces/default/namespaces/x',
      'apis/no.such/v1/things/a',
      'api/v2/namespaces/default/configmaps/a',
      '__proto__/x/y/z',
    )
    for (const path of none) expect((await ask(`${HISTORY}/${path}`)).code, path).to.equal(404)
    expect((await ask(`${HISTORY}/${CONFIG_MAPS}/a%2525b`)).code).to.equal(400)
    for (const query of ['limit=0', 'limit=-1', 'limit=x', 'continue=1e3', `continue=${'9'.repeat(99)}`, 'continue=%00'])
      expect((await ask(`${HISTORY}/${CONFIG_MAPS}/a?${query}`)).code, query).to.equal(400)
    expect((await ask(`${HISTORY}/${CONFIG_MAPS}/none`)).items).to.deep.equal([])
    expect((await ask(`${HISTORY}/${CONFIG_MAPS}/a?continue=1`)).code).to.equal(410)
    expect((await plane.request('DELETE', `${HISTORY}/${CONFIG_MAPS}/a`)).status).to.equal(405)
  })

  it('can be read if values are encrypted', async () => {
    const files = { 'encryption.yaml': encryptionFile(['secrets'], providerOf('aesgcm', 'one')) }
    const server = await openInProcess(['--history=24h', '--encryption-provider-config=DIR/encryption.yaml'], files)
    try {
      await eventually('there is a namespace', async () => (await server.send('/api/v1/namespaces/default')).status === 200)
      const path = 'api/v1/namespaces/default/secrets'
      const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { password: 'hunter2' } }
      const created = await server.send(`/${path}`, { method: 'POST', body })
      expect(created.status, created.text).to.equal(201)
      const deleted = await server.send(`/${path}/s`, { method: 'DELETE' })
      expect(deleted.status, deleted.text).to.equal(200)
      const { items } = JSON.parse((await server.send(`${HISTORY}/${path}/s`)).text)
      expect(items.map(({ type, object }: AnyObject) => [type, object?.data.password])).to.deep.equal([
        ['deleted', undefined],
        ['created', Buffer.from('hunter2').toString('base64')],
      ])
    } finally {
      await server.stop()
      server.remove()
    }
  })
})
