import { expect } from 'chai'
import type { KubeObject } from '../../src/api/meta/object.ts'
import type { JsonClient } from '../support/json-client.ts'
import { withServer } from '../support/suite-server.ts'
import { eventually } from '../support/waiting.ts'

const GROUP = 'stored.example.com'
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const pathOf = (version: string): string => `/apis/${GROUP}/${version}/namespaces/default/widgets`
const MERGE = 'application/merge-patch+json'
const APPLY = 'application/apply-patch+yaml'

const text = (value?: string) => ({ type: 'string', ...(value !== undefined && { default: value }) })
const integer = (value: number) => ({ type: 'integer', default: value })
const nested = (properties: object) => ({ type: 'object', default: {}, properties })
const version = (name: string, storage: boolean, properties: object, selectable: string) => ({
  name,
  served: true,
  storage,
  subresources: { status: {} },
  selectableFields: [{ jsonPath: '.spec.a' }, { jsonPath: selectable }],
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties }, status: { type: 'object', properties: { s: text() } } },
    },
  },
})
const versions = (stored: string) => [
  version('v1', stored === 'v1', { a: text(), b: integer(1), o: nested({ x: text('one') }) }, '.spec.b'),
  version('v2', stored === 'v2', { a: text(), c: integer(2), o: nested({ x: text('two'), y: text('why') }) }, '.spec.c'),
]
const widget = (at: string, name: string, spec: object) => ({ apiVersion: `${GROUP}/${at}`, kind: 'Widget', metadata: { name }, spec })

/** Expected responses were recorded from the Kubernetes machinery 1.33.9. */
describe('custom objects that are stored in an older version than the current one', () => {
  let client: JsonClient
  withServer(async made => {
    client = made.client
    const names = { kind: 'Widget', plural: 'widgets' }
    const metadata = { name: `widgets.${GROUP}` }
    await client.must('POST', DEFINITIONS, { metadata, spec: { group: GROUP, scope: 'Namespaced', names, versions: versions('v1') } })
    await eventually('the kind is served', async () => (await client.ask('GET', pathOf('v2'))).status === 200)
    for (const name of ['read', 'new', 'old', 'status', 'applied', 'stays'])
      await client.must('POST', `${pathOf('v1')}?fieldManager=creator`, widget('v1', name, { a: name, b: 5 }))
    const changed = await client.ask('PATCH', `${DEFINITIONS}/widgets.${GROUP}`, {
      body: { spec: { versions: versions('v2') } },
      contentType: MERGE,
    })
    expect(changed.status).to.equal(200)
  })

  const shown = ({ metadata: { generation }, spec }: KubeObject) => [spec, generation]
  const get = async (at: string, name: string) => shown(await client.must('GET', `${pathOf(at)}/${name}`))
  const patch = async (place: string, body: object, contentType = MERGE) => client.ask('PATCH', place, { body, contentType })
  const list = async (query: string) => (await client.must('GET', query)).items.map(({ spec }: KubeObject) => spec)

  it('are read with the fields and defaults of that version, pruned by the version of the request', async () => {
    expect(await get('v1', 'read')).to.deep.equal([{ a: 'read', b: 5, o: { x: 'one' } }, 1])
    expect(await get('v2', 'read')).to.deep.equal([{ a: 'read', o: { x: 'one' } }, 1])
    for (const query of ['fieldSelector=spec.a%3Dread', 'fieldSelector=spec.a%3Dread&resourceVersion=0']) {
      expect(await list(`${pathOf('v1')}?${query}`)).to.deep.equal([{ a: 'read', b: 5, o: { x: 'one' } }])
      expect(await list(`${pathOf('v2')}?${query}`)).to.deep.equal([{ a: 'read', o: { x: 'one' } }])
    }
    expect(await list(`${pathOf('v1')}?fieldSelector=spec.b%3D5,spec.a%3Dread`)).to.have.length(1)
    expect(await list(`${pathOf('v2')}?fieldSelector=spec.c%3D2,spec.a%3Dread`)).to.deep.equal([])
  })

  it('gain the fields and defaults of the current version when written, which counts as a change only in that version', async () => {
    const labels = { metadata: { labels: { l: 'x' } } }
    const asNew = { c: 2, o: { x: 'one', y: 'why' } }
    expect(shown((await patch(`${pathOf('v2')}/new?dryRun=All`, labels)).body)).to.deep.equal([{ a: 'new', ...asNew }, 2])
    expect(shown((await patch(`${pathOf('v1')}/new?dryRun=All`, labels)).body)).to.deep.equal([{ a: 'new', o: { x: 'one' } }, 1])
    expect(shown((await patch(`${pathOf('v2')}/new`, labels)).body)).to.deep.equal([{ a: 'new', ...asNew }, 2])
    expect(shown((await patch(`${pathOf('v1')}/old`, labels)).body)).to.deep.equal([{ a: 'old', o: { x: 'one' } }, 1])
    expect(await get('v2', 'old')).to.deep.equal([{ a: 'old', ...asNew }, 1])
    expect(shown((await patch(`${pathOf('v2')}/status/status`, { status: { s: 'x' } })).body)).to.deep.equal([{ a: 'status', ...asNew }, 1])
    expect(await get('v1', 'status')).to.deep.equal([{ a: 'status', o: { x: 'one' } }, 1])
  })

  it('are applied to in the current version', async () => {
    const configuration = widget('v2', 'applied', { a: 'b' })
    expect((await patch(`${pathOf('v2')}/applied?fieldManager=m`, configuration, APPLY)).body.message).to.equal(
      `Apply failed with 1 conflict: conflict with "creator" using ${GROUP}/v1: .spec.a`,
    )
    const forced = await patch(`${pathOf('v2')}/applied?fieldManager=m&force=true`, configuration, APPLY)
    expect(shown(forced.body)).to.deep.equal([{ a: 'b', c: 2, o: { x: 'one', y: 'why' } }, 2])
  })

  it('stay unchanged if a write is rejected', async () => {
    const refused = await patch(`${pathOf('v2')}/stays`, { spec: { c: 'text' } })
    expect([refused.status, refused.body.message]).to.deep.equal([
      422,
      `Widget.${GROUP} "stays" is invalid: spec.c: Invalid value: "string": spec.c in body must be of type integer: "string"`,
    ])
    expect(await get('v2', 'stays')).to.deep.equal([{ a: 'stays', o: { x: 'one' } }, 1])
  })
})
