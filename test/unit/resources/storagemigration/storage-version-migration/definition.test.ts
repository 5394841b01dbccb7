import { expect } from 'chai'
import { storageVersionMigrationResource } from '../../../../../src/resources/storagemigration/storage-version-migration/definition.ts'
import { featuresIn } from '../../../../support/hook-context.ts'
import { inRelease } from '../../../../support/in-release.ts'
import { KindCases, validates } from '../../../../support/kind-cases.ts'
import { MemoryBackend } from '../../../../support/memory-backend.ts'
import { causesOf as messagesOf } from '../../../../support/workloads.ts'

const of = (resource: object = { group: 'apps', version: 'v1', resource: 'deployments' }): object => ({ spec: { resource } })
const condition = (type: string, status = 'True', parts: object = {}): object => ({
  type,
  status,
  lastUpdateTime: '2026-01-02T03:04:05Z',
  reason: 'R',
  ...parts,
})

describe('StorageVersionMigration', () => {
  validates(
    storageVersionMigrationResource,
    {
      'a migration': [of(), []],
      'of the core group': [of({ version: 'v1', resource: 'pods' }), []],
      nothing: [of({}), ['Required spec.resource.resource', 'Required spec.resource.version']],
    },
    { 'the resource': [of(), of({ version: 'v2', resource: 'x' }), ['Invalid group', 'Invalid version', 'Invalid resource']] },
  )

  const steps: Record<string, [first: object, then: object, causes: string[]]> = {
    'runs and succeeds': [
      { resourceVersion: '5', conditions: [condition('Running')] },
      { resourceVersion: '5', conditions: [condition('Running', 'False'), condition('Succeeded')] },
      [],
    ],
    'a version that is not a number': [
      {},
      { resourceVersion: 'x' },
      ['status.resourceVersion: Invalid value: "x": failed to parse resource version "x": strconv.ParseInt: parsing "x": invalid syntax'],
    ],
    'a negative version': [
      {},
      { resourceVersion: '-1' },
      ['status.resourceVersion: Invalid value: -1: must be greater than or equal to 0'],
    ],
    'another version': [
      { resourceVersion: '5' },
      { resourceVersion: '6' },
      ['status.resourceVersion: Invalid value: "6": cannot be updated'],
    ],
    'bad conditions': [
      {},
      { conditions: [condition('A', 'Yes', { reason: '', lastUpdateTime: null }), condition('A', 'True', { reason: '?' })] },
      [
        'status.conditions[0].status: Unsupported value: "Yes": supported values: "False", "True", "Unknown"',
        'status.conditions[0].lastTransitionTime: Required value',
        'status.conditions[0].reason: Required value',
        'status.conditions[1].type: Duplicate value: "A"',
        "status.conditions[1].reason: Invalid value: \"?\": a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')",
      ],
    ],
  }
  for (const [what, [first, then, causes]] of Object.entries(steps))
    it(what, async () => {
      const cases = new KindCases(storageVersionMigrationResource)
      await cases.create(of())
      await cases.update({ ...of(), status: first }, {}, 'status')
      expect(await messagesOf(cases.update({ ...of(), status: then }, {}, 'status'))).to.deep.equal(causes)
    })

  it('allows only one outcome, which is final', async () => {
    const cases = new KindCases(storageVersionMigrationResource)
    await cases.create(of())
    const tell = async (...conditions: object[]) =>
      (await messagesOf(cases.update({ ...of(), status: { conditions } }, {}, 'status'))).map(text =>
        text.replace(/^status.conditions: Invalid value: \[\]storagemigration.MigrationCondition.*\}: /, ''),
      )
    expect(await tell(condition('Succeeded'), condition('Failed'), condition('Running'))).to.deep.equal([
      'Both success and failed conditions cannot be true at the same time',
      'Running condition cannot be true when success condition is true',
      'Running condition cannot be true when failed condition is true',
    ])
    expect(await tell(condition('Succeeded'))).to.deep.equal([])
    expect(await tell(condition('Succeeded', 'False'))).to.deep.equal(['Success condition cannot be set to false once it is true'])
  })

  it('prints the resource', async () => {
    const cases = new KindCases(storageVersionMigrationResource)
    await cases.create(of())
    expect(cases.cells()).to.deep.equal(['x', 'deployments.v1.apps'])
  })

  describe('in v1beta1, from 1.35 on', () => {
    const features = featuresIn('1.35', { StorageVersionMigrator: true })
    const settled = (type: string, status = 'True'): object =>
      condition(type, status, { lastUpdateTime: '2026-01-02T03:04:05Z', message: 'm' })
    validates(
      storageVersionMigrationResource,
      {
        'a migration': [of({ group: 'apps', resource: 'deployments' }), []],
        'bad names': [of({ group: 'Apps', resource: 'a.b' }), ['Invalid spec.resource.resource', 'Invalid spec.resource.group']],
        nothing: [of({}), ['Required spec.resource.resource']],
      },
      { 'the resource': [of({ resource: 'pods' }), of({ resource: 'secrets' }), ['Invalid spec']] },
      features,
    )

    it('allows only one outcome and an immutable resource version', async () => {
      const cases = new KindCases(storageVersionMigrationResource, features)
      await cases.create(of({ resource: 'pods' }))
      const tell = async (status: object): Promise<string[]> =>
        messagesOf(cases.update({ ...of({ resource: 'pods' }), status }, {}, 'status'))
      expect(await tell({ resourceVersion: '0' })).to.deep.equal([
        'status.resourceVersion: Invalid value: "0": resource version is not well formed: 0',
      ])
      expect((await tell({ conditions: [settled('Succeeded'), settled('Failed')] })).map(text => text.slice(-39))).to.deep.equal([
        'conditions cannot be true at the same time'.slice(-39),
      ])
      expect(await tell({ conditions: [settled('Succeeded'), settled('Running')], resourceVersion: '5' })).to.deep.equal([])
      expect(await tell({ conditions: [settled('Succeeded')], resourceVersion: '6' })).to.deep.equal([
        'status.resourceVersion: Invalid value: "6": field is immutable',
      ])
      expect(cases.cells()).to.deep.equal(['x', 'pods', 'Running'])
    })

    it('keeps its status in v1beta1 and is readable by 1.34', async () => {
      const backend = new MemoryBackend()
      const path = (version: string): string => `/apis/storagemigration.k8s.io/${version}/storageversionmigrations`
      const status = {
        conditions: [
          { type: 'Running', status: 'True', observedGeneration: 7, lastTransitionTime: '2026-01-02T03:04:05Z', reason: 'R', message: 'm' },
        ],
      }
      const on = { StorageVersionMigrator: true }
      const served = ['api/all']
      const spec = { resource: { group: 'apps', resource: 'deployments' } }
      const written = await inRelease(
        backend,
        '1.35',
        async call => {
          await call(path('v1beta1'), { method: 'POST', body: JSON.stringify({ metadata: { name: 'x' }, spec }) })
          const patch = { method: 'PATCH', headers: { 'content-type': 'application/merge-patch+json' }, body: JSON.stringify({ status }) }
          return (await call(`${path('v1beta1')}/x/status`, patch)).json
        },
        on,
        served,
      )
      expect(written).to.deep.include({ apiVersion: 'storagemigration.k8s.io/v1beta1', spec, status })
      const before = await inRelease(backend, '1.34', async call => (await call(`${path('v1alpha1')}/x`)).json, on, served)
      expect(before).to.deep.include({
        spec,
        status: { conditions: [{ type: 'Running', status: 'True', lastUpdateTime: '2026-01-02T03:04:05Z', reason: 'R', message: 'm' }] },
      })
    })
  })
})
