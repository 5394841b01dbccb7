import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { KubeObject } from '../../src/api/meta/object.ts'
import type { JsonClient } from '../support/json-client.ts'
import { withServer } from '../support/suite-server.ts'

const GROUP = 'versions.example.com'
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const pathOf = (version: string): string => `/apis/${GROUP}/${version}/namespaces/default/lives`
const DEFINITION = `${DEFINITIONS}/lives.${GROUP}`
const JSON_PATCH = 'application/json-patch+json'
const GVK = `${GROUP}/v2, Kind=Live`

const text = { type: 'string' }
const integer = { type: 'integer' }
const element = { type: 'object', properties: { k: text, v: text } }
const version = (name: string, properties: object, storage: boolean) => ({
  name,
  served: true,
  storage,
  subresources: { status: {}, scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } },
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { n: integer, ...properties } },
        status: { type: 'object', properties: { phase: text } },
      },
    },
  },
})
const keyed = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['k'],
  items: { ...element, required: ['k'] },
}
/** Objects of v1 need not match the schema of v2, and are not converted. */
const versions = [
  version('v1', { x: text, list: { type: 'array', items: element }, old: text }, true),
  version('v2', { x: integer, list: keyed, new: text }, false),
]

describe('versions of a custom kind with different schemas', () => {
  let client: JsonClient
  withServer(async made => {
    client = made.client
    await client.must('POST', DEFINITIONS, {
      metadata: { name: `lives.${GROUP}` },
      spec: { group: GROUP, scope: 'Namespaced', names: { plural: 'lives', kind: 'Live' }, versions },
    })
    while ((await client.ask('GET', pathOf('v2'))).status !== 200) await sleep(20)
  })

  const create = (name: string, spec: object): Promise<KubeObject> =>
    client.must('POST', `${pathOf('v1')}?fieldManager=creator`, { apiVersion: `${GROUP}/v1`, kind: 'Live', metadata: { name }, spec })
  const send = async (method: string, place: string, body: object, type: 'apply' | 'merge' | 'json', via = 'v2') => {
    const contentType =
      type === 'json' ? 'application/json' : type === 'apply' ? 'application/apply-patch+yaml' : 'application/merge-patch+json'
    const answer = await client.ask(method, `${pathOf(via)}/${place}?fieldManager=${type}`, { body, contentType })
    return { status: answer.status, message: answer.body.message, body: answer.body }
  }
  const apply = (name: string, members: object, via = 'v2', subresource = '') =>
    send('PATCH', `${name}${subresource}`, { apiVersion: `${GROUP}/${via}`, kind: 'Live', metadata: { name }, ...members }, 'apply', via)

  it('reject an apply to an object that does not match the schema', async () => {
    await create('text', { x: 'a' })
    const fault = `failed to create typed live object (default/text; ${GVK}): .spec.x: expected numeric (int or float), got string`
    expect(await apply('text', { spec: { n: 3 } })).to.include({ status: 500, message: fault })
    await create('keyless', { list: [{ v: 'a' }] })
    expect((await apply('keyless', { spec: { n: 3 } })).message).to.equal(
      `failed to create typed live object (default/keyless; ${GVK}): .spec.list: element 0: associative list with keys has an element that omits key field "k" (and doesn't have default value)`,
    )
    // The applied configuration is checked first.
    expect((await apply('text', { spec: { n: 'no' } })).message).to.include('failed to create typed patch object')
  })

  it('drop all managers when such an object is updated, until an apply', async () => {
    await create('lost', { x: 'a' })
    const { status, body } = await send('PATCH', 'lost', { spec: { n: 4 } }, 'merge')
    expect([status, body.metadata.managedFields]).to.deep.equal([200, undefined])
    expect(await apply('lost', { status: { phase: 'a' } }, 'v2', '/status')).to.include({
      status: 500,
      message: `failed to create manager for existing fields: failed to convert new object (default/lost; ${GVK}) to smd typed: .spec.x: expected numeric (int or float), got string`,
    })
    expect((await apply('lost', { spec: { n: 5 } }, 'v1')).message).to.equal(
      `Apply failed with 1 conflict: conflict with "before-first-apply" using ${GROUP}/v1: .spec.n`,
    )
  })

  it('name the field at which a conversion failed', async () => {
    await create('fields', { old: 'a' })
    expect(await apply('fields', { spec: { new: 'b' } })).to.include({
      status: 500,
      message: 'failed to convert new object: .spec.new: field not declared in schema',
    })
    await create('twice', { list: [{ k: 'a' }, { k: 'a' }] })
    expect((await send('PATCH', 'twice', { spec: { n: 4 } }, 'merge')).status).to.equal(200)
    expect((await apply('twice', { spec: { n: 5 } }, 'v1')).message).to.equal('.spec.list: duplicate entries for key [k="a"]')
  })

  it('reset the fields of a subresource only in the version of the request', async () => {
    const { metadata } = await create('status', { n: 1 })
    const { body } = await send(
      'PUT',
      'status/status',
      {
        apiVersion: `${GROUP}/v2`,
        kind: 'Live',
        metadata: { name: 'status', resourceVersion: metadata.resourceVersion },
        status: { phase: 'a' },
      },
      'json',
    )
    expect(body.spec).to.deep.equal({ n: 1 })
    expect(body.metadata.managedFields?.map(({ manager }: { manager?: string }) => manager)).to.deep.equal(['json'])
  })

  it('return dry runs with the fields of the stored version, like writes', async () => {
    const body = (name: string) => ({ apiVersion: `${GROUP}/v2`, kind: 'Live', metadata: { name }, spec: { n: 1, new: 'unknown to v1' } })
    for (const query of ['', '?dryRun=All']) {
      expect((await client.must('POST', `${pathOf('v2')}${query}`, body('returned'))).spec, query).to.deep.equal({ n: 1 })
      const { body: applied } = await client.ask('PATCH', `${pathOf('v2')}/applied?fieldManager=a${query.replace('?', '&')}`, {
        body: body('applied'),
        contentType: 'application/apply-patch+yaml',
      })
      expect(applied.spec, query).to.deep.equal({ n: 1 })
      await client.ask('DELETE', `${pathOf('v1')}/returned`)
      await client.ask('DELETE', `${pathOf('v1')}/applied`)
    }
  })

  it('keep the managers of a version that is no longer served when the object is scaled', async () => {
    await client.must('POST', `${pathOf('v2')}?fieldManager=creator`, {
      apiVersion: `${GROUP}/v2`,
      kind: 'Live',
      metadata: { name: 'scaled', labels: { a: 'b' } },
      spec: { n: 1 },
    })
    expect(
      (
        await client.ask('PATCH', DEFINITION, {
          body: [{ op: 'replace', path: '/spec/versions/1/served', value: false }],
          contentType: JSON_PATCH,
        })
      ).status,
    ).to.equal(200)
    const scaled = await client.ask('PATCH', `${pathOf('v1')}/scaled/scale?fieldManager=scaler`, {
      body: { spec: { replicas: 2 } },
      contentType: 'application/merge-patch+json',
    })
    expect(scaled.status).to.equal(200)
    const { metadata } = await client.must('GET', `${pathOf('v1')}/scaled`)
    expect(metadata.managedFields?.map(({ manager, apiVersion, subresource }) => [manager, apiVersion, subresource])).to.deep.equal([
      ['scaler', `${GROUP}/v1`, 'scale'],
      ['creator', `${GROUP}/v2`, undefined],
    ])
  })

  it('use a changed definition as soon as it is written', async () => {
    await create('read', { n: 1 })
    for (let i = 1; i <= 5; i++) {
      const properties = { n: integer, [`since${i}`]: { ...text, default: 'here' } }
      const path = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties'
      await client.ask('PATCH', DEFINITION, { body: [{ op: 'replace', path, value: properties }], contentType: JSON_PATCH })
      expect((await client.must('GET', `${pathOf('v1')}/read`)).spec).to.deep.equal({ n: 1, [`since${i}`]: 'here' })
    }
  })
})
