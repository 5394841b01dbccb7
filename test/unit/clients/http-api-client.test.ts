import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { HttpApiClient } from '../../../src/clients/http-api-client.ts'
import { PODS } from '../../../src/cluster/shared/kinds.ts'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane } from '../../../src/testing/types.ts'
import { apiClientSuite, CONFIG_MAPS } from '../../conformance/api-client.ts'
import { patience } from '../../support/waiting.ts'

describe('http api client', () => {
  let plane: ControlPlane
  let client: HttpApiClient
  before(async () => {
    plane = await startControlPlane()
    client = new HttpApiClient(plane)
  })
  after(async () => {
    client.close()
    await plane.stop()
  })

  apiClientSuite(() => client)

  it('rejects a watch from a version that is too old with 410', async () => {
    // The store of the control plane is a copy, without the history of its original.
    const watching = client.watch(CONFIG_MAPS, { resourceVersion: '1' }, patience(), () => undefined)
    const error: unknown = await watching.catch((failure: unknown) => failure)
    expect(error).to.have.property('code', 410)
  })

  it('lists in pages', async () => {
    const item = (name: string) => ({ metadata: { name, namespace: 'ns' } })
    const server = createServer((request, response) => {
      const isLast = request.url?.includes('continue=more') === true
      const metadata = { resourceVersion: '7', ...(isLast ? {} : { continue: 'more' }) }
      response.end(JSON.stringify({ kind: 'ConfigMapList', apiVersion: 'v1', metadata, items: [item(isLast ? 'b' : 'a')] }))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const paged = new HttpApiClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
    const { items, resourceVersion } = await paged.list(CONFIG_MAPS)
    expect([items.map(({ metadata }) => metadata.name), resourceVersion]).to.deep.equal([['a', 'b'], '7'])
    server.close()
  })

  it('sends no request for a name that is empty or leads to another path', async () => {
    const paths: (string | undefined)[] = []
    const server = createServer((request, response) => {
      paths.push(request.url)
      response.end('{}')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const other = new HttpApiClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
    const faults: unknown[] = []
    for (const name of ['', '.', '..', 'a'])
      await other.delete(CONFIG_MAPS, 'default', name).catch((failure: Error) => {
        faults.push(failure.message)
      })
    for (const namespace of ['.', '..']) {
      const failed = (failure: Error): unknown => faults.push(failure.message)
      await other.list(CONFIG_MAPS, { namespace }).catch(failed)
      await other.create(CONFIG_MAPS, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', namespace } }).catch(failed)
      await other.watch(CONFIG_MAPS, { namespace, resourceVersion: '1' }, new AbortController().signal, () => undefined).catch(failed)
    }
    server.close()
    expect(faults.splice(3)).to.deep.equal([
      ...Array(3).fill('no ConfigMap has the name ./'),
      ...Array(3).fill('no ConfigMap has the name ../'),
    ])
    expect(faults).to.deep.equal([
      'ConfigMap without a name',
      'no ConfigMap has the name default/.',
      'no ConfigMap has the name default/..',
    ])
    expect(paths).to.deep.equal(['/api/v1/namespaces/default/configmaps/a'])
  })

  it('rejects with an Error that names the request if the server is not there', async () => {
    const other = new HttpApiClient({ url: 'http://127.0.0.1:1' })
    const error: unknown = await other.get(PODS, 'default', 'a').catch((failure: unknown) => failure)
    expect(error).to.be.an('error').with.property('message').that.contains('GET /api/v1/namespaces/default/pods/a: ')
  })
})
