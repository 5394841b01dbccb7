import { expect } from 'chai'
import type { CustomResourceDefinition } from '../../../../../src/api/apiextensions/v1.types.ts'
import type { JsonObject } from '../../../../../src/api/meta/object.ts'
import { migratedDefinition, migratingDefinition } from '../../../../../src/cluster/controllers/storageversionmigrator/definition-status.ts'

const NOW = Date.parse('2030-01-01T00:00:00Z')

function definition(generation: number, begunAt?: number): CustomResourceDefinition {
  const read: unknown = {
    metadata: { name: 'books.example.com', resourceVersion: '7', generation },
    spec: { versions: [{ name: 'v1' }, { name: 'v2', storage: true }] },
    status: { conditions: begunAt === undefined ? [] : [{ type: 'StorageMigrating', status: 'True', observedGeneration: begunAt }] },
  }
  return read as CustomResourceDefinition
}
const [AT, TYPE] = ['2030-01-01T00:00:00Z', 'StorageMigrating']

describe('definition of a migrated resource', () => {
  const cases: [title: string, applied: JsonObject, status: object][] = [
    [
      'names the migration',
      migratingDefinition(definition(2), 'm', NOW),
      {
        conditions: [
          {
            type: TYPE,
            status: 'True',
            reason: 'MigrationRunning',
            message: 'Migration m is running',
            lastTransitionTime: AT,
            observedGeneration: 2,
          },
        ],
      },
    ],
    [
      'forgets old stored versions',
      migratedDefinition(definition(2, 2), true, NOW),
      {
        conditions: [
          {
            type: TYPE,
            status: 'False',
            reason: 'MigrationSucceeded',
            message: 'The migration has succeeded and the stored versions have been updated',
            lastTransitionTime: AT,
            observedGeneration: 2,
          },
        ],
        storedVersions: ['v2'],
      },
    ],
    [
      'keeps them if it has changed',
      migratedDefinition(definition(3, 2), true, NOW),
      {
        conditions: [
          {
            type: TYPE,
            status: 'False',
            reason: 'MigrationSucceeded',
            message: 'The migration has succeeded but the stored versions have not been updated due to a generation mismatch',
            lastTransitionTime: AT,
            observedGeneration: 3,
          },
        ],
      },
    ],
    [
      'keeps them after a failure',
      migratedDefinition(definition(2, 2), false, NOW),
      {
        conditions: [
          {
            type: TYPE,
            status: 'False',
            reason: 'MigrationFailed',
            message: 'The migration has failed',
            lastTransitionTime: AT,
            observedGeneration: 2,
          },
        ],
      },
    ],
  ]
  for (const [title, applied, status] of cases)
    it(title, () => expect(applied).to.deep.equal({ metadata: { resourceVersion: '7' }, status }))
})
