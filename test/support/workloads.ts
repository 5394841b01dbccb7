import type { ResourceDefinition } from '../../src/catalog/definition.ts'
import type { StatusError } from '../../src/meta/status.ts'
import type { AnyObject } from './any-object.ts'
import { KindServer } from './kind-server.ts'

/** A workload of the kind with a selector and a template that match; `spec` is put over its spec. */
export const workload = (kind: string, spec: Record<string, unknown> = {}, metadata: Record<string, unknown> = {}): AnyObject =>
  ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'web', ...metadata },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'registry.example/app:1' }] } },
      ...spec,
    },
  }) as AnyObject

export const serverOf = (definition: ResourceDefinition): { server: KindServer; gr: { group: string; resource: string } } => ({
  server: new KindServer([definition]),
  gr: { group: definition.hub.group, resource: definition.hub.names.plural },
})

/** Returns the messages of the causes of a rejected write, with their fields. Empty if it was accepted. */
export async function causesOf(work: Promise<unknown>): Promise<string[]> {
  try {
    await work
    return []
  } catch (error) {
    const { status } = error as StatusError
    if (!status) throw error
    return (status.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`)
  }
}
