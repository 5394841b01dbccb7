import type { CustomResourceDefinition } from '../../../api/apiextensions/v1.types.ts'
import type { JsonObject } from '../../../api/meta/object.ts'
import { formatTime } from '../../../meta/time.ts'

const MIGRATING = 'StorageMigrating'

const configuration = ({ metadata: { resourceVersion = '' } }: CustomResourceDefinition, status: JsonObject): JsonObject => ({
  metadata: { resourceVersion },
  status,
})

/**
 * Returns the configuration that marks a definition as being migrated. It applies to the version that was read alone.
 */
export const migratingDefinition = (definition: CustomResourceDefinition, migration: string, now: number): JsonObject =>
  configuration(definition, { conditions: [condition(definition, 'True', 'MigrationRunning', `Migration ${migration} is running`, now)] })

/**
 * Returns the configuration that ends the migration of a definition. The stored versions shrink if it succeeded, and
 * the definition has not changed since it began. Upstream also drops them after a failure, although objects in them may
 * be left.
 */
export function migratedDefinition(definition: CustomResourceDefinition, succeeded: boolean, now: number): JsonObject {
  const generation = definition.metadata.generation
  const begun = definition.status.conditions?.find(({ type }) => type === MIGRATING)
  const isSame = begun !== undefined && begun.observedGeneration === generation
  const why = isSame
    ? ' and the stored versions have been updated'
    : ' but the stored versions have not been updated due to a generation mismatch'
  const stored = definition.spec.versions?.find(({ storage }) => storage)?.name
  return configuration(definition, {
    conditions: [
      succeeded
        ? condition(definition, 'False', 'MigrationSucceeded', `The migration has succeeded${why}`, now)
        : condition(definition, 'False', 'MigrationFailed', 'The migration has failed', now),
    ],
    ...(isSame && succeeded && stored !== undefined && { storedVersions: [stored] }),
  })
}

const condition = (
  { metadata: { generation } }: CustomResourceDefinition,
  status: string,
  reason: string,
  message: string,
  now: number,
): JsonObject => ({
  type: MIGRATING,
  status,
  reason,
  message,
  lastTransitionTime: formatTime(now),
  ...(generation !== undefined && { observedGeneration: generation }),
})
