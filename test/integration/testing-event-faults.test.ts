import { expect } from 'chai'
import { startControlPlane } from '../../src/testing/start-control-plane.ts'
import type { ControlPlane, User } from '../../src/testing/types.ts'
import type { AnyObject } from '../support/any-object.ts'

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'

describe('faults about one event, one writer or one restart', () => {
  let plane: ControlPlane
  let jane: User
  before(async () => {
    plane = await startControlPlane()
    jane = await plane.user('jane', ['system:masters'])
  })
  beforeEach(() => plane.reset())
  after(() => plane.stop())

  const create = (name: string) => plane.request('POST', CONFIG_MAPS, { body: { metadata: { name }, data: { of: name } } })
  const read = async (query = ''): Promise<AnyObject> => (await jane.request('GET', `${CONFIG_MAPS}${query}`)).body as AnyObject
  const names = ({ items }: AnyObject): string[] =>
    items.map(({ metadata }: AnyObject) => metadata.name).filter((name: string) => name !== 'kube-root-ca.crt')
  const watch = async (query: string): Promise<string[]> => {
    const { body } = await jane.request('GET', `${CONFIG_MAPS}?watch=1&timeoutSeconds=1&${query}`)
    const lines = (typeof body === 'string' ? body : JSON.stringify(body)).split('\n').filter(line => line !== '' && line !== '""')
    return lines.map(line => JSON.parse(line)).map(({ type, object }) => `${type} ${object.metadata?.name ?? object.code}`)
  }
  const version = async (): Promise<string> => `${(await read()).metadata.resourceVersion}`

  it('end a watch before an event, and let the next one wait', async () => {
    const at = await version()
    for (const name of ['a', 'b', 'c']) await create(name)
    plane.faults.add({
      match: { users: ['jane'], verbs: ['watch'] },
      watch: { endBefore: { type: 'ADDED', name: 'b' }, withGone: true, reopen: 'Quiet' },
    })
    expect(await watch(`resourceVersion=${at}`)).to.deep.equal(['ADDED a', 'ERROR 410'])
    let isListed = false
    const listed = read().then(list => {
      isListed = true
      return list
    })
    await create('d')
    expect(isListed).to.equal(false)
    expect(names(await listed)).to.deep.equal(['a', 'b', 'c', 'd'])
    // The event is found once.
    expect(await watch(`resourceVersion=${at}`)).to.deep.equal(['ADDED a', 'ADDED b', 'ADDED c', 'ADDED d'])
  })

  it('count the events that an event fault skips', async () => {
    const at = await version()
    for (const name of ['a', 'b', 'c']) await create(name)
    plane.faults.add({ watch: { endBefore: { namespace: 'default', skip: 2 } } })
    expect(await watch(`resourceVersion=${at}`)).to.deep.equal(['ADDED a', 'ADDED b'])
    plane.faults.add({ watch: { endBefore: { namespace: 'elsewhere' } } })
    expect(await watch(`resourceVersion=${at}`)).to.deep.equal(['ADDED a', 'ADDED b', 'ADDED c'])
  })

  it('hold events back while others write', async () => {
    const at = await version()
    plane.faults.add({ match: { verbs: ['watch'] }, watch: { holdAt: { name: 'a' } } })
    const watching = watch(`resourceVersion=${at}`)
    await create('a')
    await jane.request('DELETE', `${CONFIG_MAPS}/a`)
    expect(await watching).to.deep.equal(['ADDED a', 'DELETED a'])
  })

  it('change an object right before it is updated', async () => {
    const made = (await create('a')).body as AnyObject
    plane.faults.add({ match: { users: ['jane'], verbs: ['update'] }, rate: { count: 1 }, writer: 'Changes' })
    const conflict = await jane.request('PUT', `${CONFIG_MAPS}/a`, { body: made })
    expect(conflict.status).to.equal(409)
    const changed = (await plane.request('GET', `${CONFIG_MAPS}/a`)).body as AnyObject
    expect(changed.metadata.annotations).to.deep.equal({ 'binnacle.dev/concurrent-writes': '1' })
    expect((await jane.request('PUT', `${CONFIG_MAPS}/a`, { body: changed })).status).to.equal(200)
  })

  it('delete an object right before a request for it', async () => {
    await create('a')
    plane.faults.add({ match: { users: ['jane'], verbs: ['patch'] }, writer: 'Deletes' })
    expect((await jane.request('PATCH', `${CONFIG_MAPS}/a`, { body: { data: { of: 'b' } } })).status).to.equal(404)
    expect((await jane.request('PATCH', `${CONFIG_MAPS}/a`, { body: { data: { of: 'b' } } })).status).to.equal(404)
  })

  it('delete an object after a request, when nothing else happens', async () => {
    await create('a')
    plane.faults.add({ match: { users: ['jane'], verbs: ['patch'] }, writer: 'DeletesAtRest' })
    expect((await jane.request('PATCH', `${CONFIG_MAPS}/a`, { body: { data: { of: 'b' } } })).status).to.equal(200)
    await plane.until(async () => (await plane.request('GET', `${CONFIG_MAPS}/a`)).status === 404)
  })

  it('delete the object of the event at which a watch ends, at once or when nothing else happens', async () => {
    const at = await version()
    plane.faults.add({ match: { verbs: ['watch'] }, watch: { endBefore: { name: 'a' }, reopen: 'Quiet' }, writer: 'DeletesAtRest' })
    const watching = watch(`resourceVersion=${at}`)
    await create('a')
    expect(await watching).to.deep.equal([])
    expect(names(await read())).to.deep.equal([])
    plane.faults.add({ match: { verbs: ['watch'] }, watch: { holdAt: { name: 'b' } }, writer: 'Deletes' })
    const held = watch(`resourceVersion=${await version()}`)
    await create('b')
    expect(await held).to.deep.equal(['ADDED b', 'DELETED b'])
  })

  it('serve lists of any version as they were before the last changes, and delay the watch that continues', async () => {
    const fault = plane.faults.add({ match: { users: ['jane'], verbs: ['list'] }, behindChanges: 2 })
    // Changes are counted from the first watch with a fault on.
    const at = await version()
    const watching = watch(`resourceVersion=${at}`)
    await plane.until(() => plane.requests.some(({ user, verb, status }) => user === 'jane' && verb === 'watch' && status === 200))
    for (const name of ['a', 'b', 'c']) await create(name)
    await watching
    const stale = await read('?resourceVersion=0')
    expect(names(stale)).to.deep.equal(['a'])
    expect(names(await read())).to.deep.equal(['a', 'b', 'c'])
    expect(await watch(`resourceVersion=${stale.metadata.resourceVersion}`)).to.deep.equal(['ADDED b', 'ADDED c'])
    expect(fault.hits).to.equal(1)
  })

  it('let a request wait until nothing else happens', async () => {
    plane.faults.add({ match: { users: ['jane'], verbs: ['create'] }, hold: 'Quiet' })
    const late = jane.request('POST', CONFIG_MAPS, { body: { metadata: { name: 'late' } } })
    const [, early] = await Promise.all([late, create('early')])
    const revision = async (name: string) =>
      Number(((await plane.request('GET', `${CONFIG_MAPS}/${name}`)).body as AnyObject).metadata.resourceVersion)
    expect(early.status).to.equal(201)
    expect(await revision('early')).to.be.below(await revision('late'))
  })

  it('reject what a server cannot do, and invalid numbers', () => {
    expect(() => plane.faults.add({ restart: 'AfterCommit' })).to.throw('restart: only binnacle explore can restart a program')
    expect(() => plane.faults.add({ behindChanges: -1 })).to.throw('behindChanges: must be a non-negative integer, got -1')
    expect(() => plane.faults.add({ watch: { endBefore: {}, holdAt: {} } })).to.throw(
      'watch.holdAt: must not be set together with endBefore',
    )
    expect(() => plane.faults.add({ watch: { holdAt: { skip: 0.5 } } })).to.throw(
      'watch.holdAt.skip: must be a non-negative integer, got 0.5',
    )
  })
})
