import { expect } from 'chai'
import type { JsonObject, KubeObject, ManagedFieldsEntry } from '../../../src/api/meta/object.ts'
import type { ApplyArgs } from '../../../src/apply/apply.ts'
import { ApplyError, causesOf } from '../../../src/apply/apply-error.ts'
import { printElement } from '../../../src/apply/path-element.ts'
import { types } from '../../../src/catalog/types.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { loose } from '../../support/any-object.ts'
import { applyConfiguration } from '../../support/at-once.ts'
import { fixture } from './fixture.ts'

interface Row {
  type: string
  live: KubeObject
  config: JsonObject
  applied?: JsonObject
  others: JsonObject
  force: boolean
  conflicts?: string[]
  object?: JsonObject
  othersAfter?: JsonObject
}

const time = (second: number): string => `2026-01-01T00:00:0${second}Z`
const entry = (manager: string, operation: 'Apply' | 'Update', fieldsV1: JsonObject, second = 1): ManagedFieldsEntry => ({
  manager,
  operation,
  apiVersion: 'v1',
  time: time(second),
  fieldsType: 'FieldsV1',
  fieldsV1,
})

/** The error of an apply that must fail. */
function failure(run: () => unknown): ApplyError {
  try {
    run()
  } catch (error) {
    if (error instanceof ApplyError) return error
    throw error
  }
  throw new Error('did not fail')
}

describe('apply', () => {
  describe('matches the reference implementation', () => {
    for (const [i, { type, live, config, applied, others, force, conflicts, object, othersAfter }] of fixture<Row>('apply').entries())
      it(`with ${type}, ${i}`, () => {
        const entries = [...(applied ? [entry('m1', 'Apply', applied)] : []), entry('m2', 'Update', others)]
        const tracked = { ...live, metadata: { ...live.metadata, managedFields: entries } }
        const inputs = structuredClone({ tracked, config })
        const args = { schema: types.type(type), live: tracked, config, manager: 'm1', apiVersion: 'v1', kind: 'K', force, now: time(2) }
        if (conflicts) {
          const error = failure(() => applyConfiguration(args))
          expect(error.code).to.equal('conflict')
          expect(error.conflicts.map(({ manager, path }) => `${manager.manager} ${path.map(printElement).join('')}`).sort()).to.deep.equal(
            conflicts.toSorted(),
          )
        } else {
          const result = applyConfiguration(args)
          expect(result.object).to.deep.equal(object ?? live)
          expect(result.managedFields.find(e => e.manager === 'm2')?.fieldsV1).to.deep.equal(othersAfter)
        }
        expect({ tracked, config }).to.deep.equal(inputs)
      })
  })

  const configMap = types.type('core.ConfigMap')
  const object = (data: JsonObject, managedFields?: ManagedFieldsEntry[], annotations?: Record<string, string>): KubeObject => ({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: 'x', creationTimestamp: null, ...(annotations && { annotations }), ...(managedFields && { managedFields }) },
    data,
  })
  const config = (data: JsonObject, metadata: JsonObject = {}): JsonObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'x', ...metadata },
    data,
  })
  const apply = (live: KubeObject | undefined, sent: JsonObject, more: Partial<ApplyArgs> = {}) =>
    applyConfiguration({
      schema: configMap,
      live,
      config: sent,
      manager: 'm',
      apiVersion: 'v1',
      kind: 'ConfigMap',
      force: false,
      now: time(5),
      ...more,
    })

  it('creates an object', () => {
    expect(apply(undefined, config({ a: '1' }))).to.deep.equal({
      object: object({ a: '1' }),
      managedFields: [entry('m', 'Apply', { 'f:data': { 'f:a': {} } }, 5)],
    })
  })

  it('removes fields that are no longer applied, unless another manager owns them', () => {
    const live = object({ a: '1', b: '1', c: '1' }, [
      entry('m', 'Apply', { 'f:data': { 'f:a': {}, 'f:b': {}, 'f:c': {} } }),
      entry('u', 'Update', { 'f:data': { 'f:b': {} } }),
    ])
    expect(apply(live, config({ c: '1' }))).to.deep.equal({
      object: object({ b: '1', c: '1' }),
      managedFields: [entry('m', 'Apply', { 'f:data': { 'f:c': {} } }, 5), entry('u', 'Update', { 'f:data': { 'f:b': {} } })],
    })
  })

  it('shares a field of the same value, and sets no time if nothing changes', () => {
    const live = object({ a: '1' }, [entry('o', 'Apply', { 'f:data': { 'f:a': {} } })])
    const { time: _, ...untimed } = entry('m', 'Apply', { 'f:data': { 'f:a': {} } })
    expect(apply(live, config({ a: '1' }))).to.deep.equal({
      object: object({ a: '1' }),
      managedFields: [untimed, entry('o', 'Apply', { 'f:data': { 'f:a': {} } })],
    })
  })

  it('assigns existing fields to before-first-apply', () => {
    const data = { 'f:data': { '.': {}, 'f:a': {} } }
    expect(failure(() => apply(object({ a: '1' }), config({ a: '2' }))).message).to.equal(
      'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.a',
    )
    expect(apply(object({ a: '1' }), config({ b: '2' })).managedFields).to.deep.equal([
      entry('m', 'Apply', { 'f:data': { 'f:b': {} } }, 5),
      entry('before-first-apply', 'Update', data, 5),
    ])
  })

  it('reports conflicts by manager, and takes fields over with force', () => {
    const live = object({ a: '1', b: '1' }, [
      entry('o', 'Apply', { 'f:data': { 'f:a': {}, 'f:b': {} } }),
      { ...entry('s', 'Update', { 'f:data': { 'f:a': {} } }), subresource: 'status' },
    ])
    const error = failure(() => apply(live, config({ a: '2', b: '2' })))
    expect(error.message).to.equal(
      'Apply failed with 3 conflicts: conflicts with "o":\n- .data.a\n- .data.b\nconflicts with "s" with subresource "status" using v1:\n- .data.a',
    )
    expect(runAtOnce(causesOf(error))[2]).to.deep.equal({
      reason: 'FieldManagerConflict',
      message: 'conflict with "s" with subresource "status" using v1',
      field: '.data.a',
    })
    expect(apply(live, config({ a: '2', b: '2' }), { force: true }).managedFields).to.deep.equal([
      entry('m', 'Apply', { 'f:data': { 'f:a': {}, 'f:b': {} } }, 5),
    ])
  })

  describe('with kubectl, after a client-side apply', () => {
    const annotation = 'kubectl.kubernetes.io/last-applied-configuration'
    const client = entry('kubectl-client-side-apply', 'Update', { 'f:data': { '.': {}, 'f:a': {}, 'f:b': {} } })
    const before = object({ a: '1', b: '1' }, [client], { [annotation]: JSON.stringify(config({ a: '1' })) })

    it('takes over, and keeps the annotation', () => {
      const { object: after } = apply(before, config({ a: '2' }), { manager: 'kubectl' })
      expect(after.data).to.deep.equal({ a: '2', b: '1' })
      expect(after.metadata.annotations).to.deep.equal({
        [annotation]: '{"apiVersion":"v1","data":{"a":"2"},"kind":"ConfigMap","metadata":{"name":"x"}}\n',
      })
    })

    it('conflicts about other fields', () => {
      expect(failure(() => apply(before, config({ a: '2', b: '2' }), { manager: 'kubectl' })).message).to.equal(
        'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.b',
      )
    })

    it('is only possible for the manager kubectl', () => expect(failure(() => apply(before, config({ a: '2' }))).code).to.equal('conflict'))
  })

  it('treats managed fields that upstream cannot decode as none', () =>
    expect(loose(apply(undefined, config({ a: '1' }, { managedFields: [null] })).object).data).to.deep.equal({ a: '1' }))

  const refused: [sent: JsonObject, code: string, message: string][] = [
    [{}, 'bad request', 'invalid object type: /, Kind='],
    [{ ...config({}), apiVersion: 'a/b/c' }, 'bad request', 'invalid object type: /, Kind='],
    [{ ...config({}), apiVersion: 'apps/v2' }, 'bad request', 'invalid object type: apps/v2, Kind=ConfigMap'],
    [config({}, { managedFields: [] }), 'bad request', 'metadata.managedFields must be nil'],
    [
      { ...config({}), zzz: 1 },
      'internal',
      'failed to create typed patch object (/x; /v1, Kind=ConfigMap): .zzz: field not declared in schema',
    ],
    [
      config({}, { namespace: 'n', finalizers: ['a', 'a', 'a'] }),
      'internal',
      'failed to create typed patch object (n/x; /v1, Kind=ConfigMap): errors:\n  .metadata.finalizers: duplicate entries for key [="a"]\n  .metadata.finalizers: duplicate entries for key [="a"]',
    ],
    [
      config({}, { finalizers: [null] }),
      'internal',
      "failed to create typed patch object (/x; /v1, Kind=ConfigMap): .metadata.finalizers: element 0: associative list without keys has an element that's an explicit null",
    ],
    [
      config({}, { finalizers: { a: 1 } }),
      'internal',
      'failed to create typed patch object (/x; /v1, Kind=ConfigMap): .metadata.finalizers: expected list, got &{map[a:1]}',
    ],
    [
      config({}, { generation: 'x' }),
      'internal',
      'failed to create typed patch object (/x; /v1, Kind=ConfigMap): .metadata.generation: expected numeric (int or float), got string',
    ],
    [
      config({}, { name: 7 }),
      'internal',
      'failed to create typed patch object (/; /v1, Kind=ConfigMap): .metadata.name: expected string, got &value.valueUnstructured{Value:7}',
    ],
    [
      config({}, { name: { a: [1, 'b', null] } }),
      'internal',
      'failed to create typed patch object (/; /v1, Kind=ConfigMap): .metadata.name: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":[]interface {}{1, "b", interface {}(nil)}}}',
    ],
  ]
  for (const [sent, code, message] of refused)
    it(`refuses ${JSON.stringify(sent)}`, () => {
      const error = failure(() => apply(undefined, sent))
      expect([error.code, error.message]).to.deep.equal([code, message])
    })
})
