import { expect } from 'chai'
import type { ObjectMeta } from '../../../src/api/meta/object.ts'
import type { Strategy } from '../../../src/catalog/strategy.ts'
import { parseLabelSelector } from '../../../src/meta/label-selector.ts'
import { forbiddenError } from '../../../src/meta/status.ts'
import type { DeletionOptions } from '../../../src/registry/deletion-step.ts'
import { BackendError } from '../../../src/storage/backend.ts'
import type { AnyObject } from '../../support/any-object.ts'
import { recordedReservations } from '../../support/reservations.ts'
import { listOptions, refusalText, TestRegistry, WIDGETS, widgetResource } from '../../support/test-registry.ts'

const NOW = '2026-01-02T03:04:05Z'

async function withWidget(strategy: Strategy = {}, metadata: object = {}): Promise<TestRegistry> {
  const t = new TestRegistry([widgetResource({ strategy })])
  await t.create({ name: 'a', ...metadata })
  return t
}
const remove = (t: TestRegistry, options: DeletionOptions = {}, dryRun = false) => t.store.delete(t.target('a', { dryRun }), options)

describe('deleting', () => {
  it('removes the object, and returns its last state', async () => {
    const { log, begin } = recordedReservations()
    const t = await withWidget({ begin })
    const { deleted, object } = await remove(t)
    expect(deleted).to.equal(true)
    expect(object.metadata).to.include({ name: 'a', uid: 'u1' })
    expect(await t.names()).to.deep.equal([])
    expect(log.slice(2)).to.deep.equal(['begin 2 delete', 'commit 2'])
  })

  it('rejects an object that does not exist', async () => {
    expect(await refusalText(remove(new TestRegistry()))).to.equal('404 NotFound: widgets.example.io "a" not found')
  })

  it('runs the validation of the kind first, and starts no deletion that it rejects', async () => {
    const widgets = { group: 'example.io', resource: 'widgets' }
    const validateDelete: Strategy['validateDelete'] = ({ metadata }) => {
      throw forbiddenError(widgets, metadata.name ?? '', 'it stays')
    }
    const t = await withWidget({ validateDelete }, { finalizers: ['example.io/f'] })
    t.admission = { validate: () => Promise.reject(new Error('admission is asked')) }
    expect(await refusalText(remove(t, { preconditions: { uid: 'other' } }))).to.equal(
      '403 Forbidden: widgets.example.io "a" is forbidden: it stays',
    )
    expect((await t.get('a')).metadata.deletionTimestamp).to.equal(undefined)
  })

  it('runs validating admission first', async () => {
    const { log, begin } = recordedReservations()
    const t = await withWidget({ begin })
    t.admission = {
      validate: async ({ operation, old, object }) => {
        expect([operation, old?.metadata.name, object]).to.deep.equal(['DELETE', 'a', undefined])
        throw forbiddenError(WIDGETS, 'a', 'no')
      },
    }
    expect(await refusalText(remove(t))).to.equal('403 Forbidden: widgets.example.io "a" is forbidden: no')
    expect(await t.names()).to.deep.equal(['a'])
    expect(log.slice(2)).to.deep.equal([])
  })

  const preconditions: [string, DeletionOptions['preconditions'], string][] = [
    ['its uid', { uid: 'u1' }, ''],
    ['its version', { resourceVersion: '2' }, ''],
    ['both', { uid: 'u1', resourceVersion: '2' }, ''],
    [
      'another uid',
      { uid: 'u2' },
      '409 Conflict: Operation cannot be fulfilled on Widget.example.io "a": the UID in the precondition (u2) does not match the UID in record (u1). The object might have been deleted and then recreated',
    ],
    [
      'another version',
      { uid: 'u1', resourceVersion: '1' },
      '409 Conflict: Operation cannot be fulfilled on Widget.example.io "a": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (2). The object might have been modified',
    ],
  ]
  for (const [what, wanted, told] of preconditions)
    it(`checks the precondition: ${what}`, async () => {
      const t = await withWidget()
      const result = remove(t, { preconditions: wanted! })
      if (told === '') expect((await result).deleted).to.equal(true)
      else expect(await refusalText(result)).to.equal(told)
      expect(await t.names()).to.deep.equal(told === '' ? [] : ['a'])
    })

  it('removes nothing in a dry run', async () => {
    const { log, begin } = recordedReservations()
    const t = await withWidget({ begin })
    expect(await remove(t, {}, true)).to.have.property('deleted', true)
    expect(await t.names()).to.deep.equal(['a'])
    expect(log.slice(2)).to.deep.equal(['begin 2 delete dry', 'rollback 2'])
  })

  it('rolls back reservations if the store fails', async () => {
    const { log, begin } = recordedReservations()
    const t = await withWidget({ begin })
    t.backend.before = call => {
      if (call === 'write') throw new BackendError('timeout', 'late')
    }
    expect(await refusalText(remove(t))).to.match(/^504 ServerTimeout: The delete operation against widgets\.example\.io /)
    expect(log.slice(2)).to.deep.equal(['begin 2 delete', 'rollback 2'])
  })

  it('retries after a conflict, and checks its preconditions again', async () => {
    const t = await withWidget()
    let interfered = false
    t.backend.before = async call => {
      if (call !== 'write' || interfered) return
      interfered = true
      await t.update('a', { size: 2 })
    }
    expect(await refusalText(remove(t, { preconditions: { resourceVersion: '2' } }))).to.match(
      /does not match the ResourceVersion in record \(3\)/,
    )
    expect(await t.names()).to.deep.equal(['a'])
  })
})

describe('deleting an object with finalizers', () => {
  const started = (finalizers: string[] | undefined, more: object = {}) => ({
    deletionTimestamp: NOW,
    deletionGracePeriodSeconds: 0,
    ...(finalizers && { finalizers }),
    ...more,
  })
  const X = 'example.io/x'
  const table: [string, strategy: Strategy<AnyObject>, finalizers: string[], options: DeletionOptions, left: object | undefined][] = [
    ['a finalizer', {}, [X], {}, started([X])],
    [
      'the kind',
      { holdsDeletion: () => true, markDeleting: widget => void Object.assign(widget.status, { phase: 'Going' }) },
      [],
      {},
      started(undefined),
    ],
    ['dependents that are orphaned', {}, [], { propagationPolicy: 'Orphan' }, started(['orphan'])],
    ['dependents that are orphaned with orphanDependents', {}, [], { orphanDependents: true }, started(['orphan'])],
    ['dependents that go first', {}, [], { propagationPolicy: 'Foreground' }, started(['foregroundDeletion'])],
    ['a finalizer and dependents', {}, [X], { propagationPolicy: 'Foreground' }, started([X, 'foregroundDeletion'])],
    ['nothing: in the background', {}, [], { propagationPolicy: 'Background' }, undefined],
    ['nothing: dependents are not orphaned', {}, [], { orphanDependents: false }, undefined],
    ['orphans by the kind’s default', { defaultPropagation: 'orphan' }, [], {}, started(['orphan'])],
    ['nothing, against the kind’s default', { defaultPropagation: 'orphan' }, [], { propagationPolicy: 'Background' }, undefined],
    ['a present propagation finalizer', {}, ['foregroundDeletion'], {}, started(['foregroundDeletion'])],
    [
      'a present propagation finalizer, against the kind’s default',
      { defaultPropagation: 'orphan' },
      ['foregroundDeletion'],
      {},
      started(['foregroundDeletion']),
    ],
    [
      'a present propagation finalizer, which the options replace',
      {},
      ['foregroundDeletion', X],
      { propagationPolicy: 'Orphan' },
      started([X, 'orphan']),
    ],
    ['a present propagation finalizer, which the options remove', {}, ['orphan'], { propagationPolicy: 'Background' }, undefined],
  ]
  for (const [what, strategy, finalizers, options, left] of table)
    it(what, async () => {
      const t = await withWidget(strategy, finalizers.length > 0 ? { finalizers } : {})
      const { deleted, object } = await remove(t, options)
      expect(deleted).to.equal(left === undefined)
      if (left === undefined) return expect(await t.names()).to.deep.equal([])
      const { deletionTimestamp, deletionGracePeriodSeconds, finalizers: remaining } = (await t.get('a')).metadata
      expect({ deletionTimestamp, deletionGracePeriodSeconds, ...(remaining && { finalizers: remaining }) }).to.deep.equal(left)
      expect(object).to.deep.equal(await t.get('a'))
      if (strategy.markDeleting) expect(object.status).to.deep.equal({ phase: 'Going' })
    })

  it('returns an object without content in a dry run that would remove the last finalizer', async () => {
    const t = await withWidget({}, { finalizers: ['orphan'] })
    const { deleted, blank, object } = await remove(t, { propagationPolicy: 'Background' }, true)
    expect([deleted, blank, object.kind, object.metadata]).to.deep.equal([true, true, 'Widget', { creationTimestamp: null }])
    expect((await remove(t, {}, true)).object.metadata.finalizers).to.deep.equal(['orphan'])
    expect(await t.names()).to.deep.equal(['a'])
  })

  it('rejects a resourceVersion precondition if the last finalizer is removed, as upstream does', async () => {
    const t = await withWidget({}, { finalizers: ['orphan'] })
    const options: DeletionOptions = { propagationPolicy: 'Background', preconditions: { resourceVersion: '2' } }
    expect(await refusalText(remove(t, options))).to.equal(
      '409 Conflict: Operation cannot be fulfilled on widgets.example.io "a": StorageError: invalid object, Code: 4, Key: /registry/widgets/ns/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ResourceVersion in precondition: , ResourceVersion in object meta: 2',
    )
    expect((await remove(t, { ...options, preconditions: { uid: 'u1' } })).deleted).to.equal(true)
  })

  it('warns if dependents are orphaned by default', async () => {
    const warnings = async (options: DeletionOptions, dryRun = false) => {
      const t = await withWidget({ defaultPropagation: 'orphan', orphanWarning: 'left behind' })
      await remove(t, options, dryRun)
      return t.warnings
    }
    expect(await warnings({})).to.deep.equal(['left behind'])
    expect(await warnings({}, true)).to.deep.equal(['left behind'])
    expect(await warnings({ propagationPolicy: 'Orphan' })).to.deep.equal([])
    expect(await warnings({ orphanDependents: false })).to.deep.equal([])
  })

  it('increments the generation once, and writes nothing the second time', async () => {
    const strategy: Strategy = {
      prepare: (next, old) => {
        if (!old) next.metadata.generation = 4
      },
    }
    const t = await withWidget(strategy, { finalizers: [X] })
    expect((await remove(t)).object.metadata).to.include({ generation: 5, resourceVersion: '3' })
    t.now += 60_000
    const again = await remove(t)
    expect(again.deleted).to.equal(false)
    expect(again.object.metadata).to.include({ generation: 5, resourceVersion: '3', deletionTimestamp: NOW })
  })
})

describe('deleting gracefully', () => {
  /** A grace period of 30 seconds unless the request sets one. */
  const graceful: Strategy = { gracePeriod: (_, requested) => requested ?? 30 }
  const at = (seconds: number) => new Date(Date.parse(NOW) + seconds * 1000).toISOString().replace('.000Z', 'Z')
  /** Deletions, each `after` so many seconds. `left` is undefined if the object is gone. */
  const table: [
    string,
    [after: number, gracePeriodSeconds: number | undefined][],
    left: [deletionTimestamp: string, seconds: number] | undefined,
  ][] = [
    ['by default', [[0, undefined]], [at(30), 30]],
    ['as requested', [[0, 7]], [at(7), 7]],
    ['immediately', [[0, 0]], undefined],
    ['less than nothing is a second', [[0, -3]], [at(1), 1]],
    [
      'again: nothing changes',
      [
        [0, 30],
        [5, undefined],
      ],
      [at(30), 30],
    ],
    [
      'never longer',
      [
        [0, 30],
        [5, 40],
      ],
      [at(30), 30],
    ],
    [
      'as long as before, after it has elapsed: nothing changes',
      [
        [0, 30],
        [40, 30],
      ],
      [at(30), 30],
    ],
    [
      'shorter, from when it began',
      [
        [0, 30],
        [5, 10],
      ],
      [at(10), 10],
    ],
    [
      'shorter than has passed: now, with a second',
      [
        [0, 30],
        [20, 10],
      ],
      [at(20), 1],
    ],
    [
      'immediately at a second request',
      [
        [0, 30],
        [5, 0],
      ],
      undefined,
    ],
  ]
  for (const [what, requests, left] of table)
    it(what, async () => {
      const t = await withWidget(graceful)
      let last: Awaited<ReturnType<typeof remove>> | undefined
      for (const [after, gracePeriodSeconds] of requests) {
        t.now = Date.parse(NOW) + after * 1000
        last = await remove(t, gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds })
      }
      expect(last?.deleted).to.equal(left === undefined)
      if (!left) return expect(await t.names()).to.deep.equal([])
      const { deletionTimestamp, deletionGracePeriodSeconds }: ObjectMeta = (await t.get('a')).metadata
      expect([deletionTimestamp, deletionGracePeriodSeconds]).to.deep.equal(left)
      expect(last?.object.metadata.deletionTimestamp).to.equal(deletionTimestamp)
    })

  it('has no grace period if the kind has none', async () => {
    expect((await remove(await withWidget(), { gracePeriodSeconds: 30 })).deleted).to.equal(true)
  })

  it('waits only for finalizers after the grace period is shortened to 0', async () => {
    const t = await withWidget(graceful, { finalizers: ['example.io/x'] })
    await remove(t)
    const { object, deleted } = await remove(t, { gracePeriodSeconds: 0 })
    expect(deleted).to.equal(false)
    expect(object.metadata).to.include({ deletionTimestamp: NOW, deletionGracePeriodSeconds: 0 })
  })
})

describe('deleting gracefully with a grace period of 0', () => {
  const graceful: Strategy = { gracePeriod: (_, requested) => requested ?? 30 }
  const AT_ONCE: DeletionOptions = { gracePeriodSeconds: 0 }

  it('writes twice: the object with an elapsed deletion, then its removal', async () => {
    const t = await withWidget(graceful)
    const versions: unknown[] = []
    t.admission = {
      validate: async ({ operation, old }) => {
        const { resourceVersion, deletionTimestamp, deletionGracePeriodSeconds } = old?.metadata ?? {}
        versions.push([operation, resourceVersion, deletionTimestamp, deletionGracePeriodSeconds])
      },
    }
    const { object, deleted } = await remove(t, AT_ONCE)
    expect(deleted).to.equal(true)
    expect(object.metadata).to.include({ resourceVersion: '4', deletionTimestamp: NOW, deletionGracePeriodSeconds: 0 })
    expect(versions).to.deep.equal([
      ['DELETE', '2', undefined, undefined],
      ['DELETE', '3', NOW, 0],
    ])
    expect(await t.names()).to.deep.equal([])
  })

  it('checks a resourceVersion precondition in the first write', async () => {
    const t = await withWidget(graceful)
    const { deleted } = await remove(t, { ...AT_ONCE, preconditions: { uid: 'u1', resourceVersion: '2' } })
    expect(deleted).to.equal(true)
    expect(await t.names()).to.deep.equal([])
  })

  it('succeeds if another client removes the object in between', async () => {
    const t = await withWidget(graceful)
    let asked = 0
    t.admission = {
      validate: async () => {
        if (++asked === 2) await remove(t)
      },
    }
    const { object, deleted } = await remove(t, AT_ONCE)
    expect(deleted).to.equal(true)
    expect(object.metadata).to.include({ resourceVersion: '3', deletionGracePeriodSeconds: 0 })
  })

  it('leaves the object with an elapsed deletion if the second write is rejected', async () => {
    const t = await withWidget(graceful)
    let asked = 0
    t.admission = {
      validate: async () => {
        if (++asked === 2) throw forbiddenError({ group: WIDGETS.group, resource: WIDGETS.resource }, 'a', 'not yet')
      },
    }
    expect(await refusalText(remove(t, AT_ONCE))).to.match(/not yet/)
    expect((await t.get('a')).metadata).to.include({ resourceVersion: '3', deletionGracePeriodSeconds: 0 })
    t.admission = {}
    expect((await remove(t)).deleted).to.equal(true)
    expect(await t.names()).to.deep.equal([])
  })

  it('returns the state of the first write in a dry run', async () => {
    const t = await withWidget(graceful)
    const { object, deleted, blank } = await remove(t, AT_ONCE, true)
    expect([deleted, blank]).to.deep.equal([true, undefined])
    expect(object.metadata).to.include({ resourceVersion: '2', deletionTimestamp: NOW, deletionGracePeriodSeconds: 0 })
    expect((await t.get('a')).metadata.deletionTimestamp).to.equal(undefined)
  })
})

describe('deleting a collection', () => {
  const open = async (count: number) => {
    const t = new TestRegistry()
    for (let i = 0; i < count; i++) await t.create({ name: `w${i}`, labels: { odd: String(i % 2 === 1) } })
    return t
  }

  it('deletes the selected objects, and returns them', async () => {
    const t = await open(6)
    const { items } = await t.store.deleteCollection(t.target(''), {}, listOptions({ labels: parseLabelSelector('odd=true') }))
    expect(items.map(item => item.attributes().name)).to.deep.equal(['w1', 'w3', 'w5'])
    expect(await t.names()).to.deep.equal(['w0', 'w2', 'w4'])
  })

  it('deletes one page if a limit is set', async () => {
    const t = await open(4)
    const result = await t.store.deleteCollection(t.target(''), {}, listOptions({ limit: 3 }))
    expect(result.continue).to.not.equal('')
    expect(await t.names()).to.deep.equal(['w3'])
  })

  it('ignores objects that are gone meanwhile, and stops at any other error', async () => {
    const t = await open(3)
    let gone = false
    t.backend.before = async call => {
      if (call !== 'get' || gone) return
      gone = true
      await t.store.delete(t.target('w1'), {})
    }
    await t.store.deleteCollection(t.target(''), {}, listOptions())
    expect(await t.names()).to.deep.equal([])
    const other = await open(2)
    other.admission = {
      validate: async ({ name, old }) =>
        old?.metadata.name === 'w1' ? Promise.reject(forbiddenError(WIDGETS, `no name: ${name}`, 'no')) : undefined,
    }
    // Admission receives the name of the request, which is empty.
    expect(await refusalText(other.store.deleteCollection(other.target(''), {}, listOptions()))).to.match(
      /^403 Forbidden: widgets\.example\.io "no name: "/,
    )
  })

  it('deletes nothing in a dry run', async () => {
    const t = await open(2)
    const { items } = await t.store.deleteCollection(t.target('', { dryRun: true }), {}, listOptions())
    expect(items).to.have.length(2)
    expect(await t.names()).to.deep.equal(['w0', 'w1'])
  })
})
