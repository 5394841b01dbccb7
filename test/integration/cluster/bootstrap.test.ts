import { expect } from 'chai'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'

const SECRET = '/api/v1/namespaces/kube-system/secrets/bootstrap-token-abcdef'
const INFO = '/api/v1/namespaces/kube-public/configmaps/cluster-info'

describe('bootstrap tokens in a cluster', () => {
  let plane: ControlPlane
  const start = async (...controllers: string[]): Promise<void> => {
    plane = await startControlPlane({
      clock: 'stopped',
      flags: { profile: 'cluster', controllers: ['*', ...controllers, '-kubelet', '-scheduler'] },
    })
  }
  afterEach(() => plane.stop())

  const createToken = (expiration: Date): Promise<unknown> =>
    plane.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'bootstrap-token-abcdef', namespace: 'kube-system' },
      type: 'bootstrap.kubernetes.io/token',
      stringData: {
        'token-id': 'abcdef',
        'token-secret': '0123456789abcdef',
        'usage-bootstrap-signing': 'true',
        expiration: `${expiration.toISOString().slice(0, 19)}Z`,
      },
    })
  const createInfo = (): Promise<unknown> =>
    plane.apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'cluster-info', namespace: 'kube-public' },
      data: { kubeconfig: 'abc' },
    })
  const signatures = async (): Promise<string[]> =>
    Object.keys((await plane.request<AnyObject>('GET', INFO)).body.data).filter(key => key.startsWith('jws-kubeconfig-'))

  it('sign the information of the cluster until they expire, and are deleted then', async () => {
    await start('bootstrap-signer-controller', 'token-cleaner-controller')
    await createInfo()
    await createToken(new Date(plane.now.getTime() + 60_000))
    await plane.until(async () => (await signatures()).join() === 'jws-kubeconfig-abcdef')
    await plane.settled()
    await plane.advance(58_000)
    expect((await plane.request('GET', SECRET)).status).to.equal(200)
    await plane.advance(3000)
    await plane.until(async () => (await plane.request('GET', SECRET)).status === 404)
    await plane.until(async () => (await signatures()).length === 0)
  })

  it('are left alone unless their controllers are named', async () => {
    await start()
    await createInfo()
    await createToken(new Date(plane.now.getTime() - 60_000))
    await plane.settled()
    expect([(await plane.request('GET', SECRET)).status, await signatures()]).to.deep.equal([200, []])
  })

  it('and nodes are annotated with the time for which kubelets may cache Secrets', async () => {
    await start()
    await plane.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } })
    const annotations = async (): Promise<object> =>
      (await plane.request<AnyObject>('GET', '/api/v1/nodes/n')).body.metadata.annotations ?? {}
    await plane.until(async () => 'node.alpha.kubernetes.io/ttl' in (await annotations()))
    expect(await annotations()).to.deep.include({ 'node.alpha.kubernetes.io/ttl': '0' })
  })
})
