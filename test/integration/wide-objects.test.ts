import { expect } from 'chai'
import { types } from '../../src/catalog/types.ts'
import { mediaOffer } from '../../src/codec/accept-header.ts'
import { encodeProtobuf } from '../../src/codec/protobuf.ts'
import { createControlPlane } from '../../src/control-plane/control-plane.ts'
import { MOST_MEMBERS } from '../../src/lib/wide-objects.ts'
import { StatusError } from '../../src/meta/status.ts'
import type { Key } from '../../src/storage/revision.ts'
import { apiHandler } from '../support/api-handler.ts'
import { controlPlaneOptions } from '../support/control-plane-options.ts'
import { FakeExchange } from '../support/exchange.ts'
import { MemoryBackend } from '../support/memory-backend.ts'
import { eventually, patience } from '../support/waiting.ts'

const CORE = '/api/v1/namespaces/default'
const CONFIG_MAPS = `${CORE}/configmaps`
const WIDES = '/apis/wide.example.com/v1/namespaces/default/wides'
const TOO_WIDE = `413 Request entity too large: limit is ${MOST_MEMBERS} members of an object`

type Members = Record<string, string | null>
const members = (count: number, prefix = 'a', value: string | null = ''): Members =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, value]))
const configMap = (name: string, data: object): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data })

const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'wides.wide.example.com' },
  spec: {
    group: 'wide.example.com',
    scope: 'Namespaced',
    names: { plural: 'wides', kind: 'Wide' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                'x-kubernetes-preserve-unknown-fields': true,
                properties: {
                  set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'integer' } },
                  ...Object.fromEntries(Array.from({ length: 6000 }, (_, i) => [`d${i}`, { type: 'string', default: '' }])),
                },
              },
            },
          },
        },
      },
    ],
  },
}

describe('an object of as many members as are allowed', function () {
  this.timeout(120_000)
  const backend = new MemoryBackend()
  const serving = createControlPlane(controlPlaneOptions(backend, { requests: { media: mediaOffer({ cbor: true }) } }))

  async function ask(method: string, path: string, type = 'application/json', body?: string | Buffer | object): Promise<string> {
    const [at = '', search = ''] = path.split('?')
    const bytes = typeof body === 'string' ? Buffer.from(body) : Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body ?? {}))
    const exchange = new FakeExchange(at, { method, search, headers: { 'content-type': type }, ...(body !== undefined && { body: bytes }) })
    try {
      await apiHandler(serving.api)(exchange)
      return `${exchange.status}`
    } catch (error) {
      if (!(error instanceof StatusError)) throw error
      return `${error.code} ${error.status.message}`
    }
  }
  const create = (object: object, path = CONFIG_MAPS): Promise<string> => ask('POST', path, 'application/json', object)
  const patch = (type: string, name: string, body: object): Promise<string> =>
    ask('PATCH', `${CONFIG_MAPS}/${name}?fieldManager=m`, `application/${type}`, body)

  before(async () => {
    await serving.synced(patience())
    serving.start({ address: '192.0.2.1', port: 6443, serviceIP: '10.0.0.1', certificateAuthority: 'PEM' })
    await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } }, '/api/v1/namespaces')
    expect(await create(DEFINITION, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions')).to.equal('201')
    await eventually('the custom kind is served', async () => (await ask('GET', WIDES)) === '200')
  })
  after(() => serving.close())

  describe('in a body', () => {
    /** Members of a flow mapping, few in a line. */
    const flow = (count: number, prefix: string): string =>
      Array.from({ length: count }, (_, i) => `${prefix}${i}: v,${i % 40 === 39 ? '\n ' : ''}`).join('')
    const json = (count: number): string => JSON.stringify(configMap('created', members(count)))
    const nested = (spec: string): string => `apiVersion: wide.example.com/v1\nkind: Wide\nmetadata: {name: created}\nspec:\n ${spec}`
    const notations: Readonly<Record<string, readonly [type: string, path: string, body: (count: number) => string | Buffer]>> = {
      JSON: ['application/json', CONFIG_MAPS, json],
      protobuf: [
        'application/vnd.kubernetes.protobuf',
        CONFIG_MAPS,
        count =>
          encodeProtobuf(
            types.type('core.ConfigMap'),
            { apiVersion: 'v1', kind: 'ConfigMap' },
            { metadata: { name: 'created' }, data: members(count) },
          ),
      ],
      'JSON as YAML': ['application/yaml', CONFIG_MAPS, json],
      'YAML with members in few lines': ['application/yaml', WIDES, count => nested(`a: {${flow(count, 'a')}}\n`)],
      'YAML with merged mappings': [
        'application/yaml',
        WIDES,
        count => nested(`a: &a {${flow(16_000, 'a')}}\n b: {<<: *a, ${flow(count - 16_000, 'b')}}\n`),
      ],
    }
    for (const [notation, [type, path, body]] of Object.entries(notations))
      it(`is accepted from ${notation}, and rejected with one member more`, async () => {
        const post = (count: number) => ask('POST', `${path}?dryRun=All`, type, body(count))
        expect(await post(MOST_MEMBERS)).to.equal('201')
        expect(await post(MOST_MEMBERS + 1)).to.equal(TOO_WIDE)
      })

    it('is rejected with too many other values in few lines of YAML', async () => {
      const list = (count: number): string =>
        nested(`a: [${Array.from({ length: count }, (_, i) => `1,${i % 40 === 39 ? '\n ' : ''}`).join('')}]\n`)
      const post = (count: number) => ask('POST', `${WIDES}?dryRun=All`, 'application/yaml', list(count))
      expect(await post(65_000)).to.equal('201')
      expect(await post(132_000)).to.equal('413 Request entity too large: limit is 65536 values')
    })
  })

  describe('that is stored', () => {
    const stored = async (name: string, count: number): Promise<void> => {
      await ask('DELETE', `${CONFIG_MAPS}/${name}`)
      expect(await create(configMap(name, members(count)))).to.equal('201')
    }
    const added = (count: number): object => ({ data: members(count, 'b') })

    for (const type of ['merge-patch+json', 'strategic-merge-patch+json'])
      it(`does not grow by ${type}, one after the other`, async () => {
        await stored('patched', 30_000)
        expect(await patch(type, 'patched', added(2_767))).to.equal('200')
        expect(await patch(type, 'patched', { data: { c: '' } })).to.equal('200')
        expect(await patch(type, 'patched', { data: { d: '' } })).to.equal(TOO_WIDE)
        expect(await patch(type, 'patched', { data: { c: null, d: '' } })).to.equal('200')
      })

    it('does not grow by additions of a JSON patch', async () => {
      await stored('patched', 30_000)
      const add = (count: number, prefix: string): object =>
        Object.keys(members(count, prefix)).map(key => ({ op: 'add', path: `/data/${key}`, value: '' }))
      expect(await patch('json-patch+json', 'patched', add(2_769, 'b'))).to.equal(TOO_WIDE)
      expect(await patch('json-patch+json', 'patched', add(2_768, 'b'))).to.equal('200')
      expect(await patch('json-patch+json', 'patched', [{ op: 'remove', path: '/data/b0' }, ...(add(1, 'c') as object[])])).to.equal('200')
      expect(await patch('json-patch+json', 'patched', add(1, 'd'))).to.equal(TOO_WIDE)
    })

    it('does not grow by applied members', async () => {
      await stored('patched', 30_000)
      const apply = (count: number) => patch('apply-patch+yaml', 'patched', configMap('patched', members(count, 'b')))
      expect(await apply(2_769)).to.equal(TOO_WIDE)
      expect(await apply(2_768)).to.equal('200')
    })

    it('does not grow by an update', async () => {
      await stored('patched', 30_000)
      const put = (count: number) => ask('PUT', `${CONFIG_MAPS}/patched`, 'application/json', configMap('patched', members(count)))
      expect(await put(MOST_MEMBERS + 1)).to.equal(TOO_WIDE)
      expect(await put(MOST_MEMBERS)).to.equal('200')
    })

    it('does not grow by members that the kind copies', async () => {
      const secret = (count: number): object => ({
        metadata: { name: 'copied' },
        data: members(20_000),
        stringData: members(count, 'b'),
      })
      expect(await create(secret(12_769), `${CORE}/secrets?dryRun=All`)).to.equal(TOO_WIDE)
      expect(await create(secret(12_768), `${CORE}/secrets?dryRun=All`)).to.equal('201')
    })

    it('does not grow by managed fields of the items of a set', async () => {
      const withSet = (count: number): object => ({
        apiVersion: 'wide.example.com/v1',
        kind: 'Wide',
        metadata: { name: 'keyed' },
        spec: { set: Array.from({ length: count }, (_, i) => i) },
      })
      const apply = (count: number): Promise<string> =>
        ask('PATCH', `${WIDES}/keyed?fieldManager=m`, 'application/apply-patch+yaml', withSet(count))
      expect(await create(withSet(MOST_MEMBERS + 1), WIDES)).to.equal(TOO_WIDE)
      expect(await apply(MOST_MEMBERS + 1)).to.equal(TOO_WIDE)
      expect(await apply(MOST_MEMBERS)).to.equal('201')
    })

    it('does not grow by defaults of its definition', async () => {
      const custom = (count: number): object => ({
        apiVersion: 'wide.example.com/v1',
        kind: 'Wide',
        metadata: { name: 'filled' },
        spec: members(count),
      })
      expect(await create(custom(26_769), `${WIDES}?dryRun=All`)).to.equal(TOO_WIDE)
      expect(await create(custom(26_768), `${WIDES}?dryRun=All`)).to.equal('201')
    })
  })

  it('can be read, changed, shrunk and deleted if an older store holds it with more members', async () => {
    const count = 40_000
    const metadata = { name: 'older', namespace: 'default', uid: 'u', creationTimestamp: '2026-01-02T03:04:05Z' }
    backend.apply([
      {
        key: '/registry/configmaps/default/older' as Key,
        value: Buffer.from(JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata, data: members(count) })),
      },
    ])
    expect(await ask('GET', `${CONFIG_MAPS}/older`)).to.equal('200')
    expect(await patch('merge-patch+json', 'older', { metadata: { labels: { a: 'b' } } })).to.equal('200')
    expect(await patch('strategic-merge-patch+json', 'older', { data: { a0: 'c' } })).to.equal('200')
    expect(await patch('merge-patch+json', 'older', { data: { b0: '' } })).to.equal(TOO_WIDE)
    expect(await patch('json-patch+json', 'older', [{ op: 'add', path: '/data/b0', value: '' }])).to.equal(TOO_WIDE)
    expect(await patch('json-patch+json', 'older', [{ op: 'remove', path: '/data/a0' }])).to.equal('200')
    expect(await patch('merge-patch+json', 'older', { data: members(20_000, 'a', null) })).to.equal('200')
    expect(await patch('merge-patch+json', 'older', { data: { b0: '' } })).to.equal('200')
    expect(await ask('DELETE', `${CONFIG_MAPS}/older`)).to.equal('200')
  })
})
