import { expect } from 'chai'
import { required } from '../../../src/meta/field-error.ts'
import { fieldPath } from '../../../src/meta/field-path.ts'
import { forbiddenError } from '../../../src/meta/status.ts'
import { BackendError } from '../../../src/storage/backend.ts'
import { recordedReservations } from '../../support/reservations.ts'
import { refusal, refusalText, TestRegistry, WIDGETS, widgetResource } from '../../support/test-registry.ts'

describe('creating', () => {
  it('sets the fields of the server, and ignores those that the client sends', async () => {
    const t = new TestRegistry()
    const made = await t.create(
      {
        name: 'a',
        uid: 'mine',
        creationTimestamp: '2000-01-01T00:00:00Z',
        deletionTimestamp: '2000-01-01T00:00:00Z',
        deletionGracePeriodSeconds: 3,
      },
      { spec: { color: 'red' } },
    )
    expect(made).to.deep.equal({
      kind: 'Widget',
      apiVersion: 'example.io/v1',
      metadata: {
        name: 'a',
        namespace: 'ns',
        uid: 'u1',
        resourceVersion: '2',
        creationTimestamp: '2026-01-02T03:04:05Z',
        managedFields: [
          {
            manager: 'tester',
            operation: 'Update',
            apiVersion: 'example.io/v1',
            time: '2026-01-02T03:04:05Z',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:spec': { 'f:color': {}, 'f:size': {} } },
          },
        ],
      },
      spec: { size: 1, color: 'red' },
      status: {},
    })
    expect(await t.get('a')).to.deep.equal(made)
  })

  it('runs its steps in order: admission, prepare, metadata and own validation, validating admission, reservation, write', async () => {
    const log: string[] = []
    const t = new TestRegistry([
      widgetResource({
        strategy: {
          prepare: () => void log.push('prepare'),
          validateName: name => {
            log.push(`name ${name}`)
            return []
          },
          validate: () => {
            log.push('validate')
            return []
          },
          warnings: () => {
            log.push('warnings')
            return ['careful']
          },
          canonicalize: () => void log.push('canonicalize'),
          begin: async () => {
            log.push('begin')
            return { commit: async () => void log.push('commit'), rollback: async () => void log.push('rollback') }
          },
        },
      }),
    ])
    t.admission = {
      mutate: async request => {
        log.push(`mutate ${request.operation} ${request.object?.metadata.uid ?? 'without uid'}`)
        return { ...request.object!, spec: { size: 2 } }
      },
      validate: async request => void log.push(`admit ${request.object?.spec.size} ${request.object?.metadata.uid}`),
    }
    t.backend.before = call => void log.push(call)
    expect((await t.create({ name: 'a' })).spec).to.deep.equal({ size: 2 })
    expect(log).to.deep.equal([
      'mutate CREATE without uid',
      'prepare',
      'name a',
      'validate',
      'warnings',
      'canonicalize',
      'admit 2 u1',
      'begin',
      'write',
      'commit',
    ])
    expect(t.warnings).to.deep.equal(['careful'])
  })

  const refused: [string, metadata: object, text: string | RegExp][] = [
    ['a name that is taken', { name: 'taken' }, '409 AlreadyExists: widgets.example.io "taken" already exists'],
    ['no name', {}, '422 Invalid: Widget.example.io "" is invalid: metadata.name: Required value: name or generateName is required'],
    [
      'another namespace',
      { name: 'a', namespace: 'other' },
      '400 BadRequest: the namespace of the provided object does not match the namespace sent on the request',
    ],
    ['a resourceVersion', { name: 'a', resourceVersion: '5' }, '500 : resourceVersion should not be set on objects to be created'],
    [
      'a resourceVersion and a name that is taken',
      { name: 'taken', resourceVersion: '5' },
      '500 : resourceVersion should not be set on objects to be created',
    ],
    [
      'an invalid name',
      { name: 'A_b' },
      /^422 Invalid: Widget\.example\.io "A_b" is invalid: metadata\.name: Invalid value: "A_b": a lowercase RFC 1123 subdomain/,
    ],
    [
      'an object that the kind rejects',
      { name: 'a', labels: { bad: 'x' } },
      '422 Invalid: Widget.example.io "a" is invalid: spec.color: Required value: for bad ones',
    ],
  ]
  for (const [what, metadata, text] of refused)
    it(`refuses ${what}`, async () => {
      const t = new TestRegistry([
        widgetResource({
          strategy: {
            validate: next => (next.metadata.labels?.bad === undefined ? [] : [required(fieldPath('spec', 'color'), 'for bad ones')]),
          },
        }),
      ])
      await t.create({ name: 'taken' })
      const told = await refusalText(t.create(metadata))
      if (typeof text === 'string') expect(told).to.equal(text)
      else expect(told).to.match(text)
      expect(await t.names()).to.deep.equal(['taken'])
    })

  for (const resourceVersion of ['', '0', 'abc', '-1', '1.5', '99999999999999999999'])
    it(`treats resourceVersion ${JSON.stringify(resourceVersion)} as unset`, async () => {
      expect((await new TestRegistry().create({ name: 'a', resourceVersion })).metadata.resourceVersion).to.equal('2')
    })

  it('keeps namespaces out of cluster-scoped objects', async () => {
    const made = await new TestRegistry([widgetResource({ cluster: true })]).create({ name: 'a', namespace: 'x' })
    expect(made.metadata).to.not.have.property('namespace')
  })

  it('stores the object that admission returns, and nothing if admission denies it', async () => {
    const { log, begin } = recordedReservations()
    const t = new TestRegistry([widgetResource({ strategy: { begin } })])
    t.admission = { validate: async () => Promise.reject(forbiddenError(WIDGETS, 'a', 'no')) }
    expect(await refusalText(t.create({ name: 'a' }))).to.equal('403 Forbidden: widgets.example.io "a" is forbidden: no')
    expect(log).to.deep.equal([])
    expect(t.backend.calls.write).to.equal(undefined)
  })

  it('stores with the TTL of the kind', async () => {
    const t = new TestRegistry([widgetResource({ strategy: { ttlSeconds: widget => (widget.spec.size === 1 ? 60 : undefined) } })])
    const seen: (number | undefined)[] = []
    const write = t.backend.write.bind(t.backend)
    t.backend.write = (request, signal) => {
      seen.push(request.ttlSeconds)
      return write(request, signal)
    }
    await t.create({ name: 'a' })
    await t.create({ name: 'b' }, { spec: { size: 2 } })
    expect(seen).to.deep.equal([60, undefined])
  })
})

describe('creating with a generated name', () => {
  const made = async (t: TestRegistry) => (await t.create({ generateName: 'web-' })).metadata.name

  it('tries another suffix if the name is taken', async () => {
    const t = new TestRegistry()
    await t.create({ name: 'web-aaaaa' })
    await t.create({ name: 'web-bbbbb' })
    t.suffixes = ['aaaaa', 'bbbbb', 'ccccc']
    expect(await made(t)).to.equal('web-ccccc')
  })

  it('fails after eight attempts with a Retry-After', async () => {
    const t = new TestRegistry()
    await t.create({ name: 'web-zzzzz' })
    const before = t.backend.calls.write as number
    const { status } = await refusal(made(t))
    expect(status.message).to.equal(
      'widgets.example.io "web-zzzzz" already exists, the server was not able to generate a unique name for the object',
    )
    expect(status).to.include({ code: 409, reason: 'AlreadyExists' })
    expect(status.details).to.deep.equal({ name: 'web-zzzzz', group: 'example.io', kind: 'widgets', retryAfterSeconds: 1 })
    expect((t.backend.calls.write as number) - before).to.equal(8)
  })

  it('prefers the name of the object', async () => {
    expect((await new TestRegistry().create({ name: 'a', generateName: 'web-' })).metadata.name).to.equal('a')
  })

  it('starts each attempt with the admitted object and new reservations', async () => {
    const { log, begin } = recordedReservations()
    const t = new TestRegistry([widgetResource({ strategy: { begin, prepare: next => void next.spec.parts.push('prepared') } })])
    await t.create({ name: 'web-aaaaa' }, { spec: { parts: ['x'] } })
    t.suffixes = ['aaaaa', 'bbbbb']
    let mutations = 0
    t.admission = {
      mutate: async ({ object }) => {
        mutations++
        return object
      },
    }
    const { spec } = await t.create({ generateName: 'web-' }, { spec: { parts: ['x'] } })
    expect(spec.parts).to.deep.equal(['x', 'prepared'])
    expect(mutations).to.equal(1)
    expect(log.slice(2)).to.deep.equal(['begin 2 create', 'rollback 2', 'begin 3 create', 'commit 3'])
  })
})

describe('creating as a dry-run', () => {
  const dryRun = { dryRun: true }

  it('returns the object of a create, and stores nothing', async () => {
    const { log, begin } = recordedReservations()
    const t = new TestRegistry([widgetResource({ strategy: { begin } })])
    const made = await t.create({ name: 'a' }, {}, dryRun)
    expect(made.metadata)
      .to.include({ name: 'a', uid: 'u1', creationTimestamp: '2026-01-02T03:04:05Z' })
      .and.not.have.property('resourceVersion')
    expect(await t.names()).to.deep.equal([])
    expect(log).to.deep.equal(['begin 1 create dry', 'rollback 1'])
  })

  it('rejects a name that is taken', async () => {
    const t = new TestRegistry()
    await t.create({ name: 'a' })
    expect(await refusalText(t.create({ name: 'a' }, {}, dryRun))).to.equal('409 AlreadyExists: widgets.example.io "a" already exists')
  })
})

describe('reservations of a create', () => {
  it('are rolled back if the write fails', async () => {
    const { log, begin } = recordedReservations()
    const t = new TestRegistry([widgetResource({ strategy: { begin } })])
    t.backend.before = call => {
      if (call === 'write') throw new BackendError('unavailable', 'gone')
    }
    expect(await refusalText(t.create({ name: 'a' }))).to.equal(
      '503 ServiceUnavailable: the storage backend is unavailable (create widgets.example.io): gone',
    )
    expect(log).to.deep.equal(['begin 1 create', 'rollback 1'])
  })

  it('are rolled back if the name is taken', async () => {
    const { log, begin } = recordedReservations()
    const t = new TestRegistry([widgetResource({ strategy: { begin } })])
    await t.create({ name: 'a' })
    await refusal(t.create({ name: 'a' }))
    expect(log).to.deep.equal(['begin 1 create', 'commit 1', 'begin 2 create', 'rollback 2'])
  })
})
