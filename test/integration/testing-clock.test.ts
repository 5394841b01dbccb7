import { expect } from 'chai'
import { startControlPlane } from '../../src/testing/start-control-plane.ts'
import type { ControlPlane, ControlPlaneOptions } from '../../src/testing/types.ts'
import type { AnyObject } from '../support/any-object.ts'

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const AT = new Date('2030-01-01T00:00:00Z')

describe('the clock of a control plane for tests', () => {
  const planes: ControlPlane[] = []

  const start = async (options: ControlPlaneOptions = { clock: AT }): Promise<ControlPlane> => {
    const plane = await startControlPlane(options)
    planes.push(plane)
    return plane
  }
  const get = async (plane: ControlPlane, path: string): Promise<AnyObject> => (await plane.request('GET', path)).body as AnyObject
  const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { of: name } })
  const eventsOf = (body: unknown): AnyObject[] =>
    `${body}`
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))

  afterEach(() => Promise.all(planes.splice(0).map(plane => plane.stop())))

  it('sets creation timestamps, and ages in Tables', async () => {
    const plane = await start()
    await plane.apply(configMap('first'))
    expect((await get(plane, '/api/v1/namespaces/default')).metadata.creationTimestamp).to.equal('2030-01-01T00:00:00Z')
    await plane.advance('3h')
    expect(plane.now.toISOString()).to.equal('2030-01-01T03:00:00.000Z')
    await plane.apply(configMap('second'))
    const { metadata } = await get(plane, `${CONFIG_MAPS}/second`)
    expect([metadata.creationTimestamp, metadata.managedFields?.[0]?.time]).to.deep.equal(['2030-01-01T03:00:00Z', '2030-01-01T03:00:00Z'])
    const table = await plane.request('GET', `${CONFIG_MAPS}/first`, {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    })
    expect((table.body as AnyObject).rows[0].cells).to.deep.equal(['first', 1, '3h'])
  })

  it('expires events', async () => {
    const plane = await start()
    const about = { kind: 'Node', name: 'n' }
    const make = (name: string) =>
      plane.request('POST', '/api/v1/namespaces/default/events', {
        body: { metadata: { name }, involvedObject: { ...about, namespace: 'default' }, type: 'Normal' },
      })
    const names = async () => (await get(plane, '/api/v1/namespaces/default/events')).items.map(({ metadata }: AnyObject) => metadata.name)
    expect((await make('early')).status).to.equal(201)
    await plane.advance('30m')
    await make('late')
    await plane.advance('29m59s')
    expect(await names()).to.deep.equal(['early', 'late'])
    await plane.advance('1s')
    expect(await names()).to.deep.equal(['late'])
    await plane.advance('30m')
    expect(await names()).to.deep.equal([])
  })

  it('expires tokens', async () => {
    const plane = await start()
    await plane.until(async () => (await plane.request('GET', '/api/v1/namespaces/default/serviceaccounts/default')).status === 200)
    const path = '/api/v1/namespaces/default/serviceaccounts/default/token'
    const { status } = (await plane.request('POST', path, { body: { spec: { expirationSeconds: 600 } } })).body as AnyObject
    expect(status.expirationTimestamp).to.equal('2030-01-01T00:10:00Z')
    const review = async () => {
      const answer = await plane.request('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { body: { spec: { token: status.token } } })
      return (answer.body as AnyObject).status.authenticated === true
    }
    const asked = [await review()]
    await plane.advance('9m')
    asked.push(await review())
    await plane.advance('3m')
    asked.push(await review())
    expect(asked).to.deep.equal([true, true, false])
  })

  it('ends watches, with a bookmark each minute and one before the end', async () => {
    const plane = await start()
    for (const flags of [{}, { 'watch-cache': false }]) {
      const watched = await start({ clock: AT, flags })
      const { resourceVersion } = (await get(watched, CONFIG_MAPS)).metadata
      const watching = watched.request(
        'GET',
        `${CONFIG_MAPS}?watch=1&allowWatchBookmarks=true&resourceVersion=${resourceVersion}&timeoutSeconds=150`,
      )
      await watched.until(() => watched.requests.some(({ verb, status }) => verb === 'watch' && status === 200))
      let isOver = false
      void watching.then(() => (isOver = true))
      await watched.advance('149s')
      await plane.settled(50)
      expect(isOver, JSON.stringify(flags)).to.equal(false)
      await watched.advance('1s')
      const types = eventsOf((await watching).body).map(({ type }) => type)
      expect(types, JSON.stringify(flags)).to.deep.equal(['BOOKMARK', 'BOOKMARK', 'BOOKMARK'])
    }
  })

  it('triggers compaction', async () => {
    const plane = await start()
    await plane.apply(configMap('a'))
    const { resourceVersion } = (await get(plane, CONFIG_MAPS)).metadata
    await plane.apply(configMap('b'), configMap('c'))
    const exact = async () =>
      (await plane.request('GET', `${CONFIG_MAPS}?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`)).status
    const watched = () => get(plane, `${CONFIG_MAPS}?watch=1&resourceVersion=${resourceVersion}&timeoutSeconds=60`)
    await plane.advance('4m')
    expect(await exact()).to.equal(200)
    await plane.advance('7m')
    expect(await exact()).to.equal(410)
    expect(await watched()).to.nested.include({ type: 'ERROR', 'object.code': 410 })
  })

  it('sets the deletion deadline of a pod', async () => {
    const plane = await start({ clock: 'stopped' })
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] } }
    await plane.apply(pod)
    await plane.request('DELETE', '/api/v1/namespaces/default/pods/p?gracePeriodSeconds=60')
    const { metadata } = await get(plane, '/api/v1/namespaces/default/pods/p')
    expect(Date.parse(`${metadata.deletionTimestamp}`) - Math.floor(plane.now.getTime() / 1000) * 1000).to.equal(60_000)
  })

  it('is copied by a fork, and then advances on its own', async () => {
    const plane = await start({ clock: 'stopped' })
    const copy = await plane.fork()
    planes.push(copy)
    const begun = plane.now.getTime()
    expect(copy.now.getTime()).to.equal(begun)
    await copy.advance('1h')
    expect([plane.now.getTime(), copy.now.getTime()]).to.deep.equal([begun, begun + 3_600_000])
  })

  it('is the system clock by default, which cannot be advanced', async () => {
    const plane = await start({})
    expect(Math.abs(plane.now.getTime() - Date.now())).to.be.below(10_000)
    expect(await plane.advance('1s').catch((error: Error) => error.message)).to.include('start it with the option clock')
    const moved = await start({ clock: 'running' })
    expect(await moved.advance('-1s').catch((error: Error) => error.message)).to.equal('time cannot go back: -1s')
    expect(await moved.advance('soon').catch((error: Error) => error.message)).to.include('invalid duration "soon"')
  })
})
