import { pluginsInOrder } from '../../src/admission/plugin-names.ts'
import { mediaOffer } from '../../src/codec/negotiate.ts'
import type { ControlPlaneOptions } from '../../src/control-plane/control-plane-options.ts'
import { Runtime } from '../../src/control-plane/runtime.ts'
import { silentLogger } from '../../src/lib/log.ts'
import { parseGates } from '../../src/lifecycle/gates.ts'
import { allowingIf } from './authorizer.ts'

/** A control plane over the backend, alone, with no controllers, where everybody may do everything. */
export const controlPlaneOptions = (backend: ControlPlaneOptions['backend'], options: Partial<ControlPlaneOptions> = {}): ControlPlaneOptions => ({
  runtime: new Runtime(),
  backend,
  logger: silentLogger,
  release: '1.33',
  gates: parseGates('1.33'),
  runtimeConfig: new Map(),
  etcdPrefix: '/registry',
  fingerprint: 'test',
  eventTtlSeconds: 3600,
  compactionIntervalMs: 0,
  quotaSyncPeriodMs: 0,
  serviceCIDRs: ['10.0.0.0/16'],
  nodePorts: { first: 30000, last: 30100 },
  controllers: new Set(),
  admissionPlugins: pluginsInOrder(),
  tolerationSeconds: { notReady: 300, unreachable: 300 },
  requireServiceAccounts: false,
  exclusiveStore: true,
  minRequestTimeoutSeconds: 1800,
  media: mediaOffer(),
  aggregation: { refusesRedirects: true },
  services: { addresses: new Map(), toEndpoints: false },
  kubelets: { addressTypes: ['InternalIP'], port: 10250 },
  authorizer: allowingIf(() => true),
  ...options,
})
