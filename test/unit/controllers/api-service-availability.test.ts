import { expect } from 'chai'
import { apiServiceAvailabilityController, type CheckBackend } from '../../../src/controllers/api-service-availability.ts'
import { AvailabilityMetrics } from '../../../src/extensions/aggregation/metrics.ts'
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
  const metrics = new AvailabilityMetrics()
  /** Result of the check of the server. */
  const backend: { why: string | undefined; asked: number } = {
    why: 'bad status from https://10.0.0.1:443/apis/metrics.k8s.io/v1beta1: 500',
    asked: 0,
  }
  const check: CheckBackend = async () => {
    backend.asked++
    return backend.why
  }
  const options = { check, observer: metrics, isPlaced: (_namespace: string, name: string) => name === 'placed' }
  const running = apiServiceAvailabilityController(options)(controllerEnvironment(t), end.signal)
  const condition = async () => (await access.get(API_SERVICES, '', NAME)).status?.conditions?.[0] ?? {}
  /** Waits for a reason. Returns the status and the message. */
  const told = async (reason: string) => {
    await eventually(reason, async () => (await condition()).reason === reason)
    const { status, message } = await condition()
    return `${status}: ${message}`
  }
  const ended = async () => {
    end.abort()
    await running
  }
  const samples = () =>
    metrics.families
      .flatMap(each => [...each.samples()])
      .map(({ metricName, labels, value }) => [metricName, ...Object.values(labels), value])
  return { access, condition, told, ended, backend, samples }
}

describe('apiServiceAvailabilityController', () => {
  it('checks the service and its endpoints, and then the server', async () => {
    const { access, condition, told, ended, backend, samples } = await started()
    const at = 'service/metrics in "default"'
    expect(await told('ServiceNotFound')).to.equal(`False: ${at} is not present`)
    const { type, lastTransitionTime } = await condition()
    expect(type).to.equal('Available')
    await access.create(SERVICES, 'default', service({ ports: [{ name: 'https', port: 8443 }] }))
    expect(await told('ServicePortError')).to.equal(`False: ${at} is not listening on port 443`)
    await access.update(SERVICES, 'default', 'metrics', now => ({
      ...now,
      spec: { ...now.spec, ports: [{ ...now.spec.ports[0], port: 443 }] },
    }))
    expect(await told('EndpointsNotFound')).to.equal(`False: cannot find endpoints for ${at}`)
    await access.create(ENDPOINTS, 'default', endpoints('other', READY))
    expect(await told('MissingEndpoints')).to.equal(`False: endpoints for ${at} have no addresses with port name "https"`)
    expect(backend.asked).to.equal(0)
    await access.update(ENDPOINTS, 'default', 'metrics', now => ({ ...now, subsets: endpoints('https', READY).subsets }))
    expect(await told('FailedDiscoveryCheck')).to.equal(`False: ${backend.why}`)
    expect((await condition()).lastTransitionTime).to.equal(lastTransitionTime)
    expect(samples()).to.deep.equal([['aggregator_unavailable_apiservice', NAME, 1]])
    backend.why = undefined
    expect(await told('Passed')).to.equal('True: all checks passed')
    await eventually('the gauge', () => samples()[0]?.[2] === 0)
    await access.delete(ENDPOINTS, 'default', 'metrics')
    await told('EndpointsNotFound')
    await eventually('the counter', () => samples().length === 2)
    expect(samples()).to.deep.equal([
      ['aggregator_unavailable_apiservice_total', NAME, 'EndpointsNotFound', 1],
      ['aggregator_unavailable_apiservice', NAME, 1],
    ])
    await access.delete(API_SERVICES, '', NAME)
    await eventually('the samples go', () => samples().length === 0)
    await ended()
  })

  it('reports Local for an APIService without service, and the reverse', async () => {
    const { access, told, ended } = await started()
    await told('ServiceNotFound')
    const { service: _service, insecureSkipTLSVerify: _insecure, ...local } = apiService.spec
    await access.update(API_SERVICES, '', NAME, now => ({ ...now, spec: local }))
    expect(await told('Local')).to.equal('True: Local APIServices are always available')
    await access.update(API_SERVICES, '', NAME, now => ({ ...now, spec: apiService.spec }))
    expect(await told('ServiceNotFound')).to.equal('False: service/metrics in "default" is not present')
    await ended()
  })

  it('does not check stored objects of a service without cluster IP', async () => {
    const { access, told, ended } = await started()
    await access.create(SERVICES, 'default', service({ type: 'ExternalName', externalName: 'example.com' }))
    expect(await told('FailedDiscoveryCheck')).to.match(/^False: bad status/)
    await ended()
  })

  it('only checks the server if the service has a configured address', async () => {
    const { access, told, ended, backend } = await started()
    await told('ServiceNotFound')
    backend.why = undefined
    const service = { ...apiService.spec.service, name: 'placed' }
    await access.update(API_SERVICES, '', NAME, now => ({ ...now, spec: { ...now.spec, service } }))
    await told('Passed')
    await ended()
  })
})
