import { expect } from 'chai'
import type { JsonObject, ManagedFieldsEntry } from '../../../src/api/meta/object.ts'
import type { Strategy } from '../../../src/catalog/strategy.ts'
import { decodeMessage } from '../../../src/codec/protobuf-decode.ts'
import { protobufEncoder } from '../../../src/endpoints/forms/binary/protobuf.ts'
import { codecOf } from '../../../src/registry/codec.ts'
import { key, revision } from '../../../src/storage/revision.ts'
import type { StorageEvent } from '../../../src/storage/storage.ts'
import type { AnyObject } from '../../support/any-object.ts'
import { batchesOf } from '../../support/batches.ts'
import type { FakeExchange, FakeRequest } from '../../support/exchange.ts'
import { callApi } from '../../support/fake-api.ts'
import { listOptions, NEVER, refusalText, TestRegistry } from '../../support/test-registry.ts'
import { twoVersions } from '../../support/two-versions.ts'
import { eventually } from '../../support/waiting.ts'

type V = 'v1' | 'v1beta1'
const ONE = 'namespaces/ns/widgets/a'
const ALL = 'namespaces/ns/widgets'
const body = (version: V, spec: object, more: object = {}) =>
  JSON.stringify({ kind: 'Widget', apiVersion: `example.io/${version}`, metadata: { name: 'a', ...more }, spec })
const TYPES = { merge: 'application/merge-patch+json', json: 'application/json-patch+json', apply: 'application/apply-patch+yaml' }

for (const storedIn of ['v1', 'v1beta1'] as const)
  describe(`a kind in two versions, stored in ${storedIn}`, () => {
    let t: TestRegistry
    let seen: string[]
    const strategy: Strategy<AnyObject> = {
      prepare(next, old) {
        seen.push(`${next.apiVersion} ${next.spec?.color}${old ? ` was ${old.apiVersion} ${old.spec?.color}` : ''}`)
      },
    }
    const call = (version: V, path: string, request: FakeRequest = {}): Promise<FakeExchange> => callApi(t, path, request, version)
    const object = async (...args: Parameters<typeof call>): Promise<AnyObject> => (await call(...args)).json as AnyObject
    const stored = async (): Promise<AnyObject> =>
      JSON.parse((await t.backend.get(key('/registry/widgets/ns/a'), NEVER)).item?.value.toString() ?? 'null') as AnyObject
    const served = (version: V) => {
      const found = t.catalog.snapshot().find('example.io', version, 'widgets')
      if (!found) throw new Error('not served')
      return found
    }

    beforeEach(async () => {
      seen = []
      t = new TestRegistry([twoVersions({ strategy }, storedIn)])
      await call('v1beta1', ALL, { method: 'POST', body: body('v1beta1', { shade: 'red' }) })
    })

    it('is stored in that version, and its hooks receive the hub version', async () => {
      const { apiVersion, spec } = await stored()
      expect([apiVersion, spec]).to.deep.equal([`example.io/${storedIn}`, storedIn === 'v1' ? { size: 1, color: 'red' } : { shade: 'red' }])
      expect(seen).to.deep.equal(['example.io/v1 red'])
    })

    for (const [version, spec] of [
      ['v1', storedIn === 'v1' ? { size: 1, color: 'red' } : { color: 'red' }],
      ['v1beta1', storedIn === 'v1' ? { shade: 'red', size: 1 } : { shade: 'red' }],
    ] as const) {
      it(`is read and listed in ${version}`, async () => {
        const one = await call(version, ONE)
        expect(one.text).to.match(
          new RegExp(
            `^\\{"kind":"Widget","apiVersion":"example.io/${version}","metadata":\\{"name":"a","namespace":"ns","uid":"u1","resourceVersion":"2",`,
          ),
        )
        expect((one.json as AnyObject).spec).to.deep.equal(spec)
        const list = await object(version, ALL)
        expect([list.kind, list.apiVersion, list.items.length]).to.deep.equal(['WidgetList', `example.io/${version}`, 1])
        expect(list.items[0]).to.deep.equal({ metadata: (one.json as AnyObject).metadata, spec, status: {} })
      })

      it(`is watched in ${version}`, async () => {
        const watcher = await t.store.watch(
          served(version),
          'ns',
          listOptions({ sendInitialEvents: true, allowWatchBookmarks: true }),
          NEVER,
        )
        const events: StorageEvent[] = []
        void (async () => {
          for await (const batch of batchesOf(watcher)) events.push(...batch)
        })()
        await eventually('it was added', () => events.length === 2)
        await call('v1', ONE, { method: 'DELETE' })
        await eventually('it was deleted', () => events.length === 3)
        watcher.close()
        expect(
          events.map(event => (event.type === 'bookmark' ? 'bookmark' : `${event.type} ${event.object.object().apiVersion}`)),
        ).to.deep.equal([`added example.io/${version}`, 'bookmark', `deleted example.io/${version}`])
      })

      it(`is encoded once in ${version} for all readers`, async () => {
        const [first, second] = await Promise.all([1, 2].map(() => t.store.get(served(version), 'ns', 'a', '', NEVER)))
        const mine = first!
        expect(mine.json().bytes).to.equal(mine.json().bytes)
        expect(mine.json().bytes.equals(second!.json().bytes)).to.equal(true)
        const encoder = protobufEncoder(served(version).version)
        expect(mine.encoded(encoder).bytes).to.equal(mine.encoded(encoder).bytes)
        const { bytes, header } = mine.encoded(encoder)
        expect((decodeMessage(served(version).version.schema, bytes.subarray(header)) as JsonObject).spec).to.deep.equal(spec)
      })

      it(`can be selected by the fields of ${version}`, async () => {
        const field = version === 'v1' ? 'color' : 'shade'
        const found = async (value: string): Promise<number> =>
          (await object(version, ALL, { search: `fieldSelector=spec.${field}%3D${value}` })).items.length
        expect([await found('red'), await found('blue')]).to.deep.equal([1, 0])
      })

      it(`can be changed in ${version} in every way`, async () => {
        const field = version === 'v1' ? 'color' : 'shade'
        const patch = (type: string, text: unknown): FakeRequest => ({
          method: 'PATCH',
          headers: { 'content-type': type },
          body: JSON.stringify(text),
        })
        seen = []
        const answers = [
          await object(version, ONE, { method: 'PUT', body: body(version, { [field]: 'blue' }) }),
          await object(version, ONE, patch(TYPES.merge, { spec: { [field]: 'green' } })),
          await object(version, ONE, patch(TYPES.json, [{ op: 'replace', path: `/spec/${field}`, value: 'black' }])),
          await object(version, ONE, {
            ...patch(TYPES.apply, { apiVersion: `example.io/${version}`, kind: 'Widget', spec: { [field]: 'white' } }),
            search: 'fieldManager=me&force=1',
          }),
          await object(version, ONE, { ...patch(TYPES.merge, { spec: { [field]: 'dry' } }), search: 'dryRun=All' }),
        ]
        expect(answers.map(({ apiVersion, spec: wanted }) => `${apiVersion} ${wanted?.[field]}`)).to.deep.equal(
          ['blue', 'green', 'black', 'white', 'dry'].map(color => `example.io/${version} ${color}`),
        )
        expect(seen).to.deep.equal([
          'example.io/v1 blue was example.io/v1 red',
          'example.io/v1 green was example.io/v1 blue',
          'example.io/v1 black was example.io/v1 green',
          'example.io/v1 white was example.io/v1 black',
          'example.io/v1 dry was example.io/v1 white',
        ])
        expect((await object('v1', ONE)).spec.color).to.equal('white')
      })

      it(`has a status in ${version}`, async () => {
        const answer = await object(version, `${ONE}/status`, {
          method: 'PATCH',
          headers: { 'content-type': TYPES.merge },
          body: '{"status":{"phase":"on"}}',
        })
        expect([answer.apiVersion, answer.status, answer.spec]).to.deep.equal([`example.io/${version}`, { phase: 'on' }, spec])
      })

      it(`can be deleted in ${version}, and is returned while finalizers hold it`, async () => {
        await call(version, ONE, {
          method: 'PATCH',
          headers: { 'content-type': TYPES.merge },
          body: '{"metadata":{"finalizers":["x.io/y"]}}',
        })
        const held = await object(version, ONE, { method: 'DELETE' })
        expect([held.kind, held.apiVersion, held.spec.color ?? held.spec.shade]).to.deep.equal(['Widget', `example.io/${version}`, 'red'])
        await call(version, ONE, { method: 'PATCH', headers: { 'content-type': TYPES.merge }, body: '{"metadata":{"finalizers":null}}' })
        expect(await refusalText(call(version, ONE))).to.equal('404 NotFound: widgets.example.io "a" not found')
      })
    }

    it('returns the same object in a dry run as in a write', async () => {
      const create: FakeRequest = { method: 'POST', body: body('v1beta1', { shade: 'red' }, { name: 'b' }) }
      const { spec: dry } = await object('v1beta1', ALL, { ...create, search: 'dryRun=All' })
      expect((await object('v1beta1', ALL, create)).spec).to.deep.equal(dry)
    })

    it('rejects a body of another version than the path', async () => {
      expect(await refusalText(call('v1', ONE, { method: 'PUT', body: body('v1beta1', {}) }))).to.equal(
        '400 BadRequest: the API version in the data (example.io/v1beta1) does not match the expected API version (example.io/v1)',
      )
    })

    describe('managed fields', () => {
      const managers = (of: AnyObject): string[] =>
        (of.metadata.managedFields ?? []).map(
          ({ manager, operation, apiVersion, fieldsV1 }: ManagedFieldsEntry) =>
            `${manager} ${operation} ${apiVersion} ${JSON.stringify((fieldsV1 as JsonObject)['f:spec'])}`,
        )
      const applied = (version: V, manager: string, spec: object, search = ''): Promise<AnyObject> =>
        object(version, ONE, {
          method: 'PATCH',
          headers: { 'content-type': TYPES.apply },
          body: JSON.stringify({ apiVersion: `example.io/${version}`, kind: 'Widget', spec }),
          search: `fieldManager=${manager}${search}`,
        })

      it('change owner by a write in another version', async () => {
        expect(managers(await object('v1', ONE))).to.deep.equal(['tester Update example.io/v1beta1 {"f:shade":{}}'])
        const next = await object('v1', ONE, { method: 'PUT', body: body('v1', { color: 'blue' }), search: 'fieldManager=other' })
        expect(managers(next).filter(text => text.includes('color') || text.includes('shade'))).to.have.length(1)
        expect(managers(next).find(text => text.startsWith('other'))).to.include('"f:color":{}')
      })

      it('conflict over versions', async () => {
        await applied('v1', 'one', { color: 'blue' }, '&force=1')
        expect(await refusalText(applied('v1beta1', 'two', { shade: 'green' }))).to.match(
          /^409 Conflict: Apply failed with 1 conflict: conflict with "one": .spec.color$/,
        )
        expect(managers(await applied('v1beta1', 'two', { shade: 'blue' }))).to.include.members([
          'one Apply example.io/v1 {"f:color":{}}',
          'two Apply example.io/v1beta1 {"f:shade":{}}',
        ])
      })

      it('are released in another version than they were applied in', async () => {
        await applied('v1', 'one', { color: 'blue', parts: ['a'] }, '&force=1')
        const next = await applied('v1beta1', 'one', { shade: 'blue' })
        expect(next.spec.parts).to.equal(undefined)
        expect(managers(next)).to.include('one Apply example.io/v1beta1 {"f:shade":{}}')
      })

      it('with a version that is not served are dropped by the next write', async () => {
        const both = t.served().definition
        const [v1, v1beta1] = both.versions as [typeof both.hub, typeof both.hub]
        t.catalog.replace([{ ...both, versions: [v1], unserved: [v1beta1] }])
        const next = await object('v1', ONE, { method: 'PUT', body: body('v1', { color: 'blue' }), search: 'fieldManager=other' })
        expect(managers(next)).to.deep.equal([
          `other Update example.io/v1 ${storedIn === 'v1' ? '{"f:color":{}}' : '{"f:color":{},"f:size":{}}'}`,
        ])
      })
    })
  })

describe('stored bytes', () => {
  const codec = codecOf(twoVersions(), 'test')
  const old = {
    kind: 'Widget',
    apiVersion: 'example.io/v1beta1',
    metadata: { name: 'a', creationTimestamp: null },
    spec: { shade: 'red' },
    status: {},
  }
  const cases: [what: string, stored: object, spec: object][] = [
    ['the stored version', old, { shade: 'red' }],
    ['another version', { ...old, apiVersion: 'example.io/v1', spec: { color: 'red' } }, { shade: 'red', size: 1 }],
  ]
  for (const [what, stored, spec] of cases)
    it(`with ${what} are read`, () => {
      const read = JSON.parse(codec.json(Buffer.from(JSON.stringify(stored)), revision(7)).bytes.toString()) as AnyObject
      expect([read.apiVersion, read.metadata.resourceVersion, read.spec]).to.deep.equal(['example.io/v1beta1', '7', spec])
    })

  it('are of the storage version, whatever version is written', () => {
    const hub = { kind: 'Widget', apiVersion: 'example.io/v1', metadata: { name: 'a' }, spec: { color: 'red' } }
    expect(JSON.parse(codec.encode(hub).toString())).to.deep.equal(old)
    expect(codec.attributes(hub).fields).to.include({ 'spec.shade': 'red' })
    expect(hub.spec).to.deep.equal({ color: 'red' })
  })
})
