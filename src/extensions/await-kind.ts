import type { CustomResourceDefinition } from '../api/apiextensions/v1.types.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { ResourceAccess } from '../catalog/resource-access.ts'
import { pause } from '../lib/pause.ts'
import { internalServerError } from '../meta/status.ts'
import { isDefinitionServed } from './custom-resource.ts'
import { findDefinition } from './find-definition.ts'

const AT_MOST_MS = 1000

/**
 * Waits up to a second until this server serves a kind whose definition is established. A client that has seen
 * `Established`, here or at another server, may use the kind before this server serves it. Returns immediately if there
 * is no such definition.
 */
export async function awaitKind(
  access: ResourceAccess,
  catalog: Catalog,
  group: string,
  resource: string,
  signal: AbortSignal,
): Promise<void> {
  if (group === '') return
  const definition = await findDefinition(access, `${resource}.${group}`)
  if (!definition) return
  if (!isDefinitionServed(definition)) {
    if (lacksCaBundle(definition)) throw internalServerError('error resolving resource')
    return
  }
  const start = performance.now()
  while (!catalog.snapshot().definition(group, resource) && performance.now() - start < AT_MOST_MS && !signal.aborted)
    await pause(5, signal)
}

/** Reports whether the definition is not established because of the CA bundle of its conversion webhook. */
const lacksCaBundle = ({ status }: CustomResourceDefinition): boolean =>
  (status.conditions ?? []).some(({ type, reason }) => type === 'Established' && reason === 'InvalidCABundle')
