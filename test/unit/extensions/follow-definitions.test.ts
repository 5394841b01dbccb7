import { expect } from 'chai'
import type { CustomResourceDefinition } from '../../../src/api/apiextensions/v1.types.ts'
import { Catalog } from '../../../src/catalog/catalog.ts'
import type { AccessEvent } from '../../../src/catalog/resource-access.ts'
import type { ControllerEnvironment } from '../../../src/controllers/controller.ts'
import { type CustomResourceHost, customResources } from '../../../src/extensions/follow-definitions.ts'
import { silentLogger } from '../../../src/lib/log.ts'
import { FIRST_VALUE_RULES } from '../../../src/schema/json-schema/value-rules.ts'
import { turns } from '../../support/waiting.ts'

const NAMES = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' }
const NAME = 'widgets.example.com'

/** A definition at a version, with its names accepted and established, or as it was created. */
function definitionAt(resourceVersion: string, isEstablished: boolean): CustomResourceDefinition {
  const conditions = ['NamesAccepted', 'Established'].map(type => ({ type, status: 'True' }))
  const definition: unknown = {
    kind: 'CustomResourceDefinition',
    apiVersion: 'apiextensions.k8s.io/v1',
    metadata: { name: NAME, uid: '1', resourceVersion },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: NAMES,
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
    status: isEstablished ? { conditions, acceptedNames: NAMES, storedVersions: ['v1'] } : {},
  }
  return definition as CustomResourceDefinition
}

describe('definitions that are served', () => {
  it('are not withdrawn by an event that is older than what is served, and that came while other changes were queued', async () => {
    const changes: string[] = []
    const host: Partial<CustomResourceHost> = {
      catalog: new Catalog([]),
      logger: silentLogger,
      builtin: [],
      rules: FIRST_VALUE_RULES,
      addResource: () => void changes.push('added'),
      replaceResource: () => void changes.push('replaced'),
      removeResource: () => void changes.push('removed'),
      onSynced: () => void changes.push('synced'),
    }
    const { follow, serveWritten } = customResources(host as CustomResourceHost)
    const stop = new AbortController()
    let handle: (event: AccessEvent<CustomResourceDefinition>) => undefined | Promise<void> = () => undefined
    const access = {
      watch: (_id: unknown, _namespace: string, signal: AbortSignal, take: typeof handle) => {
        handle = take
        return new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))
      },
    }
    const following = follow({ access, logger: silentLogger } as unknown as ControllerEnvironment, stop.signal)
    await turns()
    await handle({ type: 'synced' } as AccessEvent<CustomResourceDefinition>)
    let release = (): void => {}
    const gate = new Promise<undefined>(resolve => {
      release = () => resolve(undefined)
    })
    const other = serveWritten('other.example.com', () => gate)
    const served = serveWritten(NAME, async () => definitionAt('2', true))
    const older = handle({ type: 'added', object: definitionAt('1', false) })
    release()
    await Promise.all([other, served, older])
    expect(changes).to.deep.equal(['synced', 'added'])
    expect(host.catalog?.snapshot().find('example.com', 'v1', 'widgets')).not.to.equal(undefined)
    await handle({ type: 'deleted', object: definitionAt('3', true) })
    expect(changes).to.deep.equal(['synced', 'added', 'removed'])
    stop.abort()
    await following
  })
})
