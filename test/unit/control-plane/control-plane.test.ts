import { expect } from 'chai'
import { RuleIndex } from '../../../src/auth/authz/rbac/rule-index.ts'
import { createControlPlane } from '../../../src/control-plane/control-plane.ts'
import { type Logger, silentLogger } from '../../../src/lib/log.ts'
import { parseGates } from '../../../src/lifecycle/gates.ts'
import type { Release } from '../../../src/lifecycle/release.ts'
import { type AnyObject, loose } from '../../support/any-object.ts'
import { apiHandler } from '../../support/api-handler.ts'
import { allowingIf } from '../../support/authorizer.ts'
import { CONFIG_MAPS, LEASES, NAMESPACES } from '../../support/builtin-registry.ts'
import { controlPlaneOptions, type GivenOptions } from '../../support/control-plane-options.ts'
import { FakeExchange, type FakeRequest } from '../../support/exchange.ts'
import { requestOf } from '../../support/flow.ts'
import { MemoryBackend } from '../../support/memory-backend.ts'
import { refusalText } from '../../support/test-registry.ts'
import { eventually, patience, turns } from '../../support/waiting.ts'

const START = { address: '192.0.2.1', port: 6443, serviceIP: '10.0.0.1', certificateAuthority: 'PEM' }

function open(options: GivenOptions = {}) {
  const backend = new MemoryBackend()
  const plane = createControlPlane(
    controlPlaneOptions(backend, {
      network: { serviceCIDRs: ['10.0.0.0/24'] },
      controllers: { enabled: new Set(['namespace-controller', 'serviceaccount-controller', 'root-ca-certificate-publisher-controller']) },
      ...options,
    }),
  )
  const unready = async (): Promise<string[]> => {
    const names: string[] = []
    for (const { name, check } of plane.checks)
      await Promise.resolve()
        .then(() => check())
        .catch(() => names.push(name))
    return names
  }
  async function call(path: string, request: FakeRequest = {}): Promise<FakeExchange> {
    const exchange = new FakeExchange(path, request)
    await apiHandler(plane.api)(exchange)
    return exchange
  }
  return { backend, plane, access: plane.registry.access(), unready, call }
}

/** Holds back the write that establishes a definition. */
class HoldingBackend extends MemoryBackend {
  release: () => void = () => {}
  readonly held = new Promise<void>(resolve => {
    this.release = resolve
  })
  isHeld = false

  override async write(...[write, signal]: Parameters<MemoryBackend['write']>): ReturnType<MemoryBackend['write']> {
    if (
      JSON.stringify(write, (_, value) => (value?.type === 'Buffer' ? Buffer.from(value.data).toString() : value)).includes(
        'InitialNamesAccepted',
      )
    ) {
      this.isHeld = true
      await this.held
    }
    return super.write(write, signal)
  }
}

const WIDGETS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
}

describe('the control plane', () => {
  it('serves a custom kind from the moment its definition is established', async () => {
    const backend = new HoldingBackend()
    const counts: number[] = []
    const plane = createControlPlane(controlPlaneOptions(backend, { observability: { onCustomKinds: count => void counts.push(count) } }))
    const call = async (path: string, request?: FakeRequest): Promise<FakeExchange> => {
      const exchange = new FakeExchange(path, request)
      await apiHandler(plane.api)(exchange)
      return exchange
    }
    await plane.synced(patience())
    plane.start(START)
    expect(
      (await call('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { method: 'POST', body: JSON.stringify(WIDGETS) })).status,
    ).to.equal(201)
    await eventually('it is about to be established', () => backend.isHeld)
    expect(await call('/apis/example.com/v1/widgets').catch(String)).to.equal('Error: 404 page not found')
    const served = call('/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com')
    expect(String((await served).body)).not.to.include('"InitialNamesAccepted"')
    expect(counts).not.to.include(1)
    backend.release()
    await eventually('it is established', async () =>
      String((await call('/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com')).body).includes(
        '"InitialNamesAccepted"',
      ),
    )
    expect((await call('/apis/example.com/v1/widgets')).status).to.equal(200)
    expect(counts.at(-1)).to.equal(1)
    await plane.close()
  })

  it('is ready once its caches are filled and the initial objects exist', async () => {
    const { plane, access, unready } = open()
    expect(await unready()).to.include('poststarthook/bootstrap-controller')
    await plane.synced(patience())
    expect(await unready()).to.deep.equal([
      'informer-sync',
      'poststarthook/apiservice-registration-controller',
      'poststarthook/bootstrap-controller',
      'poststarthook/scheduling/bootstrap-system-priority-classes',
      'poststarthook/priority-and-fairness-config-producer',
      'autoregister-completion',
      'poststarthook/crd-informer-synced',
    ])
    plane.start(START)
    await eventually('it is ready', async () => (await unready()).length === 0)
    expect((await access.list(NAMESPACES, '')).items).to.have.length(4)
    await eventually('namespaces are filled', async () => (await access.list(CONFIG_MAPS, '')).items.length === 4)
    await plane.close()
  })

  it('shares no state with another one in the same process', async () => {
    const [one, other] = [open(), open()]
    const watches: FakeExchange[] = []
    for (const { plane, call } of [one, other]) {
      await plane.synced(patience())
      await call('/api/v1/namespaces', {
        method: 'POST',
        body: JSON.stringify({ metadata: { name: 'same', labels: { of: plane === one.plane ? 'one' : 'other' } } }),
      })
      const exchange = new FakeExchange('/api/v1/namespaces', { search: 'watch=1&resourceVersion=0' })
      watches.push(exchange)
      void apiHandler(plane.api)(exchange)
      await eventually('the namespace is seen', () => exchange.streamed.text.includes('"same"'))
    }
    const labels = watches.map(({ streamed }) => [...streamed.text.matchAll(/"of":"(\w+)"/g)].map(([, of]) => of))
    expect(labels).to.deep.equal([['one'], ['other']])
    const sent = ({ plane }: typeof one): number[] =>
      plane.metrics
        .flatMap(family => [...family.samples()])
        .filter(({ metricName }) => metricName === 'apiserver_watch_events_total')
        .map(({ value }) => value)
    expect([sent(one), sent(other)]).to.deep.equal([[1], [1]])
    await one.plane.close()
    await other.call('/api/v1/namespaces/same', {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: '{"metadata":{"labels":{"of":"none"}}}',
    })
    await eventually('the change is seen', () => watches[1]!.streamed.text.includes('"MODIFIED"'))
    expect([sent(one), sent(other)]).to.deep.equal([[1], [2]])
    await other.plane.close()
  })

  it('reports the size of its objects, and charges lists by size if the gate is on', async () => {
    const figures = async (release: Release) => {
      const { plane, call } = open({ release: { emulatedVersion: release, gates: parseGates(release) }, requests: { totalSeats: 600 } })
      await plane.synced(patience())
      await call('/api/v1/namespaces', {
        method: 'POST',
        body: JSON.stringify({ metadata: { name: 'long', annotations: { a: 'x'.repeat(200_000) } } }),
      })
      const of = (metric: string): number | undefined =>
        plane.metrics
          .flatMap(family => (family.name === metric ? [...family.samples()] : []))
          .find(({ metricName, labels }) => metricName === metric && labels.resource === 'namespaces' && labels.group === '')?.value
      await eventually('it is counted', () => of('apiserver_resource_objects') === 1)
      const seats = plane.flowLimits?.flows.start(requestOf('alice', { verb: 'list', resource: 'namespaces' })).maxSeats
      await plane.close()
      return [of('apiserver_resource_objects'), (of('apiserver_resource_size_estimate_bytes') ?? 0) > 200_000, seats]
    }
    expect(await figures('1.34')).to.deep.equal([1, true, 3])
    expect(await figures('1.33')).to.deep.equal([1, false, 1])
  })

  it('is ready with RBAC once the default roles are created and loaded', async () => {
    const rules = new RuleIndex()
    const { plane, unready } = open({ access: { rules } })
    await plane.synced(patience())
    expect(await unready()).to.deep.equal([
      'informer-sync',
      'poststarthook/apiservice-registration-controller',
      'poststarthook/bootstrap-controller',
      'poststarthook/scheduling/bootstrap-system-priority-classes',
      'poststarthook/priority-and-fairness-config-producer',
      'autoregister-completion',
      'poststarthook/crd-informer-synced',
      'poststarthook/rbac/bootstrap-roles',
    ])
    plane.start(START)
    await eventually('it is ready', async () => (await unready()).length === 0)
    expect(rules.keys('clusterroles')).to.include('/cluster-admin')
    await plane.close()
  })

  it('is not ready while the store is unavailable', async () => {
    const { backend, plane, unready } = open()
    await plane.synced(patience())
    backend.down = true
    expect(await unready()).to.include('etcd')
    await plane.close()
  })

  it('rejects creates in missing namespaces', async () => {
    const { plane, access } = open()
    await plane.synced(patience())
    const object: AnyObject = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' } }
    expect(await refusalText(access.create(CONFIG_MAPS, 'none', object))).to.equal('404 NotFound: namespaces "none" not found')
    await plane.close()
  })

  it('requires permission to create for an update that would create', async () => {
    const asked: string[] = []
    const { plane, access, call } = open({
      access: {
        authorizer: allowingIf(({ verb, resource, name }, user) => {
          asked.push(`${user.name} ${verb} ${resource} ${name}`)
          return false
        }),
      },
    })
    await plane.synced(patience())
    await access.create(NAMESPACES, '', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'ns' } })
    const body = '{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"l"}}'
    expect(await refusalText(call('/apis/coordination.k8s.io/v1/namespaces/ns/leases/l', { method: 'PUT', body }))).to.equal(
      '403 Forbidden: leases.coordination.k8s.io "l" is forbidden: User "tester" cannot create resource "leases" in API group "coordination.k8s.io" in the namespace "ns"',
    )
    expect(asked).to.deep.equal(['tester create leases l'])
    await plane.close()
  })

  it("stores objects under kube-apiserver's keys, and counts them", async () => {
    const { backend, plane, access } = open({ storage: { etcdPrefix: '/other' } })
    await plane.synced(patience())
    await access.create(NAMESPACES, '', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'ns' } })
    const { items } = await backend.range({ start: '/' as never, end: '0' as never }, patience())
    expect(items.map(item => item.key)).to.deep.equal(['/other/namespaces/ns'])
    await plane.close()
  })

  it('shows its address in discovery', async () => {
    const { plane, call } = open()
    await plane.synced(patience())
    plane.start(START)
    expect((await call('/api')).json).to.have.nested.property('serverAddressByClientCIDRs[0].serverAddress', '192.0.2.1:6443')
    await plane.close()
  })

  it('leads by Lease if servers share the store', async () => {
    const { plane, access } = open({ storage: { isExclusive: false } })
    await plane.synced(patience())
    plane.start(START)
    await eventually(
      'it leads',
      async () => (loose(await access.get(LEASES, 'kube-system', 'binnacle-controllers')).spec.holderIdentity ?? '') !== '',
    )
    await plane.close()
  })

  it('uses a leader identity that is unique in the process', async () => {
    const leaders: unknown[] = []
    const logger: Logger = { ...silentLogger, info: (message, fields) => void (message === 'leading' && leaders.push(fields?.identity)) }
    const backend = new MemoryBackend()
    for (const count of [1, 2]) {
      backend.down = false
      const plane = createControlPlane(controlPlaneOptions(backend, { storage: { isExclusive: false }, logger }))
      await plane.synced(patience())
      plane.start(START)
      await eventually('it leads', () => leaders.length === count)
      await plane.close()
    }
    expect(leaders[0]).not.to.equal(leaders[1])
  })

  it('ends watches at shutdown, and everything when it is closed', async () => {
    const { backend, plane, call } = open()
    await plane.synced(patience())
    plane.start(START)
    const watching = call('/api/v1/pods', { search: 'watch=1' })
    await turns()
    plane.beginShutdown()
    expect((await watching).streamed.open).to.equal(false)
    await plane.close()
    expect(backend.watches).to.deep.equal([])
  })
})
