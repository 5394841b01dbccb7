import { expect } from 'chai'
import { bootstrap, keepBootstrapped } from '../../../src/controllers/bootstrap.ts'
import { forbiddenError } from '../../../src/meta/status.ts'
import { builtinRegistry, controllerEnvironment, NAMESPACES } from '../../support/builtin-registry.ts'
import { NEVER } from '../../support/test-registry.ts'
import { eventually } from '../../support/waiting.ts'

const options = {
  release: '1.33',
  address: '192.0.2.7',
  port: 6443,
  serviceIP: '10.0.0.1',
  serviceCIDRs: ['10.0.0.0/24'],
  alone: true,
} as const
const SERVICES = { group: '', resource: 'services' }
const ENDPOINTS = { group: '', resource: 'endpoints' }
const SLICES = { group: 'discovery.k8s.io', resource: 'endpointslices' }
const CLASSES = { group: 'scheduling.k8s.io', resource: 'priorityclasses' }
const CIDRS = { group: 'networking.k8s.io', resource: 'servicecidrs' }

describe('bootstrap', () => {
  it('creates the initial objects of a cluster', async () => {
    const t = builtinRegistry()
    const access = t.access()
    await bootstrap(controllerEnvironment(t), options, NEVER)
    const names = (await access.list(NAMESPACES, '')).items.map(({ metadata }) => metadata.name)
    expect(names).to.deep.equal(['default', 'kube-node-lease', 'kube-public', 'kube-system'])
    const service = await access.get(SERVICES, 'default', 'kubernetes')
    expect(service.metadata.labels).to.deep.equal({ component: 'apiserver', provider: 'kubernetes' })
    expect(service.spec).to.deep.include({
      clusterIP: '10.0.0.1',
      clusterIPs: ['10.0.0.1'],
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 6443 }],
    })
    const endpoints = await access.get(ENDPOINTS, 'default', 'kubernetes')
    expect(endpoints.metadata.labels).to.deep.include({ 'endpointslice.kubernetes.io/skip-mirror': 'true' })
    expect(endpoints.subsets).to.deep.equal([{ addresses: [{ ip: '192.0.2.7' }], ports: [{ name: 'https', port: 6443, protocol: 'TCP' }] }])
    const slice = await access.get(SLICES, 'default', 'kubernetes')
    expect(slice.metadata.labels).to.deep.equal({ 'kubernetes.io/service-name': 'kubernetes' })
    expect(slice).to.deep.include({ addressType: 'IPv4', endpoints: [{ addresses: ['192.0.2.7'], conditions: { ready: true } }] })
    const classes = (await access.list(CLASSES, '')).items.map(({ metadata, value }) => [metadata.name, value])
    expect(classes).to.deep.equal([
      ['system-cluster-critical', 2_000_000_000],
      ['system-node-critical', 2_000_001_000],
    ])
    const cidr = await access.get(CIDRS, '', 'kubernetes')
    expect(cidr.spec).to.deep.equal({ cidrs: ['10.0.0.0/24'] })
    expect(cidr.status.conditions).to.deep.equal([
      {
        type: 'Ready',
        status: 'True',
        lastTransitionTime: '2026-01-02T03:04:05Z',
        reason: '',
        message: 'Kubernetes default Service CIDR is ready',
      },
    ])
  })

  it('changes nothing the second time', async () => {
    const t = builtinRegistry()
    await bootstrap(controllerEnvironment(t), options, NEVER)
    const before = await t.backend.currentRevision(NEVER)
    t.now += 60_000
    await bootstrap(controllerEnvironment(t), options, NEVER)
    expect(await t.backend.currentRevision(NEVER)).to.equal(before)
  })

  it('updates the endpoints to the current address, and keeps other changes of users', async () => {
    const t = builtinRegistry()
    const access = t.access()
    await bootstrap(controllerEnvironment(t), options, NEVER)
    await access.update(SERVICES, 'default', 'kubernetes', now => ({ ...now, metadata: { ...now.metadata, labels: { mine: 'x' } } }))
    await bootstrap(controllerEnvironment(t), { ...options, address: '192.0.2.8' }, NEVER)
    expect((await access.get(SLICES, 'default', 'kubernetes')).endpoints[0].addresses).to.deep.equal(['192.0.2.8'])
    expect((await access.get(ENDPOINTS, 'default', 'kubernetes')).subsets[0].addresses).to.deep.equal([{ ip: '192.0.2.8' }])
    expect((await access.get(SERVICES, 'default', 'kubernetes')).metadata.labels).to.deep.equal({ mine: 'x' })
  })

  it('recreates the EndpointSlice if the address family has changed', async () => {
    const t = builtinRegistry()
    const access = t.access()
    await bootstrap(controllerEnvironment(t), options, NEVER)
    await bootstrap(controllerEnvironment(t), { ...options, address: '2001:db8::1' }, NEVER)
    expect(await access.get(SLICES, 'default', 'kubernetes')).to.deep.include({
      addressType: 'IPv6',
      endpoints: [{ addresses: ['2001:db8::1'], conditions: { ready: true } }],
    })
  })

  it('recreates deleted objects', async () => {
    const t = builtinRegistry()
    const access = t.access()
    await bootstrap(controllerEnvironment(t), options, NEVER)
    await access.delete(SERVICES, 'default', 'kubernetes')
    const end = new AbortController()
    const kept = keepBootstrapped(controllerEnvironment(t), options, [], end.signal, 5)
    await eventually('the service is there', () =>
      access.get(SERVICES, 'default', 'kubernetes').then(
        ({ spec }) => spec.clusterIP === '10.0.0.1',
        () => false,
      ),
    )
    end.abort()
    await kept
  })

  it('retries until the store is available', async () => {
    const t = builtinRegistry()
    t.backend.down = true
    const warnings: string[] = []
    const env = controllerEnvironment(t)
    const done = bootstrap({ ...env, logger: { ...env.logger, warn: text => void warnings.push(text) } }, options, NEVER)
    await eventually('it fails', () => warnings.length > 0)
    t.backend.down = false
    await done
    expect(warnings[0]).to.equal('cannot create bootstrap objects, retrying')
    expect((await t.access().get(NAMESPACES, '', 'default')).status.phase).to.equal('Active')
  })

  it('creates no endpoints for a loopback address, which is not allowed', async () => {
    for (const address of ['127.0.0.1', '::1', '169.254.1.1', 'localhost']) {
      const t = builtinRegistry()
      const access = t.access()
      expect(await bootstrap(controllerEnvironment(t), { ...options, address }, NEVER)).to.deep.equal([])
      expect((await access.list(ENDPOINTS, 'default')).items, address).to.deep.equal([])
      expect((await access.list(SLICES, 'default')).items, address).to.deep.equal([])
      expect((await access.get(SERVICES, 'default', 'kubernetes')).spec.clusterIP).to.equal('10.0.0.1')
      expect((await access.list(CLASSES, '')).items).to.have.length(2)
    }
  })

  it('removes obsolete endpoints, unless they may belong to another server', async () => {
    const t = builtinRegistry()
    const access = t.access()
    await bootstrap(controllerEnvironment(t), options, NEVER)
    await bootstrap(controllerEnvironment(t), { ...options, address: '127.0.0.1', alone: false }, NEVER)
    expect((await access.get(ENDPOINTS, 'default', 'kubernetes')).subsets[0].addresses).to.deep.equal([{ ip: '192.0.2.7' }])
    await bootstrap(controllerEnvironment(t), { ...options, address: '127.0.0.1' }, NEVER)
    expect((await access.list(ENDPOINTS, 'default')).items).to.deep.equal([])
    expect((await access.list(SLICES, 'default')).items).to.deep.equal([])
  })

  it('reports each rejected object with its reason, creates the others, and creates it once it is accepted', async () => {
    const t = builtinRegistry()
    const env = controllerEnvironment(t)
    let refuses = true
    const create: typeof env.access.create = async (id, namespace, object) => {
      if (refuses && ['services', 'servicecidrs', 'priorityclasses'].includes(id.resource)) throw forbiddenError(id, 'x', 'not here')
      return env.access.create(id, namespace, object)
    }
    const told: unknown[] = []
    const logger = { ...env.logger, warn: (_: string, fields?: Record<string, unknown>) => void told.push(fields?.what) }
    const guarded = { ...env, logger, access: { ...env.access, create } }
    const refusals = new Map<string, string>()
    const observed = { ...options, refusals }
    const refused = await bootstrap(guarded, observed, NEVER)
    expect([...refusals.keys()].sort()).to.deep.equal(['default ServiceCIDR', 'service kubernetes', 'system priority classes'])
    expect(refusals.get('system priority classes')).to.match(/^priorityclasses system-(node|cluster)-critical: .*not here/)
    expect(told.sort()).to.deep.equal(['default ServiceCIDR', 'service kubernetes', 'system priority classes'])
    expect((await env.access.list(NAMESPACES, '')).items).to.have.length(4)
    expect((await env.access.list(ENDPOINTS, 'default')).items).to.have.length(1)
    refuses = false
    const end = new AbortController()
    const kept = keepBootstrapped(guarded, observed, refused, end.signal, 5)
    await eventually('all is there', async () => {
      const [services, classes] = await Promise.all([env.access.list(SERVICES, 'default'), env.access.list(CLASSES, '')])
      return services.items.length === 1 && classes.items.length === 2 && refusals.size === 0
    })
    end.abort()
    await kept
  })

  for (const [name, tries] of [
    ['has just stored', 1],
    ['is about to store', 2],
  ] as const)
    it(`reports no rejection caused by the service that another server ${name}`, async () => {
      const t = builtinRegistry()
      const env = controllerEnvironment(t)
      let tried = 0
      const create: typeof env.access.create = async (id, namespace, object) => {
        if (id.resource !== 'services') return env.access.create(id, namespace, object)
        if (++tried === tries) await env.access.create(id, namespace, object)
        throw forbiddenError(id, 'kubernetes', 'its address is taken')
      }
      const told: unknown[] = []
      const logger = { ...env.logger, warn: (_: string, fields?: Record<string, unknown>) => void told.push(fields?.what) }
      expect(await bootstrap({ ...env, logger, access: { ...env.access, create } }, options, NEVER)).to.deep.equal([])
      expect([told, tried]).to.deep.equal([[], tries])
    })

  it('ends when its signal aborts', async () => {
    const t = builtinRegistry()
    t.backend.down = true
    const end = new AbortController()
    const done = bootstrap(controllerEnvironment(t), options, end.signal)
    end.abort()
    await done
  })
})
