import { expect } from 'chai'
import { isBuiltPlugin, isOnByDefault, pluginsInOrder } from '../../../src/admission/plugin-names.ts'
import { createControlPlane } from '../../../src/control-plane/control-plane.ts'
import { isStatusError } from '../../../src/meta/status.ts'
import type { AnyObject } from '../../support/any-object.ts'
import { apiHandler } from '../../support/api-handler.ts'
import { controlPlaneOptions, type GivenOptions } from '../../support/control-plane-options.ts'
import { FakeExchange, type FakeRequest } from '../../support/exchange.ts'
import { MemoryBackend } from '../../support/memory-backend.ts'
import { patience } from '../../support/waiting.ts'

const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i:1' }] } }
const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ns' } }

/** The pod that results from a create under these options. */
async function created(options: GivenOptions): Promise<{ status: number; body: AnyObject }> {
  const plane = createControlPlane(controlPlaneOptions(new MemoryBackend(), options))
  const post = async (path: string, body: object): Promise<FakeExchange> => {
    const exchange = new FakeExchange(path, { method: 'POST', body: JSON.stringify(body) })
    await apiHandler(plane.api)(exchange)
    return exchange
  }
  await plane.synced(patience())
  await post('/api/v1/namespaces', NAMESPACE)
  const { status, body } = await post('/api/v1/namespaces/ns/pods', POD)
  await plane.close()
  return { status, body: JSON.parse(String(body)) }
}

const without = (...names: string[]) => pluginsInOrder().filter(name => !names.includes(name))

describe('AdmissionService', () => {
  it('runs the default plugins', async () => {
    const { body } = await created({})
    expect(body.spec).to.include({ serviceAccountName: 'default', priority: 0 })
    expect(body.spec.tolerations).to.have.length(2)
  })

  it('skips disabled plugins', async () => {
    const { status, body } = await created({ admission: { plugins: without('ServiceAccount', 'DefaultTolerationSeconds', 'Priority') } })
    expect(status).to.equal(201)
    expect(body.spec).not.to.have.any.keys('serviceAccountName', 'priority', 'tolerations')
  })

  it('uses the configured toleration seconds', async () => {
    const { body } = await created({ admission: { tolerationSeconds: { notReady: 7, unreachable: 9 } } })
    expect(body.spec.tolerations.map((one: { tolerationSeconds: number }) => one.tolerationSeconds)).to.deep.equal([7, 9])
  })

  it('runs enabled plugins, and requires configurations only of those', async () => {
    const { body } = await created({ admission: { plugins: pluginsInOrder(name => isOnByDefault(name) || name === 'AlwaysPullImages') } })
    expect(body.spec.containers[0].imagePullPolicy).to.equal('Always')
    expect(() => createControlPlane(controlPlaneOptions(new MemoryBackend(), { admission: { plugins: ['EventRateLimit'] } }))).to.throw(
      `couldn't init admission plugin "EventRateLimit": limits: Invalid value`,
    )
  })

  it('creates namespaces if NamespaceAutoProvision is on', async () => {
    const options = { admission: { plugins: pluginsInOrder(name => isOnByDefault(name) || name === 'NamespaceAutoProvision') } }
    const plane = createControlPlane(controlPlaneOptions(new MemoryBackend(), options))
    await plane.synced(patience())
    const asked = async (path: string, init?: FakeRequest): Promise<number> => {
      const exchange = new FakeExchange(path, init)
      await apiHandler(plane.api)(exchange).catch((error: unknown) => {
        if (!isStatusError(error)) throw error
        exchange.status = error.code
      })
      return exchange.status
    }
    const map = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' } })
    const post = (search: string) => asked('/api/v1/namespaces/fresh/configmaps', { method: 'POST', search, body: map })
    expect([await post('?dryRun=All'), await asked('/api/v1/namespaces/fresh')]).to.deep.equal([404, 404])
    expect([await post(''), await asked('/api/v1/namespaces/fresh'), await post('')]).to.deep.equal([201, 200, 409])
    await plane.close()
  })

  it('implements all default plugins', () => {
    expect(pluginsInOrder().filter(name => !isBuiltPlugin(name))).to.deep.equal([])
  })
})
