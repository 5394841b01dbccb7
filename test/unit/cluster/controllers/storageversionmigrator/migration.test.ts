import { expect } from 'chai'
import {
  failedWith,
  hasEnded,
  IN_PROGRESS,
  isRunning,
  type Migration,
  nextMigration,
  PROMOTED,
  SUCCEEDED,
  stopped,
  withState,
} from '../../../../../src/cluster/controllers/storageversionmigrator/migration.ts'

const NOW = Date.parse('2030-01-01T00:00:00Z')
const BETA = { version: 'v1beta1', endsLater: false }
const LATER = { version: 'v1', endsLater: true }

const migration = (name: string, created: string, ...conditions: [type: string, status: string][]): Migration => ({
  kind: 'StorageVersionMigration',
  apiVersion: '',
  metadata: { name, uid: name, creationTimestamp: created },
  spec: { resource: { group: 'apps', resource: 'deployments' } },
  status: { conditions: conditions.map(([type, status]) => ({ type, status })) },
})
const statuses = ({ status }: Migration): string[] =>
  (status.conditions ?? []).map(each => `${each.type}=${each.status} ${each.reason ?? ''}`.trim())

describe('state of a storage version migration', () => {
  it('runs, and then has one outcome', () => {
    const running = withState(migration('m', ''), IN_PROGRESS, BETA, NOW)
    expect(running.status.conditions).to.deep.equal([
      {
        type: 'Running',
        status: 'True',
        reason: 'StorageVersionMigrationInProgress',
        message: '',
        lastTransitionTime: '2030-01-01T00:00:00Z',
      },
    ])
    expect(withState(running, IN_PROGRESS, BETA, NOW + 5000)).to.equal(running)
    expect(statuses(withState(running, SUCCEEDED, BETA, NOW))).to.deep.equal([
      'Running=False StorageVersionMigrationInProgress',
      'Succeeded=True StorageVersionMigrationSucceeded',
    ])
    expect(statuses(withState(running, failedWith('why'), BETA, NOW))[1]).to.equal('Failed=True StorageVersionMigrationFailed')
  })

  it('has the name of the time of its version', () => {
    const [condition] = withState(migration('m', ''), IN_PROGRESS, { version: 'v1alpha1', endsLater: false }, NOW).status.conditions ?? []
    expect(condition).to.include({ lastUpdateTime: '2030-01-01T00:00:00Z' })
    expect(condition).to.not.have.property('lastTransitionTime')
  })

  it('runs until it is cleaned up, from 1.36 on', () => {
    const done = withState(withState(migration('m', ''), PROMOTED, LATER, NOW), SUCCEEDED, LATER, NOW)
    expect([isRunning(done), hasEnded(done)]).to.deep.equal([true, true])
    expect(statuses(stopped(done, NOW))).to.deep.equal([
      'Running=False MigrationCompleted',
      'Succeeded=True StorageVersionMigrationSucceeded',
    ])
  })

  const choices: [title: string, migrations: Migration[], next: string | undefined][] = [
    ['the oldest', [migration('b', '2030-01-02T00:00:00Z'), migration('c', '2030-01-01T00:00:00Z')], 'c'],
    ['the first by name if they are of one age', [migration('b', '2030'), migration('a', '2030')], 'a'],
    ['none while one runs', [migration('a', '2029'), migration('b', '2030', ['Running', 'True'])], undefined],
    [
      'one if another one has ended, but is not cleaned up',
      [migration('a', '2029', ['Running', 'True'], ['Failed', 'True']), migration('b', '2030')],
      'b',
    ],
    ['none if all have ended', [migration('a', '2029', ['Succeeded', 'True'])], undefined],
  ]
  for (const [title, migrations, next] of choices)
    it(`begins next: ${title}`, () => expect(nextMigration(migrations, 'deployments.apps')?.metadata.name).to.equal(next))

  it('does not compare migrations of other resources', () =>
    expect(nextMigration([migration('a', '')], 'deployments.extensions')).to.equal(undefined))
})
