import { expect } from 'chai'
import type { Coordinates } from '../../../../src/controllers/garbage-collector/coordinates.ts'
import { invalidOwnerEvents } from '../../../../src/controllers/garbage-collector/invalid-owner-events.ts'
import { builtinRegistry, controllerEnvironment, NAMESPACES } from '../../../support/builtin-registry.ts'
import { eventually } from '../../../support/waiting.ts'

const EVENTS = { group: '', resource: 'events' }
const at = (namespace: string, name: string): Coordinates => ({ apiVersion: 'v1', kind: 'Thing', namespace, name, uid: `uid-${name}` })

async function open() {
  const t = builtinRegistry()
  const access = t.access()
  for (const name of ['ns', 'default']) await access.create(NAMESPACES, '', { kind: 'Namespace', apiVersion: 'v1', metadata: { name } })
  const events = async (namespace: string) => (await access.list(EVENTS, namespace)).items
  return { tell: invalidOwnerEvents(controllerEnvironment(t)), events }
}

describe('events about owners in other namespaces', () => {
  it('are in the namespace of the dependent, and named after it', async () => {
    const { tell, events } = await open()
    tell(at('ns', 'child'), at('ns', 'owner'))
    await eventually('an event', async () => (await events('ns')).length === 1)
    const [event] = await events('ns')
    expect(event?.metadata.name).to.match(/^child\.18[0-9a-f]{14}$/)
    expect(event).to.deep.include({ count: 1, firstTimestamp: '2026-01-02T03:04:05Z', lastTimestamp: '2026-01-02T03:04:05Z' })
    expect(event?.message).to.equal('ownerRef [v1/Thing, namespace: ns, name: owner, uid: uid-owner] does not exist in namespace "ns"')
  })

  it('are in the namespace default for cluster-scoped dependents', async () => {
    const { tell, events } = await open()
    tell(at('', 'child'), at('', 'owner'))
    await eventually('an event', async () => (await events('default')).length === 1)
    expect((await events('default'))[0]?.involvedObject).to.deep.equal({ apiVersion: 'v1', kind: 'Thing', name: 'child', uid: 'uid-child' })
  })

  it('are dropped if there are too many at a time', async () => {
    const { tell, events } = await open()
    for (let i = 0; i < 40; i++) tell(at('ns', `child-${i}`), at('ns', 'owner'))
    await eventually('as many as may be', async () => (await events('ns')).length === 25)
    tell(at('ns', 'late'), at('ns', 'owner'))
    await eventually('one more', async () => (await events('ns')).length === 26)
  })
})
