import { setTimeout as sleep } from 'node:timers/promises'
import type { ServedResource } from '../../catalog/catalog.ts'
import { CertificateMetrics } from '../../clients/certificate-metrics.ts'
import type { ControlPlane } from '../../control-plane/control-plane.ts'
import { openEncryption } from '../../control-plane/encryption-service.ts'
import { Runtime } from '../../control-plane/runtime.ts'
import type { ReadinessCheck } from '../../control-plane/service.ts'
import { WorkQueues } from '../../controllers/work-queues.ts'
import { systemClock } from '../../lib/clock.ts'
import { noEgress } from '../../lib/no-egress.ts'
import { createLogger } from '../../lib/structured-log.ts'
import type { Gates } from '../../lifecycle/gates.ts'
import type { Authorizer } from '../../meta/authorizer.ts'
import { parseApiVersion } from '../../meta/gvk.ts'
import { type Flags, serveCommand } from '../../process/in-process.ts'
import { openServices } from '../../process/open-services.ts'
import { serviceIpOf } from '../../process/serving-files.ts'
import { type MemoryTables, memoryTables } from '../../storage/embedded/memory-tables.ts'
import { openInMemory } from '../../storage/embedded/open-embedded.ts'
import { metaRevision } from '../../storage/embedded/tables.ts'
import { quiet } from '../../testing/quiet.ts'

/** A control plane in memory that does not listen and connects to no other server. */
export interface Fork {
  /** Registry, catalog and stores of the fork. */
  readonly plane: ControlPlane
  readonly authorizer: Authorizer
  /** Feature gates of the fork's release, with those of the flags. */
  readonly gates: Gates
  /** Returns a served version of a kind. Undefined if the fork does not serve it. */
  served(apiVersion: string, kind: string): ServedResource | undefined
  /** Resolves when admission and controllers have seen all writes. */
  settled(): Promise<void>
  /** Ends the control plane and its controllers. */
  close(): Promise<void>
}

/** Options of `openFork`. */
export interface ForkOptions {
  /** Flags of the server, such as `emulated-version` and `feature-gates`. */
  readonly flags: Flags
  /** Optional. Content of the store, which the fork takes over. Default: that of a new cluster. */
  readonly tables?: MemoryTables | undefined
}

/** Every connection fails with this message. */
const EGRESS = noEgress('binnacle check does not connect to other servers')

/**
 * Controllers on whose results the admission of later objects depends. Others would delete or change the objects of a
 * cluster.
 */
const CONTROLLERS = [
  'serviceaccount-controller',
  'root-ca-certificate-publisher-controller',
  'resourcequota-controller',
  'clusterrole-aggregation-controller',
  'validatingadmissionpolicy-status-controller',
]

/** Address that the fork publishes as its own. It is never used. */
const ADDRESS = { address: '192.0.2.1', port: 6443, certificateAuthority: '' }

/** Opens a fork, and resolves when it is ready. Throws FlagError for an invalid flag. */
export async function openFork({ flags, tables = memoryTables() }: ForkOptions): Promise<Fork> {
  const { config } = serveCommand({ ...flags, controllers: CONTROLLERS.join(',') })
  const log = createLogger({ verbosity: 0, format: 'text', write: () => {}, now: Date.now })
  const queues = new WorkQueues()
  const backend = openInMemory(systemClock, log, { tables })
  const encryption = await openEncryption(config.storage, log)
  const services = await openServices(
    config,
    {
      stores: { backend, otherStores: [] },
      runtime: new Runtime({ queues }),
      encryption: encryption.encryption,
      agreed: undefined,
      certificates: new CertificateMetrics('webhooks'),
      spans: undefined,
      egress: EGRESS,
      console: undefined,
      // Of the controllers above, none signs certificates.
      authorities: () => Promise.reject(new Error('a fork has no certificate authority')),
    },
    log,
  )
  const { plane, auth } = services
  auth.connect(plane.registry.access())
  services.start({ ...ADDRESS, serviceIP: serviceIpOf(config.network) })
  await untilReady(plane)
  const settled = (): Promise<void> =>
    quiet(
      () => metaRevision(tables, 'revision'),
      () => queues.isIdle,
    )
  await settled()
  return {
    plane,
    authorizer: auth.authorizer,
    gates: config.release.gates,
    served: (apiVersion, kind) => servedKind(plane, apiVersion, kind),
    settled,
    async close() {
      services.beginShutdown()
      await services.closePlanes()
      await Promise.all([auth.close(), encryption.close()])
    },
  }
}

/** Looks up a version in the present catalog, which definitions of the input have changed. */
function servedKind({ registry: { catalog } }: ControlPlane, apiVersion: string, kind: string): ServedResource | undefined {
  const version = parseApiVersion(apiVersion)
  return version && catalog.snapshot().ofKind(version, kind)
}

/** Resolves when all readiness checks pass. */
async function untilReady({ checks }: ControlPlane): Promise<void> {
  for (const check of checks) while (check.informs !== true && !(await passes(check))) await sleep(1)
}

/** Reports whether a readiness check passes. */
async function passes(check: ReadinessCheck): Promise<boolean> {
  try {
    await check.check('readyz')
    return true
  } catch {
    return false
  }
}
