import type { Json, JsonObject, KubeObject, ManagedFieldsEntry } from '../../../src/api/meta/object.ts'
import type { ApplyArgs } from '../../../src/apply/apply.ts'
import { ApplyError, causesOf } from '../../../src/apply/apply-error.ts'
import { updateManagedFields } from '../../../src/apply/managed-fields.ts'
import { types } from '../../../src/catalog/types.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { applyConfiguration, applyJsonPatch, applyMergePatch, applyStrategicPatch } from '../../support/at-once.ts'
import { expectNoSquare } from '../../support/processor-cost.ts'

const configMap = types.type('core.ConfigMap')
const pod = types.type('core.Pod')
const now = '2026-01-01T00:00:00Z'
const list = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
const data = (count: number, value: string): JsonObject => Object.fromEntries(list(count, i => [`k${i}`, value]))
const env = (count: number, value: string): JsonObject[] => list(count, i => ({ name: `e${i}`, value }))
const names = (from: readonly JsonObject[]): JsonObject[] => from.map(({ name }) => ({ name: name as Json }))

type Kind = 'ConfigMap' | 'Pod' | 'finalizers'
/** An object with so many members, elements, or elements of a set. */
function object(kind: Kind, count: number, value: string, reversed = false): JsonObject {
  const inOrder = <T>(all: T[]): T[] => (reversed ? all.reverse() : all)
  if (kind === 'ConfigMap') return { apiVersion: 'v1', kind, metadata: { name: 'x' }, data: data(count, value) }
  if (kind === 'Pod')
    return { apiVersion: 'v1', kind, metadata: { name: 'x' }, spec: { containers: [{ name: 'c', env: inOrder(env(count, value)) }] } }
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', finalizers: inOrder(list(count, i => `a/${i}`)) } }
}
const schemaOf = (kind: Kind) => (kind === 'Pod' ? pod : configMap)
const tracked = (written: KubeObject | JsonObject, managedFields: ManagedFieldsEntry[]): KubeObject =>
  ({ ...written, metadata: { ...(written.metadata as JsonObject), managedFields } }) as unknown as KubeObject

function apply(kind: Kind, live: KubeObject | undefined, config: JsonObject, more: Partial<ApplyArgs> = {}) {
  const args = {
    schema: schemaOf(kind),
    live: structuredClone(live),
    config,
    manager: 'm',
    apiVersion: 'v1',
    kind: config.kind as string,
    force: true,
    now,
  }
  return applyConfiguration({ ...args, ...more })
}
const applied = (kind: Kind, config: JsonObject): KubeObject => {
  const { object: made, managedFields } = apply(kind, undefined, config)
  return tracked(made, managedFields)
}
const update = (kind: Kind, old: KubeObject | undefined, next: JsonObject, manager: string): ManagedFieldsEntry[] =>
  updateManagedFields({
    schema: schemaOf(kind),
    old: structuredClone(old),
    next: next as unknown as KubeObject,
    manager,
    apiVersion: 'v1',
    now,
  })
const strategic = (count: number, patched: JsonObject[], order?: JsonObject[]): unknown =>
  applyStrategicPatch(pod, object('Pod', count, '1'), {
    spec: { containers: [{ name: 'c', env: patched, ...(order && { '$setElementOrder/env': names(order) }) }] },
  })
const odd = <T>(_: T, i: number): boolean => i % 2 === 1
const deleted = (items: readonly JsonObject[]): JsonObject[] => names(items).map(item => ({ ...item, $patch: 'delete' }))

/** Preparation for a number of fields, which returns the work to measure. */
const table: [what: string, prepare: (count: number) => () => unknown][] = [
  ...(['ConfigMap', 'Pod', 'finalizers'] as const).flatMap((kind): [string, (count: number) => () => unknown][] => [
    [`apply of ${kind}, again`, n => run(kind, n, object(kind, n, '1'))],
    [`apply of ${kind}, with half of it gone and the rest changed and reversed`, n => run(kind, n, object(kind, n / 2, '2', true))],
    [
      `update of ${kind}`,
      n => {
        const before = object(kind, n, '1')
        const old = tracked(before, update(kind, undefined, before, 'one'))
        return () => update(kind, old, object(kind, n, '2', true), 'two')
      },
    ],
  ]),
  [
    'conflicts',
    n => {
      const live = applied('ConfigMap', object('ConfigMap', n, '1'))
      return () => {
        try {
          apply('ConfigMap', live, object('ConfigMap', n, '2'), { manager: 'o', force: false })
        } catch (error) {
          if (error instanceof ApplyError) return runAtOnce(causesOf(error))
          throw error
        }
        throw new Error('no conflict')
      }
    },
  ],
  ['strategic merge', n => () => strategic(n, env(n, '2').reverse(), env(n, '2').reverse())],
  ['strategic deletion of all', n => () => strategic(n, deleted(env(n, '1')))],
  ['strategic deletion of every other', n => () => strategic(n, deleted(env(n, '1').filter(odd)), env(n, '1').filter(odd))],
  [
    'strategic exchange',
    n => () =>
      strategic(
        n,
        [...list(n, i => ({ name: `n${i}` })), ...deleted(env(n, '1'))],
        list(n, i => ({ name: `n${i}` })),
      ),
  ],
  [
    'JSON patch that appends',
    n => () =>
      applyJsonPatch(
        { l: [] },
        list(n, value => ({ op: 'add', path: '/l/-', value })),
      ),
  ],
  [
    'JSON patch of members',
    n => () =>
      applyJsonPatch(
        { d: data(n, '1') },
        list(n, i => ({ op: 'move', from: `/d/k${i}`, path: `/d/n${i}` })),
      ),
  ],
  ['merge patch', n => () => applyMergePatch({ d: data(n, '1') }, { d: data(n, '2') })],
]

function run(kind: Kind, count: number, config: JsonObject): () => unknown {
  const live = applied(kind, object(kind, count, '1'))
  return () => apply(kind, live, config)
}

describe('ten thousand fields of one object take linear time', () => {
  for (const [what, prepare] of table) it(what, () => expectNoSquare(prepare))
})
