import type { CustomResourceDefinition } from '../../api/apiextensions/v1.types.ts'
import type { ApiClient } from '../../clients/api-client.ts'
import { errorMessage } from '../../lib/error-message.ts'
import type { Logger } from '../../lib/log.ts'
import { deepEqual } from '../../meta/equal.ts'
import { isStatusError } from '../../meta/status.ts'
import { kwokDefinitions } from '../kwok/definitions/definitions.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../shared/kinds.ts'

/** Label of the definitions that this program has created, and may therefore update. */
const MANAGED_BY = 'app.kubernetes.io/managed-by'
const OWN = 'binnacle'

/** Creates the definitions of kwok's kinds. Definitions of users are left as they are. Never rejects. */
export async function createKwokDefinitions(client: ApiClient, logger: Logger): Promise<void> {
  for (const definition of kwokDefinitions()) {
    const labelled = { ...definition, metadata: { ...definition.metadata, labels: { [MANAGED_BY]: OWN } } }
    try {
      await client.create(CUSTOM_RESOURCE_DEFINITIONS, labelled)
    } catch (error) {
      if (isStatusError(error, 'AlreadyExists')) await update(client, labelled, logger)
      else logger.warn('a definition of kwok was not created', { name: definition.metadata.name ?? '', error: errorMessage(error) })
    }
  }
}

/** Updates a definition that another version of this program has created. */
async function update(client: ApiClient, definition: CustomResourceDefinition, logger: Logger): Promise<void> {
  const { name = '' } = definition.metadata
  try {
    const now = await client.get(CUSTOM_RESOURCE_DEFINITIONS, '', name)
    if (now.metadata.labels?.[MANAGED_BY] !== OWN || deepEqual(schemasOf(now), schemasOf(definition))) return
    await client.update(CUSTOM_RESOURCE_DEFINITIONS, { ...now, spec: { ...now.spec, versions: definition.spec.versions } })
  } catch (error) {
    logger.warn('a definition of kwok was not updated', { name, error: errorMessage(error) })
  }
}

const schemasOf = ({ spec }: CustomResourceDefinition) => (spec.versions ?? []).map(({ schema }) => schema ?? null)
