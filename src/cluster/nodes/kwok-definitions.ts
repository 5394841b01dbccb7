import type { CustomResourceDefinition } from '../../api/apiextensions/v1.types.ts'
import type { ApiClient } from '../../clients/api-client.ts'
import { errorMessage } from '../../lib/error-message.ts'
import type { Logger } from '../../lib/log.ts'
import { deepEqual } from '../../meta/equal.ts'
import { undefinedIfNotFound } from '../../meta/status.ts'
import { kwokDefinitions } from '../kwok/definitions/definitions.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../shared/kinds.ts'

/** Label of the definitions that this program has created, and may therefore update. */
const MANAGED_BY = 'app.kubernetes.io/managed-by'
const OWN = 'binnacle'

/**
 * Creates the definitions of kwok's kinds, and updates those that another version of this program has created.
 * Definitions of users stay unchanged. Never rejects.
 */
export async function createKwokDefinitions(client: ApiClient, logger: Logger): Promise<void> {
  // At once, so that the store commits them together.
  await Promise.all(
    kwokDefinitions().map(async definition => {
      try {
        await createOrUpdate(client, { ...definition, metadata: { ...definition.metadata, labels: { [MANAGED_BY]: OWN } } })
      } catch (error) {
        logger.warn('a definition of kwok was not written', { name: definition.metadata.name ?? '', error: errorMessage(error) })
      }
    }),
  )
}

async function createOrUpdate(client: ApiClient, definition: CustomResourceDefinition): Promise<void> {
  const now = await client.get(CUSTOM_RESOURCE_DEFINITIONS, '', definition.metadata.name ?? '').catch(undefinedIfNotFound)
  if (now === undefined) await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition)
  else if (now.metadata.labels?.[MANAGED_BY] === OWN && !deepEqual(schemasOf(now), schemasOf(definition)))
    await client.update(CUSTOM_RESOURCE_DEFINITIONS, { ...now, spec: { ...now.spec, versions: definition.spec.versions } })
}

const schemasOf = ({ spec }: CustomResourceDefinition) => (spec.versions ?? []).map(({ schema }) => schema ?? null)
