import { pluginsInOrder } from '../../src/admission/plugin-names.ts'
import { CertificateMetrics } from '../../src/clients/certificate-metrics.ts'
import { mediaOffer } from '../../src/codec/accept-header.ts'
import type { ControlPlaneOptions } from '../../src/control-plane/control-plane-options.ts'
import { Runtime } from '../../src/control-plane/runtime.ts'
import { silentLogger } from '../../src/lib/log.ts'
import { parseGates } from '../../src/lifecycle/gates.ts'
import type { Backend } from '../../src/storage/backend.ts'
import { Encryption } from '../../src/storage/value/encryption.ts'
import { allowingIf } from './authorizer.ts'

/** Members that differ from those of a test, by group. */
export type GivenOptions = Pick<Partial<ControlPlaneOptions>, 'runtime' | 'logger'> & {
  readonly [Group in 'release' | 'storage' | 'access' | 'admission' | 'controllers' | 'network' | 'requests' | 'observability']?: Partial<
    ControlPlaneOptions[Group]
  >
}

/** A control plane over the backend, alone, with no controllers, where everybody may do everything. */
export const controlPlaneOptions = (backend: Backend, given: GivenOptions = {}): ControlPlaneOptions => ({
  runtime: given.runtime ?? new Runtime(),
  logger: given.logger ?? silentLogger,
  release: {
    emulatedVersion: '1.33',
    gates: parseGates('1.33'),
    runtimeConfig: new Map(),
    laterVersions: { bySuccession: false, byName: false },
    ...given.release,
  },
  storage: {
    backend,
    otherStores: [],
    etcdPrefix: '/registry',
    probes: { healthMs: 2_000, readyMs: 2_000, sizeEveryMs: 30_000 },
    isExclusive: true,
    fingerprint: 'test',
    storedAs: 'json',
    encryption: new Encryption(),
    eventTtlSeconds: 3600,
    isCached: () => true,
    cachesOnDemand: false,
    compactionIntervalMs: 0,
    ...given.storage,
  },
  access: { authorizer: allowingIf(() => true), ...given.access },
  admission: {
    plugins: pluginsInOrder(),
    configurations: new Map(),
    webhookCredentials: new Map(),
    tolerationSeconds: { notReady: 300, unreachable: 300 },
    requireServiceAccounts: false,
    ...given.admission,
  },
  controllers: {
    enabled: new Set(),
    quotaSyncPeriodMs: 0,
    nodes: 0,
    podRanges: [],
    loadBalancerRanges: [],
    simulatedAccess: [],
    ...given.controllers,
  },
  network: {
    serviceCIDRs: ['10.0.0.0/16'],
    nodePorts: { first: 30000, last: 30100 },
    services: { addresses: new Map(), toEndpoints: false },
    kubelets: { addressTypes: ['InternalIP'], port: 10250 },
    aggregation: { refusesRedirects: true },
    egress: {},
    ...given.network,
  },
  requests: { media: mediaOffer(), minTimeoutSeconds: 1800, faultObjects: false, ...given.requests },
  observability: { webhookCertificates: new CertificateMetrics('webhooks'), ...given.observability },
})
