import { expect } from 'chai'
import { required } from '../../../src/meta/field-error.ts'
import { fieldPath } from '../../../src/meta/field-path.ts'
import { forbiddenError } from '../../../src/meta/status.ts'
import type { AnyObject } from '../../support/any-object.ts'
import { recordedReservations } from '../../support/reservations.ts'
import { refusal, refusalText, TestRegistry, WIDGETS, widgetResource } from '../../support/test-registry.ts'

const CONFLICT =
  '409 Conflict: Operation cannot be fulfilled on widgets.example.io "a": the object has been modified; please apply your changes to the latest version and try again'

describe('updating', () => {
  let t: TestRegistry
  const open = async (strategy: NonNullable<Parameters<typeof widgetResource>[0]>['strategy'] = {}) => {
    t = new TestRegistry([widgetResource({ strategy })])
    await t.create({ name: 'a' }, { spec: { color: 'red' } })
  }

  it('keeps immutable metadata', async () => {
    await open({
      prepare: (next, old) => {
        if (!old) next.metadata.generation = 1
        else if (next.spec.color !== old.spec.color) next.metadata.generation = (next.metadata.generation ?? 0) + 1
      },
    })
    const before = (await t.get('a')).metadata
    const { object, created } = await t.update('a', next => {
      delete next.metadata.uid
      next.metadata.creationTimestamp = null
      next.metadata.generation = 99
      next.spec.color = 'blue'
    })
    expect(created).to.equal(false)
    expect(object.metadata).to.include({ uid: 'u1', creationTimestamp: before.creationTimestamp, generation: 2, resourceVersion: '3' })
    expect(object.spec.color).to.equal('blue')
    expect(await t.get('a')).to.deep.equal(object)
  })

  const versions: [string, resourceVersion: string | undefined, unconditional: boolean | undefined, told: string][] = [
    ['the present version', '2', undefined, ''],
    ['the present version, with zeros in front', '002', undefined, ''],
    ['no version', undefined, undefined, ''],
    ['version 0', '0', undefined, ''],
    ['an old version', '1', undefined, CONFLICT],
    ['a future version', '3', undefined, CONFLICT],
    ['an invalid version', 'x', undefined, '500 : strconv.ParseUint: parsing "x": invalid syntax'],
    [
      'a version beyond 64 bits',
      '18446744073709551616',
      undefined,
      '500 : strconv.ParseUint: parsing "18446744073709551616": value out of range',
    ],
    ['the present version, of a kind that wants one', '2', false, ''],
    [
      'no version, of a kind that wants one',
      undefined,
      false,
      '422 Invalid: widgets.example.io "a" is invalid: metadata.resourceVersion: Invalid value: 0x0: must be specified for an update',
    ],
  ]
  for (const [what, resourceVersion, allowUnconditionalUpdate, told] of versions)
    it(`with ${what}`, async () => {
      await open(allowUnconditionalUpdate === undefined ? {} : { allowUnconditionalUpdate })
      const write = t.update('a', next => {
        if (resourceVersion === undefined) delete next.metadata.resourceVersion
        else next.metadata.resourceVersion = resourceVersion
        next.spec.color = 'blue'
      })
      if (told === '') expect((await write).object.spec.color).to.equal('blue')
      else expect(await refusalText(write)).to.equal(told)
      expect((await t.get('a')).spec.color).to.equal(told === '' ? 'blue' : 'red')
    })

  it('rejects another uid', async () => {
    await open()
    expect(await refusalText(t.update('a', () => {}, { uid: 'other' }))).to.equal(
      '409 Conflict: Operation cannot be fulfilled on widgets.example.io "a": StorageError: invalid object, Code: 4, Key: /registry/widgets/ns/a, ResourceVersion: 0, ' +
        'AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: u1',
    )
    await t.update('a', { size: 5 }, { uid: 'u1' })
    expect((await t.get('a')).spec.size).to.equal(5)
  })

  it('reports errors of metadata twice, then those of the kind', async () => {
    await open({ validate: (_, old) => (old ? [required(fieldPath('spec', 'color'), 'x')] : []) })
    const { status } = await refusal(t.update('a', next => void Object.assign(next.metadata, { uid: 'u9' })))
    expect(status).to.include({ code: 422, reason: 'Invalid' })
    expect(status.details?.causes?.map(cause => cause.field)).to.deep.equal(['metadata.uid', 'metadata.uid', 'spec.color'])
  })

  it('writes nothing if nothing changes', async () => {
    await open()
    const before = await t.get('a')
    t.now += 60_000
    const { object } = await t.update('a', () => {})
    expect(object).to.deep.equal(before)
    expect(t.backend.calls.write).to.equal(1)
  })

  it('writes nothing if only the time of its manager changes', async () => {
    await open({
      prepare: (next, old) => {
        if (old) next.status = old.status
      },
    })
    const refusedByKind = (next: AnyObject) => void Object.assign(next, { status: { phase: 'x' } })
    const first = await t.update('a', refusedByKind)
    t.now += 60_000
    expect((await t.update('a', refusedByKind)).object).to.deep.equal(first.object)
  })

  it('writes and updates its manager and time if something changes', async () => {
    await open()
    t.now += 60_000
    const { object } = await t.update('a', { size: 2 }, {}, { manager: 'other' })
    expect(object.metadata.managedFields?.map(({ manager, time, fieldsV1 }) => [manager, time, fieldsV1])).to.deep.equal([
      ['tester', '2026-01-02T03:04:05Z', { 'f:spec': { 'f:color': {} } }],
      ['other', '2026-01-02T03:05:05Z', { 'f:spec': { 'f:size': {} } }],
    ])
  })

  it('uses the strategy of a subresource instead of that of the kind', async () => {
    await open()
    const change = (next: AnyObject) => {
      next.spec.color = 'blue'
      next.status = { phase: 'Ready' }
    }
    const { object } = await t.update('a', change, {}, { subresource: 'status' })
    expect([object.spec.color, object.status.phase]).to.deep.equal(['red', 'Ready'])
  })

  it('runs mutating and validating admission with the old object', async () => {
    await open()
    const seen: unknown[] = []
    t.admission = {
      mutate: async ({ object, old, operation }) => {
        seen.push([operation, object?.spec.color, old?.spec.color])
        object!.spec.size = 7
        return object
      },
      validate: async ({ object, old, operation }) =>
        void seen.push([operation, object?.spec.size, old?.spec.size, object?.metadata.resourceVersion]),
    }
    const { object } = await t.update('a', { color: 'blue' })
    expect(seen).to.deep.equal([
      ['UPDATE', 'blue', 'red'],
      ['UPDATE', 7, 1, '2'],
    ])
    expect(object.spec.size).to.equal(7)
  })

  it('returns the result and stores nothing in a dry run', async () => {
    const { log, begin } = recordedReservations()
    await open({ begin })
    const { object, created } = await t.update('a', { color: 'blue' }, {}, { dryRun: true })
    expect([object.spec.color, created, (await t.get('a')).spec.color]).to.deep.equal(['blue', false, 'red'])
    expect(log.slice(2)).to.deep.equal(['begin 2 update dry', 'rollback 2'])
  })
})

describe('updating an object that does not exist', () => {
  const write = (t: TestRegistry, request = {}, metadata = {}) =>
    t.update('b', next => void Object.assign(next.metadata, metadata), request)
  const creates = () => new TestRegistry([widgetResource({ strategy: { allowCreateOnUpdate: true } })])

  it('is rejected', async () =>
    expect(await refusalText(write(new TestRegistry()))).to.equal('404 NotFound: widgets.example.io "b" not found'))

  it('creates if the kind allows it', async () => {
    const { created, object } = await write(creates())
    expect(created).to.equal(true)
    expect(object.metadata).to.include({ uid: 'u1', resourceVersion: '2', creationTimestamp: '2026-01-02T03:04:05Z' })
  })

  it('creates if the request forces it', async () =>
    expect((await write(new TestRegistry(), { forceCreate: true })).created).to.equal(true))

  it('creates nothing through a subresource', async () => {
    const t = creates()
    expect(await refusalText(t.update('b', () => {}, { forceCreate: true }, { subresource: 'status' }))).to.match(/^404 NotFound/)
  })

  it('needs the right to create', async () => {
    const t = creates()
    t.authorizeCreate = async ({ name }) => Promise.reject(forbiddenError(WIDGETS, name, 'may not create'))
    expect(await refusalText(write(t))).to.equal('403 Forbidden: widgets.example.io "b" is forbidden: may not create')
    expect(await refusalText(write(t, {}, { labels: { '?': '' } }))).to.match(/^422 Invalid/)
    expect(await t.names()).to.deep.equal([])
  })

  it('is a CREATE for admission', async () => {
    const t = creates()
    const seen: string[] = []
    t.admission = {
      mutate: async request => {
        seen.push(request.operation)
        return request.object
      },
      validate: async request => void seen.push(`${request.operation}${request.old ? ' of old' : ''}`),
    }
    await write(t)
    expect(seen).to.deep.equal(['CREATE', 'CREATE'])
  })

  it('stores an object that admission renames under the name of the request', async () => {
    const t = creates()
    t.admission = {
      mutate: async ({ object }) => {
        object!.metadata.name = 'c'
        object!.metadata.uid = 'x'
        return object
      },
      validate: async () => {},
    }
    await write(t)
    const object = await t.get('b')
    expect([object.metadata.name, object.metadata.uid === 'x']).to.deep.equal(['c', false])
  })

  for (const [text, fault] of [
    ['x', 'invalid syntax'],
    ['-1', 'invalid syntax'],
    ['1.5', 'invalid syntax'],
    [' 1', 'invalid syntax'],
    ['18446744073709551616', 'value out of range'],
  ] as const)
    it(`refuses the resourceVersion ${JSON.stringify(text)} as Go's parser does`, async () => {
      expect(await refusalText(write(creates(), {}, { resourceVersion: text }))).to.equal(
        `500 : strconv.ParseUint: parsing ${JSON.stringify(text)}: ${fault}`,
      )
    })

  it('is rejected if a uid is required', async () => {
    const refused = (dryRun: boolean) => refusalText(creates().update('b', () => {}, { uid: 'x' }, { dryRun }))
    expect(await refused(false)).to.match(
      /^409 Conflict: .* Key: \/registry\/widgets\/ns\/b, .* Precondition failed: UID in precondition: x, UID in object meta: $/,
    )
    expect(await refused(true)).to.include(' Key: /widgets/ns/b, ')
    expect(await refusalText(write(creates(), {}, { uid: 'x' }))).to.equal(
      '409 Conflict: Operation cannot be fulfilled on widgets.example.io "b": uid mismatch: the provided object specified uid x, and no existing object was found',
    )
  })
})

describe('updating an object that is being deleted', () => {
  const terminating = async (strategy: NonNullable<Parameters<typeof widgetResource>[0]>['strategy'] = {}) => {
    const t = new TestRegistry([widgetResource({ strategy })])
    await t.create({ name: 'a', finalizers: ['example.io/x', 'example.io/y'] })
    await t.store.delete(t.target('a'), {})
    return t
  }
  const finalizers = (list: string[]) => (next: AnyObject) => void Object.assign(next.metadata, { finalizers: list })

  it('keeps its deletion, whatever the update sets', async () => {
    const t = await terminating()
    const { object } = await t.update('a', next => {
      delete next.metadata.deletionTimestamp
      delete next.metadata.deletionGracePeriodSeconds
      next.metadata.finalizers = ['example.io/y']
    })
    expect(object.metadata).to.include({ deletionTimestamp: '2026-01-02T03:04:05Z', deletionGracePeriodSeconds: 0 })
  })

  it('removes it with its last finalizer, and returns the updated object', async () => {
    const { log, begin } = recordedReservations()
    const t = await terminating({ begin })
    await t.update('a', finalizers(['example.io/y']))
    const { object, created } = await t.update('a', finalizers([]))
    expect(created).to.equal(false)
    expect(object.metadata).to.include({ name: 'a', uid: 'u1' }).and.not.have.property('finalizers', ['example.io/y'])
    expect(await t.names()).to.deep.equal([])
    expect(log.slice(-2)).to.deep.equal(['begin 3 delete', 'commit 3'])
  })

  it('does not remove it before its grace period is over', async () => {
    const t = new TestRegistry([widgetResource({ strategy: { gracePeriod: () => 30 } })])
    await t.create({ name: 'a' })
    await t.store.delete(t.target('a'), {})
    const { object } = await t.update('a', { size: 2 })
    expect(object.metadata).to.include({ deletionGracePeriodSeconds: 30, deletionTimestamp: '2026-01-02T03:04:35Z' })
    expect(await t.names()).to.deep.equal(['a'])
  })

  it('does not remove it if the kind holds it', async () => {
    const t = await terminating({ holdsDeletion: widget => widget.spec.color !== 'done' })
    await t.update('a', finalizers([]))
    expect(await t.names()).to.deep.equal(['a'])
    await t.update('a', { color: 'done' })
    expect(await t.names()).to.deep.equal([])
  })

  it('rejects new finalizers', async () => {
    const t = await terminating()
    expect(await refusalText(t.update('a', finalizers(['example.io/x', 'example.io/y', 'example.io/z'])))).to.match(
      /^422 Invalid: .*metadata\.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers/,
    )
  })
})
