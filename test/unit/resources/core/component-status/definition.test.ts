import { expect } from 'chai'
import type { ResourceAccess, VirtualCall } from '../../../../../src/catalog/definition.ts'
import type { KubeObject } from '../../../../../src/meta/object.ts'
import { failure, notFoundError } from '../../../../../src/meta/status.ts'
import { componentStatusResource } from '../../../../../src/resources/core/component-status/definition.ts'

async function ask(verb: string, name: string, get: () => Promise<KubeObject>): Promise<{ object: KubeObject }> {
  const call = { verb, name, namespace: '', dryRun: false, api: { get } as unknown as ResourceAccess }
  const answer = await componentStatusResource.virtual?.call(call as unknown as VirtualCall)
  return { object: answer?.object as KubeObject }
}

const here = async (): Promise<KubeObject> => ({ kind: 'Namespace', apiVersion: 'v1', metadata: {} })
const cells = (object: KubeObject) => componentStatusResource.home.table?.cells(object, 0)

describe('component statuses', () => {
  it('tell that the store answers', async () => {
    const { object } = await ask('get', 'etcd-0', here)
    expect(cells(object)).to.deep.equal(['etcd-0', 'Healthy', 'ok', ''])
  })

  it('tell why it does not', async () => {
    const { object } = await ask('get', 'etcd-0', () => Promise.reject(failure(503, 'ServiceUnavailable', 'no store')))
    expect(cells(object)).to.deep.equal(['etcd-0', 'Unhealthy', '', 'no store'])
  })

  it('are well where the store is empty', async () => {
    const { object } = await ask('get', 'etcd-0', () => Promise.reject(notFoundError({ group: '', resource: 'namespaces' }, 'kube-system')))
    expect(cells(object)?.[1]).to.equal('Healthy')
  })

  it('are listed', async () => {
    const { object } = await ask('list', '', here)
    expect(object.kind).to.equal('ComponentStatusList')
    expect(object.items).to.have.lengthOf(1)
    expect(object.items[0]).to.not.have.property('kind')
  })

  it('of others are unknown', async () => {
    let code = 0
    await ask('get', 'scheduler', here).catch((error: { code: number }) => {
      code = error.code
    })
    expect(code).to.equal(404)
  })
})
