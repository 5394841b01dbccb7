import { expect } from 'chai'
import type { ResourceDefinition, Subresource, SubresourceView } from '../../../../src/catalog/definition.ts'
import { types } from '../../../../src/catalog/types.ts'
import { defined } from '../../../../src/lib/invariant.ts'
import { invalid } from '../../../../src/meta/field-error.ts'
import { fieldPath } from '../../../../src/meta/field-path.ts'
import { viewTarget } from '../../../../src/registry/change/body-target.ts'
import { putView, viewOf } from '../../../../src/registry/change/view.ts'
import { replicationControllerResource } from '../../../../src/resources/core/replication-controller/definition.ts'
import { minimum } from '../../../../src/schema/rule-kinds.ts'
import type { Field, StructSchema } from '../../../../src/schema/schema.ts'
import { type AnyObject, loose } from '../../../support/any-object.ts'
import { apiHandler, testApi } from '../../../support/api-handler.ts'
import { FakeExchange, scopeOf } from '../../../support/exchange.ts'
import { definitionIn, featuresIn } from '../../../support/hook-context.ts'
import { refusal, refusalText, TestRegistry, widgetResource } from '../../../support/test-registry.ts'

/** The size of a widget as its scale. */
const view: SubresourceView<AnyObject, AnyObject> = {
  get: ({ metadata: { name, namespace, uid, resourceVersion }, spec }) => ({
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name: name!, namespace: namespace!, uid: uid!, resourceVersion: resourceVersion!, creationTimestamp: null },
    spec: { replicas: spec.size },
    status: { replicas: 0 },
  }),
  put(parent, { spec }) {
    if ((spec.replicas ?? 0) < 0) return [invalid(fieldPath('spec', 'replicas'), spec.replicas, 'too small')]
    parent.spec.size = spec.replicas ?? 0
    return parent
  },
  fields: { 'spec.replicas': ['spec', 'size'] },
}
const scale: Subresource = {
  verbs: ['get', 'patch', 'update'],
  kind: { group: 'autoscaling', version: 'v1', kind: 'Scale', schema: types.type('autoscaling.Scale') },
  view,
}
const CONFLICT =
  'Operation cannot be fulfilled on widgets.example.io "a": the object has been modified; please apply your changes to the latest version and try again'

/** The same kind. Its Scale has another rule if declared rules apply. */
function wantingFive(definition: ResourceDefinition): ResourceDefinition {
  const { hub } = definition
  const { scale: own } = hub.subresources ?? {}
  if (!own?.kind) throw new Error('no scale')
  const { schema } = own.kind
  const field = schema.fields.get('spec')
  if (field?.schema.type !== 'struct') throw new Error('no spec')
  const replicas = field.schema.fields.get('replicas')
  const spec = { ...field, schema: withField(field.schema, 'replicas', { ...replicas!, ...(replicas?.rules && { rules: [minimum(5)] }) }) }
  const subresources = { ...hub.subresources, scale: { ...own, kind: { ...own.kind, schema: withField(schema, 'spec', spec) } } }
  const changed = { ...hub, subresources }
  return { ...definition, hub: changed, versions: [changed] }
}

const withField = (schema: StructSchema, name: string, field: Field): StructSchema =>
  Object.create(schema, { fields: { value: new Map([...schema.fields, [name, field]]) } })

describe('views', () => {
  let t: TestRegistry
  let parent: AnyObject
  beforeEach(async () => {
    t = new TestRegistry([widgetResource({ version: { subresources: { scale } } })])
    parent = await t.create({ name: 'a' }, { spec: { color: 'red' } })
  })
  const wanted = (replicas: number, metadata: object = {}) => ({
    ...view.get(parent),
    metadata: { name: 'a', ...metadata },
    spec: { replicas },
  })
  const put = async (scaled: AnyObject) => {
    const written = viewOf(t.target('a', { subresource: 'scale' }))
    return loose(putView(t.store.env, defined(written, 'scale is a view'), structuredClone(parent), scaled))
  }

  it('have bodies of their own kind', () => {
    expect(viewTarget(scale)).to.deep.include({ group: 'autoscaling', version: 'v1', kind: 'Scale' })
    expect(viewTarget({ verbs: ['get'] })).to.equal(undefined)
    expect(viewTarget(undefined)).to.equal(undefined)
  })

  for (const metadata of [{}, { resourceVersion: '' }, { resourceVersion: '2', uid: 'u1' }, { uid: '' }])
    it(`are put into their parent with ${JSON.stringify(metadata)}`, async () => {
      const { spec } = await put(wanted(4, metadata))
      expect(spec).to.deep.equal({ size: 4, color: 'red' })
    })

  it('must have the uid and resourceVersion of their parent', async () => {
    expect(await refusalText(put(wanted(4, { uid: 'x' })))).to.equal(
      '409 Conflict: Operation cannot be fulfilled on widgets/scale.example.io "a": Precondition failed: UID in precondition: x, UID in object meta: u1',
    )
    expect(await refusalText(put(wanted(4, { resourceVersion: '1' })))).to.equal(`409 Conflict: ${CONFLICT}`)
  })

  it('report errors with their own kind', async () => {
    const { status } = await refusal(put(wanted(-1)))
    expect(status.message).to.equal('Scale.autoscaling "a" is invalid: spec.replicas: Invalid value: -1: too small')
    expect(status.details).to.include({ group: 'autoscaling', kind: 'Scale' })
  })

  describe('over HTTP', () => {
    const request = async (method: string, body = '', type = 'application/json') => {
      const exchange = new FakeExchange('/apis/example.io/v1/namespaces/ns/widgets/a/scale', {
        method,
        body,
        headers: { 'content-type': type },
      })
      await apiHandler(testApi(scopeOf(t, exchange, 'get').env))(exchange)
      return exchange.json as AnyObject
    }

    it('are read', async () => {
      const { kind, apiVersion, metadata, spec } = await request('GET')
      expect([kind, apiVersion, metadata.resourceVersion, spec]).to.deep.equal(['Scale', 'autoscaling/v1', '2', { replicas: 1 }])
    })

    it('are replaced', async () => {
      expect((await request('PUT', JSON.stringify(wanted(4)))).spec).to.deep.equal({ replicas: 4 })
      expect((await t.get('a')).spec).to.deep.equal({ size: 4, color: 'red' })
    })

    it('are patched', async () => {
      const { spec, metadata } = await request('PATCH', '{"spec":{"replicas":7}}', 'application/merge-patch+json')
      expect([spec, metadata.resourceVersion]).to.deep.equal([{ replicas: 7 }, '3'])
      expect(await refusalText(request('PATCH', '{"metadata":{"resourceVersion":"1"}}', 'application/merge-patch+json'))).to.equal(
        `409 Conflict: ${CONFLICT}`,
      )
      expect((await t.get('a')).spec.size).to.equal(7)
    })

    it('are not created', async () =>
      expect(await refusalText(request('POST', '{}'))).to.equal(
        '405 MethodNotAllowed: the server does not allow this method on the requested resource',
      ))
  })

  for (const [release, identifier] of [
    ['1.33', undefined],
    ['1.34', 'scale_scale_update'],
    ['1.36', 'scale_scale_update'],
  ] as const)
    it(`are validated by declared rules as upstream does, in ${release}`, async () => {
      const features = featuresIn(release)
      const controllers = wantingFive(definitionIn(replicationControllerResource, features))
      const t = new TestRegistry([widgetResource(), controllers], undefined, features)
      const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
      const controller = { kind: 'ReplicationController', apiVersion: 'v1', metadata: { name: 'r' }, spec: { template } }
      await t.access().create({ group: '', resource: 'replicationcontrollers' }, 'ns', controller as AnyObject)
      const scaling = async (replicas: number) => {
        const exchange = new FakeExchange('/api/v1/namespaces/ns/replicationcontrollers/r/scale', {
          method: 'PATCH',
          body: JSON.stringify({ spec: { replicas } }),
          headers: { 'content-type': 'application/merge-patch+json' },
        })
        await apiHandler(testApi(scopeOf(t, exchange, 'get').env))(exchange)
        return exchange.json as AnyObject
      }
      // A declared rule that finds more than hand-written validation. The latter takes precedence.
      expect((await scaling(4)).spec).to.deep.equal({ replicas: 4 })
      expect(t.declaredIdentifiers).to.deep.equal(identifier === undefined ? [] : [identifier])
      expect(await refusalText(scaling(-1))).to.equal(
        '422 Invalid: Scale.autoscaling "r" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      )
      expect(t.declaredIdentifiers).to.have.length(identifier === undefined ? 0 : 1)
    })
})
