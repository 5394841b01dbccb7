import { expect } from 'chai'
import { apiServiceAvailabilityController } from '../../../src/controllers/api-service-availability.ts'
import type { AnyObject } from '../../support/any-object.ts'
import { builtinRegistry, controllerEnvironment } from '../../support/builtin-registry.ts'
import { eventually } from '../../support/waiting.ts'

const API_SERVICES = { group: 'apiregistration.k8s.io', resource: 'apiservices' }
const SERVICES = { group: '', resource: 'services' }
const ENDPOINTS = { group: '', resource: 'endpoints' }
const NAME = 'v1beta1.metrics.k8s.io'

const apiService: AnyObject = {
  kind: 'APIService',
  apiVersion: 'apiregistration.k8s.io/v1',
  metadata: { name: NAME },
  spec: {
    group: 'metrics.k8s.io',
    version: 'v1beta1',
    groupPriorityMinimum: 1,
    versionPriority: 1,
    insecureSkipTLSVerify: true,
    service: { namespace: 'default', name: 'metrics', port: 443 },
  },
}
const service = (spec: object): AnyObject => ({ kind: 'Service', apiVersion: 'v1', metadata: { name: 'metrics' }, spec })
const endpoints = (name: string, addresses: object[]): AnyObject => ({
  kind: 'Endpoints',
  apiVersion: 'v1',
  metadata: { name: 'metrics' },
  subsets: [{ addresses, ports: [{ name, port: 443, protocol: 'TCP' }] }],
})
const READY = [{ ip: '10.1.0.1' }]

async function started() {
  const t = builtinRegistry()
  const access = t.access()
  await access.create({ group: '', resource: 'namespaces' }, '', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'default' } })
  await access.create(API_SERVICES, '', apiService)
  const end = new AbortController()
  const running = apiServiceAvailabilityController(controllerEnvironment(t), end.signal)
  const condition = async () => (await access.get(API_SERVICES, '', NAME)).status?.conditions?.[0] ?? {}
  /** Waits for the reason; the status and the message that come with it. */
  const told = async (reason: string) => {
    await eventually(reason, async () => (await condition()).reason === reason)
    const { status, message } = await condition()
    return `${status}: ${message}`
  }
  const ended = async () => {
    end.abort()
    await running
  }
  return { access, condition, told, ended }
}

describe('the availability of APIServices', () => {
  it('follows the service and the endpoints, and is never told while nothing is forwarded', async () => {
    const { access, condition, told, ended } = await started()
    const at = 'service/metrics in "default"'
    expect(await told('ServiceNotFound')).to.equal(`False: ${at} is not present`)
    const { type, lastTransitionTime } = await condition()
    expect(type).to.equal('Available')
    await access.create(SERVICES, 'default', service({ ports: [{ name: 'https', port: 8443 }] }))
    expect(await told('ServicePortError')).to.equal(`False: ${at} is not listening on port 443`)
    await access.update(SERVICES, 'default', 'metrics', now => ({ ...now, spec: { ...now.spec, ports: [{ ...now.spec.ports[0], port: 443 }] } }))
    expect(await told('EndpointsNotFound')).to.equal(`False: cannot find endpoints for ${at}`)
    await access.create(ENDPOINTS, 'default', endpoints('other', READY))
    expect(await told('MissingEndpoints')).to.equal(`False: endpoints for ${at} have no addresses with port name "https"`)
    await access.update(ENDPOINTS, 'default', 'metrics', now => ({ ...now, subsets: endpoints('https', READY).subsets }))
    expect(await told('FailedDiscoveryCheck')).to.equal('False: requests are not forwarded to other servers')
    expect((await condition()).lastTransitionTime).to.equal(lastTransitionTime)
    await ended()
  })

  it('is the server itself once there is no service, and the reverse', async () => {
    const { access, told, ended } = await started()
    await told('ServiceNotFound')
    const { service: _service, insecureSkipTLSVerify: _insecure, ...local } = apiService.spec
    await access.update(API_SERVICES, '', NAME, now => ({ ...now, spec: local }))
    expect(await told('Local')).to.equal('True: Local APIServices are always available')
    await access.update(API_SERVICES, '', NAME, now => ({ ...now, spec: apiService.spec }))
    expect(await told('ServiceNotFound')).to.equal('False: service/metrics in "default" is not present')
    await ended()
  })

  it('of a service without a cluster IP depends on nothing that is stored', async () => {
    const { access, told, ended } = await started()
    await access.create(SERVICES, 'default', service({ type: 'ExternalName', externalName: 'example.com' }))
    expect(await told('FailedDiscoveryCheck')).to.equal('False: requests are not forwarded to other servers')
    await ended()
  })
})
