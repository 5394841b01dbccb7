import { expect } from 'chai'
import type { JsonObject, ManagedFieldsEntry } from '../../../src/api/meta/object.ts'
import { type UpdateArgs, updateManagedFields } from '../../../src/apply/managed-fields.ts'
import { types } from '../../../src/catalog/types.ts'
import { decode } from '../../../src/schema/decode.ts'
import type { AnyObject } from '../../support/any-object.ts'
import { fixture } from './fixture.ts'

interface Step {
  type: string
  key: string
  old: boolean
  next: AnyObject
  manager: string
  resetFields?: string[][]
  expect?: ManagedFieldsEntry[]
}

const configMap = types.type('core.ConfigMap')
const at = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`
const object = (data: JsonObject, managedFields?: ManagedFieldsEntry[]): AnyObject =>
  ({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: 'x', creationTimestamp: null, ...(managedFields && { managedFields }) },
    data,
  }) as AnyObject
const write = (
  next: AnyObject,
  old: AnyObject | undefined,
  manager: string,
  second: number,
  more: Partial<UpdateArgs> = {},
): ManagedFieldsEntry[] => updateManagedFields({ schema: configMap, old, next, manager, apiVersion: 'v1', now: at(second), ...more })
const entry = (manager: string, second: number, data: JsonObject, more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  manager,
  operation: 'Update',
  apiVersion: 'v1',
  time: at(second),
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:data': data },
  ...more,
})

describe('managed fields of updates', () => {
  describe('match those of kube-apiserver', () => {
    for (const { name, steps } of fixture<{ name: string; steps: Step[] }>('managed-fields'))
      it(name, () => {
        const live = new Map<string, AnyObject>()
        for (const { type, key, old: known, next, manager, resetFields, expect: wanted } of steps) {
          const old = known ? live.get(key) : undefined
          const inputs = structuredClone([old, next])
          const entries = updateManagedFields({
            schema: types.type(type),
            old,
            next,
            manager,
            apiVersion: next.apiVersion,
            resetFields,
            now: at(0),
          })
          expect([old, next]).to.deep.equal(inputs)
          if (wanted) {
            const inOrder = (list: ManagedFieldsEntry[]): string[] => list.map(({ time: _, ...rest }) => JSON.stringify(rest)).sort()
            expect(inOrder(entries)).to.deep.equal(inOrder(wanted))
          }
          const { managedFields: _, ...metadata } = next.metadata
          live.set(key, { ...next, metadata: { ...metadata, ...(entries.length > 0 && { managedFields: entries }) } })
        }
      })
  })

  const created = object({ a: '1', b: '1' }, [entry('one', 1, { '.': {}, 'f:a': {}, 'f:b': {} })])
  const table: [why: string, next: AnyObject, old: AnyObject | undefined, manager: string, result: ManagedFieldsEntry[]][] = [
    ['a create owns the fields that it sets', object({ a: '1' }), undefined, 'one', [entry('one', 9, { '.': {}, 'f:a': {} })]],
    [
      'an update that changes nothing keeps the time',
      object({ a: '1', b: '1' }),
      created,
      'two',
      created.metadata.managedFields as ManagedFieldsEntry[],
    ],
    [
      'a change takes the field',
      object({ a: '2', b: '1' }),
      created,
      'two',
      [entry('one', 1, { '.': {}, 'f:b': {} }), entry('two', 9, { 'f:a': {} })],
    ],
    ['a removal has no owner and changes no time', object({ a: '1' }), created, 'two', [entry('one', 1, { '.': {}, 'f:a': {} })]],
    [
      'the same manager gathers',
      object({ a: '1', b: '2', c: '3' }),
      created,
      'one',
      [entry('one', 9, { '.': {}, 'f:a': {}, 'f:b': {}, 'f:c': {} })],
    ],
    [
      'who loses all is gone',
      object({ a: '2' }),
      object({ a: '1' }, [entry('one', 1, { 'f:a': {} })]),
      'two',
      [entry('two', 9, { 'f:a': {} })],
    ],
    ['no name is unknown', object({ a: '1' }), undefined, '', [entry('unknown', 9, { '.': {}, 'f:a': {} })]],
    ['an untracked object stays untracked', object({ a: '2' }), object({ a: '1' }), 'two', []],
    ['an empty list gives up tracking', object({ a: '2' }, []), created, 'two', []],
    ['one empty entry gives up tracking', object({ a: '2' }, [{}]), created, 'two', []],
    [
      'entries of the request replace those of the object',
      object({ a: '1', b: '1' }, [entry('mine', 5, { 'f:a': {} })]),
      created,
      'two',
      [entry('mine', 5, { 'f:a': {} })],
    ],
    [
      'malformed entries of the request count as none',
      object({ a: '1', b: '1' }, [{ manager: 'x', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV2' }]),
      created,
      'two',
      created.metadata.managedFields as ManagedFieldsEntry[],
    ],
    [
      'a create may bring entries',
      object({ a: '1' }, [entry('mine', 5, { 'f:a': {} })]),
      undefined,
      'two',
      [entry('two', 9, { '.': {}, 'f:a': {} })],
    ],
    [
      'managers of a version that is not served are gone',
      object({ a: '1' }),
      object({ a: '1' }, [entry('one', 1, { 'f:a': {} }), entry('old', 1, { 'f:a': {} }, { apiVersion: 'v0' })]),
      'two',
      [entry('one', 1, { 'f:a': {} })],
    ],
  ]
  for (const [why, next, old, manager, result] of table) it(why, () => expect(write(next, old, manager, 9)).to.deep.equal(result))

  it('are sorted: appliers first, then by time, then by name', () => {
    const entries = [
      entry('c', 2, { 'f:b': {} }),
      entry('z', 1, { 'f:c': {} }),
      entry('b', 2, { 'f:d': {} }),
      entry('y', 3, { 'f:a': {} }, { operation: 'Apply' }),
    ]
    const old = object({ a: '1', b: '1', c: '1', d: '1' }, entries)
    expect(write(object(old.data), old, 'new', 9).map(e => e.manager)).to.deep.equal(['y', 'z', 'b', 'c'])
  })

  it('do not include reset fields, identity and system fields', () => {
    const schema = types.type('core.Pod')
    const next = decode(schema, {
      metadata: { name: 'x', uid: 'u', labels: { a: '1' } },
      spec: { containers: [{ name: 'c', image: 'i' }] },
      status: { phase: 'Running' },
    })
    const args = {
      schema,
      old: undefined,
      next: { ...next, kind: 'Pod', apiVersion: 'v1' } as unknown as AnyObject,
      manager: 'm',
      apiVersion: 'v1',
      now: at(0),
    }
    const spec = { 'f:containers': { 'k:{"name":"c"}': { '.': {}, 'f:image': {}, 'f:name': {}, 'f:resources': {} } } }
    const metadata = { 'f:labels': { '.': {}, 'f:a': {} } }
    expect(updateManagedFields({ ...args, resetFields: [['status']] })[0]?.fieldsV1).to.deep.equal({
      'f:metadata': metadata,
      'f:spec': spec,
    })
    expect(updateManagedFields({ ...args, resetFields: [['spec']], subresource: 'status' })[0]).to.deep.include({
      subresource: 'status',
      fieldsV1: { 'f:metadata': metadata, 'f:status': { 'f:phase': {} } },
    })
  })

  it('are not set by requests of a subresource', () => {
    const next = object({ a: '2', b: '1' }, [{}])
    expect(write(next, created, 'two', 9, { subresource: 'status' })).to.deep.equal([
      entry('one', 1, { '.': {}, 'f:b': {} }),
      entry('two', 9, { 'f:a': {} }, { subresource: 'status' }),
    ])
  })

  it('are dropped for an object that does not match its schema', () => {
    const next = { kind: 'Service', apiVersion: 'v1', metadata: { name: 'x' }, spec: { ports: [null] } } as unknown as AnyObject
    expect(
      updateManagedFields({ schema: types.type('core.Service'), old: undefined, next, manager: 'm', apiVersion: 'v1', now: at(0) }),
    ).to.deep.equal([])
  })

  it('are compared in the version of each manager', () => {
    const old = object({ a: '1' }, [entry('one', 1, { 'f:a': {}, 'f:b': {} }, { apiVersion: 'v2' })])
    const convert = (from: AnyObject, version: string) => {
      expect(version).to.equal('v2')
      return { schema: configMap, object: object({ b: from.data.a }) }
    }
    expect(write(object({ a: '2' }), old, 'two', 9, { convert })).to.deep.equal([
      entry('one', 1, { 'f:a': {} }, { apiVersion: 'v2' }),
      entry('two', 9, { 'f:a': {} }),
    ])
  })

  it('merge the oldest of more than ten updaters', () => {
    let live = object({ k0: '0' })
    live.metadata.managedFields = write(live, undefined, 'm0', 0)
    for (let i = 1; i <= 12; i++) {
      const next = object({ ...(live.data as JsonObject), [`k${i}`]: '1' })
      const entries = write(next, live, `m${i}`, i)
      live = object(next.data, entries)
      expect(entries.length).to.equal(Math.min(i + 1, 10))
    }
    expect(live.metadata.managedFields?.[0]).to.deep.equal(
      entry('ancient-changes', 3, { '.': {}, 'f:k0': {}, 'f:k1': {}, 'f:k2': {}, 'f:k3': {} }),
    )
  })
})
